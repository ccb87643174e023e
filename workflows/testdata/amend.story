template undo
	order: dataflow
	on_failure: compensate
	steps:
	  - {id: a, run: {exec: [a]}, output: a, compensate: {exec: [undo-a, "${ctx.a}"]}}
	  - {id: b, run: {exec: [b]}, needs: [a], compensate: {exec: [undo-b]}}
	  - {id: c, run: {exec: [c]}, needs: [b]}

template handler
	order: dataflow
	on_failure: sorry
	steps:
	  - {id: a, run: {exec: [a]}}
	  - {id: sorry, run: {exec: [sorry]}}

# what has completed is undone, the last first, and a resume runs it again
> run.start @undo
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"undo",…}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"exec":["a"]}}
= {"run":"r1","session":"s1","name":"undo","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"828cc8aa0499ab2b3307076ee4cb1b1c2b65217079172ffd0af75a656edec9e2"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["a"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":"made-a"},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":"made-a"}}
  context.set {"key":"a","value":{"json":"made-a"},"rev":1,"by":"a","call":"r1/a"}
  call.opened {"call":"r1/b","queue":"default","run":"r1","step":"b","execute":{"exec":["b"]}}
  call.started {"call":"r1/b","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/a","next":{"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"exec":["b"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.1","value":{"json":1},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/b","attempt":1,"status":"ok","value":{"json":1}}
  call.opened {"call":"r1/c","queue":"default","run":"r1","step":"c","execute":{"exec":["c"]}}
  call.started {"call":"r1/c","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/b","next":{"envelope":{"call_id":"r1/c","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"d30f7737a6d9627feee7d2db3b564136","run":"r1","step":"c","queue":"default","status":"running"},"execute":{"exec":["c"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/c","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.failed {"call":"r1/c","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  call.opened {"call":"r1/b!undo","intent":"compensate b","parent":"r1/b","queue":"default","run":"r1","step":"b","execute":{"exec":["undo-b"]},"purpose":"compensate"}
  call.started {"call":"r1/b!undo","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/c","next":{"envelope":{"call_id":"r1/b!undo","session":"s1","skill":"","intent":"compensate b","parent":"r1/b","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"26ad43565a499f20670e562d6100b4f1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"exec":["undo-b"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/b!undo","attempt":1,"worker":"p.1","value":{"json":1},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/b!undo","attempt":1,"status":"ok","value":{"json":1}}
  call.opened {"call":"r1/a!undo","intent":"compensate a","parent":"r1/a","queue":"default","reads":[{"key":"a","rev":1}],"run":"r1","step":"a","execute":{"exec":["undo-a","made-a"]},"purpose":"compensate"}
  call.started {"call":"r1/a!undo","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/b!undo","next":{"envelope":{"call_id":"r1/a!undo","session":"s1","skill":"","intent":"compensate a","parent":"r1/a","inputs":{},"context_in":{"a":"made-a"},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"be105c3d08fbbd6da40f5e14bdadae6f","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["undo-a","made-a"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/a!undo","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/a!undo","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  run.failed {"run":"r1","steps":["c"],"reason":"c failed; undone: b; could not be undone: a"}
= {"call":"r1/a!undo"}
? steps r1
= ["failed: c failed; undone: b; could not be undone: a","a completed, attempts 1","b completed, attempts 1","c failed, attempts 1, x"]
> run.resolve {"run":"r1","step":"c","action":"skip"}
! conflict run_undone: what run r1 had done was undone when it failed; take the whole run up with `baton workflow resume r1`
> run.resume {"run":"r1","by":"me"}
  run.resumed {"run":"r1","by":"me"}
  call.opened {"call":"r1/b","queue":"default","run":"r1","step":"b","execute":{"exec":["b"]}}
= {"run":"r1","session":"s1","name":"undo","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"completed","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:02Z","closed_at":"2026-01-01T00:00:03Z","seconds":1,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"queued","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:09Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{"a":"made-a"},"trace_file":"","template_sha256":"828cc8aa0499ab2b3307076ee4cb1b1c2b65217079172ffd0af75a656edec9e2","already":false,"by":"me","changed_after_finish":[]}
? steps r1
= ["running: ","a completed, attempts 1","b queued, attempts 1","c pending, attempts 0"]

# the step that is there for it runs after a failure, and only then
> run.start @handler
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"handler",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"exec":["a"]}}
= {"run":"r1","session":"s1","name":"handler","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"sorry","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"a1caac1927f22772a00f5703d0033809d42895f9f72bb1706f28beaee0ed9702"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["a"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.failed {"call":"r1/a","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  call.opened {"call":"r1/sorry","queue":"default","run":"r1","step":"sorry","execute":{"exec":["sorry"]}}
  call.started {"call":"r1/sorry","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/a","next":{"envelope":{"call_id":"r1/sorry","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8232cfbad8a9118ad79a92c64711716","run":"r1","step":"sorry","queue":"default","status":"running"},"execute":{"exec":["sorry"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/sorry","attempt":1,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/sorry","attempt":1,"status":"ok","value":{"json":1}}
  run.failed {"run":"r1","steps":["a"],"reason":"a failed"}
= {"call":"r1/sorry"}
? steps r1
= ["failed: a failed","a failed, attempts 1, x","sorry completed, attempts 1"]
> run.resume {"run":"r1","by":"me"}
  run.resumed {"run":"r1","by":"me"}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"exec":["a"]}}
= {"run":"r1","session":"s1","name":"handler","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:05Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"sorry","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"a1caac1927f22772a00f5703d0033809d42895f9f72bb1706f28beaee0ed9702","already":false,"by":"me","changed_after_finish":[]}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/a","attempt":2,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":2,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["a"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":2,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/a","attempt":2,"status":"ok","value":{"json":1}}
  run.completed {"run":"r1"}
= {"call":"r1/a"}
? steps r1
= ["completed: ","a completed, attempts 2","sorry skipped, attempts 0"]

# cancelling while something is undone ends that too
> run.start @undo
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"undo",…}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"exec":["a"]}}
= {"run":"r1","session":"s1","name":"undo","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"828cc8aa0499ab2b3307076ee4cb1b1c2b65217079172ffd0af75a656edec9e2"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["a"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":"made-a"},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":"made-a"}}
  context.set {"key":"a","value":{"json":"made-a"},"rev":1,"by":"a","call":"r1/a"}
  call.opened {"call":"r1/b","queue":"default","run":"r1","step":"b","execute":{"exec":["b"]}}
  call.started {"call":"r1/b","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/a","next":{"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"exec":["b"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/b","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  call.opened {"call":"r1/a!undo","intent":"compensate a","parent":"r1/a","queue":"default","reads":[{"key":"a","rev":1}],"run":"r1","step":"a","execute":{"exec":["undo-a","made-a"]},"purpose":"compensate"}
= {"call":"r1/b"}
> run.cancel {"run":"r1","by":"me"}
  run.cancelled {"run":"r1","by":"me"}
  call.cancelled {"call":"r1/a!undo","attempt":0,"reason":"its run was cancelled"}
= {"run":"r1","session":"s1","name":"undo","status":"cancelled","started_at":"2026-01-01T00:00:01Z","ended_at":"2026-01-01T00:00:05Z","steps":[{"id":"a","call_id":"r1/a","skill":"","status":"completed","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:02Z","closed_at":"2026-01-01T00:00:03Z","seconds":1,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"failed","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:03Z","started_at":"2026-01-01T00:00:03Z","closed_at":"2026-01-01T00:00:04Z","seconds":1,"error":{"class":"terminal","code":"x","message":"m"}},{"id":"c","call_id":"","skill":"","status":"cancelled","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{"a":"made-a"},"trace_file":"","template_sha256":"828cc8aa0499ab2b3307076ee4cb1b1c2b65217079172ffd0af75a656edec9e2"}
? steps r1
= ["cancelled: ","a completed, attempts 1","b failed, attempts 1, x","c cancelled, attempts 0"]
