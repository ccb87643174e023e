template tokens
	limits: {budget: {tokens: 100, usd: 1.5}}
	steps:
	  - {id: a, run: {exec: [a]}}
	  - {id: b, run: {exec: [b]}}
	  - {id: c, run: {exec: [c]}}

# over its budget a run waits for a person; a yes is for as much again
> run.start @tokens
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"tokens",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"exec":["a"]}}
= {"run":"r1","session":"s1","name":"tokens","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"742fc2f665f951c6310652aa1d5e3dbb730b9d7f1a3c5ef8a99d83d8a9a95f97"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["a"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":1},"usage":{"tokens":120,"usd":0.1}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":1},"usage":{"tokens":120,"usd":0.1}}
  call.opened {"call":"r1/b","queue":"default","run":"r1","step":"b","execute":{"exec":["b"]}}
  approval.asked {"approval":"r1/b#1","run":"r1","step":"b","call":"r1/b","question":"the run has used up 120 of 100 tokens; use as much again? run step b?","params":{"execute":{"exec":["b"]}},"action":"23f8bd0e5e03db5607339fd9db859ce7a1c09118a21dd3573934d55ec0a5afb5","about":"budget"}
= {"call":"r1/a"}
? why r1
= {"run":"r1","state":"waiting","reasons":[{"reason":"step b waits for an approval: the run has used up 120 of 100 tokens; use as much again? run step b?","step":"b","holder":"","since":"2026-01-01T00:00:03Z","until":null,"unblock":"`baton workflow approve r1 b --yes --by NAME`, or --no"}]}
> run.approve {"run":"r1","step":"b","yes":true,"by":"ada"}
  approval.answered {"approval":"r1/b#1","yes":true,"by":"ada"}
= {"approval":"r1/b#1","session":"s1","run":"r1","step":"b","call_id":"r1/b","question":"the run has used up 120 of 100 tokens; use as much again? run step b?","params":{"execute":{"exec":["b"]}},"action":"23f8bd0e5e03db5607339fd9db859ce7a1c09118a21dd3573934d55ec0a5afb5","asked_at":"2026-01-01T00:00:03Z","expires":null,"decided":true,"yes":true,"by":"ada","note":"","answered_at":"2026-01-01T00:00:04Z"}
> call.claim {"call":"r1/b","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/b","attempt":1,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"exec":["b"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.1","value":{"json":1},"usage":{"tokens":10}}
  call.closed {"call":"r1/b","attempt":1,"status":"ok","value":{"json":1},"usage":{"tokens":10}}
  call.opened {"call":"r1/c","queue":"default","run":"r1","step":"c","execute":{"exec":["c"]}}
= {"call":"r1/b"}
> call.claim {"call":"r1/c","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/c","attempt":1,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/c","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"d30f7737a6d9627feee7d2db3b564136","run":"r1","step":"c","queue":"default","status":"running"},"execute":{"exec":["c"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/c","attempt":1,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/c","attempt":1,"status":"ok","value":{"json":1}}
  run.completed {"run":"r1"}
= {"call":"r1/c"}

# a no fails the step
> run.start @tokens
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"tokens",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"exec":["a"]}}
= {"run":"r1","session":"s1","name":"tokens","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"742fc2f665f951c6310652aa1d5e3dbb730b9d7f1a3c5ef8a99d83d8a9a95f97"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["a"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":1},"usage":{"usd":2}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":1},"usage":{"usd":2}}
  call.opened {"call":"r1/b","queue":"default","run":"r1","step":"b","execute":{"exec":["b"]}}
  approval.asked {"approval":"r1/b#1","run":"r1","step":"b","call":"r1/b","question":"the run has used up 2 of 1.5 USD; use as much again? run step b?","params":{"execute":{"exec":["b"]}},"action":"23f8bd0e5e03db5607339fd9db859ce7a1c09118a21dd3573934d55ec0a5afb5","about":"budget"}
= {"call":"r1/a"}
> run.approve {"run":"r1","step":"b","yes":false,"by":"ada"}
  approval.answered {"approval":"r1/b#1","yes":false,"by":"ada"}
  call.failed {"call":"r1/b","attempt":0,"failure":{"class":"terminal","code":"budget_spent","message":"approval r1/b#1 was answered no by ada"},"final":true}
  run.failed {"run":"r1","steps":["b"],"reason":"b failed, and 1 steps were not started"}
= {"approval":"r1/b#1","session":"s1","run":"r1","step":"b","call_id":"r1/b","question":"the run has used up 2 of 1.5 USD; use as much again? run step b?","params":{"execute":{"exec":["b"]}},"action":"23f8bd0e5e03db5607339fd9db859ce7a1c09118a21dd3573934d55ec0a5afb5","asked_at":"2026-01-01T00:00:03Z","expires":null,"decided":true,"yes":false,"by":"ada","note":"","answered_at":"2026-01-01T00:00:04Z"}
? steps r1
= ["failed: b failed, and 1 steps were not started","a completed, attempts 1","b failed, attempts 0, budget_spent","c pending, attempts 0"]
