template seed
	name: seed
	steps:
	  - {id: draft, skill: writer, intent: "write it", output: draft}
	  - {id: run, skill: runner, intent: "run it", input: [draft], output: result}

template routed
	steps:
	  - {id: found, intent: "ask the runner"}
	  - {id: lost, intent: "dance"}

template blocked
	steps:
	  - {id: bad, intent: "hack it"}

# a skill without an entry point waits for an agent, which claims and closes it
> run.start @seed
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"seed",…}
  call.opened {"call":"r1/draft","skill":"writer","intent":"write it","queue":"skills","writes":["draft"],"run":"r1","step":"draft"}
= {"run":"r1","session":"s1","name":"seed","status":"waiting","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"draft","call_id":"r1/draft","skill":"writer","status":"waiting","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"run","call_id":"","skill":"runner","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"8e45744171798e1f4bbf51cafafcb55e2372c901d6cc180fb121f9f366fb6b5f"}
? why r1
= {"run":"r1","state":"waiting","reasons":[{"reason":"step draft waits on queue skills for an agent to take it: skill writer has no entry point that Baton can run","step":"draft","holder":"","since":"2026-01-01T00:00:01Z","until":null,"unblock":"an agent must take it with `baton call claim --queue skills`, or give the step a `run`"}]}
> call.close {"call":"r1/draft","attempt":1,"status":"ok"}
! conflict call_not_started: call r1/draft waits on queue skills, nobody has started it; claim it first with `baton call claim`
> call.claim {"call":"r1/draft","queue":"skills","worker":"outside.me","baton":0,"delivery":0}
  call.started {"call":"r1/draft","attempt":1,"worker":"outside.me"}
= {"envelope":{"call_id":"r1/draft","session":"s1","skill":"writer","intent":"write it","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["draft"],"attempt":1,"effect_key":"8d6685ebd10ffc49b181e37493f3ac5f","run":"r1","step":"draft","queue":"skills","status":"running"},"execute":null,"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.close {"call":"r1/draft","attempt":1,"status":"ok","outputs":{"draft":{"json":"text"}}}
  call.closed {"call":"r1/draft","attempt":1,"status":"ok","outputs":{"draft":{"json":"text"}}}
  context.set {"key":"draft","value":{"json":"text"},"rev":1,"by":"writer","call":"r1/draft"}
  call.opened {"call":"r1/run","skill":"runner","intent":"run it","queue":"default","reads":[{"key":"draft","rev":1}],"writes":["result"],"run":"r1","step":"run","execute":{"exec":["./run"]}}
= {"call_id":"r1/draft","status":"ok","stack":[],"current_skill":"","missing_writes":[]}
> call.claim {"call":"r1/run","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/run","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/run","session":"s1","skill":"runner","intent":"run it","parent":"","inputs":{},"context_in":{"draft":"text"},"missing_context":[],"must_write":["result"],"attempt":1,"effect_key":"1211fff68cf713135e5ec7974a6fe2bf","run":"r1","step":"run","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/run","attempt":1,"worker":"p.1","value":{"json":"done"}}
  call.closed {"call":"r1/run","attempt":1,"status":"ok","value":{"json":"done"}}
  context.set {"key":"result","value":{"json":"done"},"rev":1,"by":"runner","call":"r1/run"}
  run.completed {"run":"r1"}
= {"call":"r1/run"}
? steps r1
= ["completed: ","draft completed, attempts 1","run completed, attempts 1"]

# an agent that reports a failure ends the step as a worker would
> run.start @seed
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"seed",…}
  call.opened {"call":"r1/draft","skill":"writer","intent":"write it","queue":"skills","writes":["draft"],"run":"r1","step":"draft"}
= {"run":"r1","session":"s1","name":"seed","status":"waiting","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"draft","call_id":"r1/draft","skill":"writer","status":"waiting","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"run","call_id":"","skill":"runner","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"8e45744171798e1f4bbf51cafafcb55e2372c901d6cc180fb121f9f366fb6b5f"}
> call.claim {"call":"r1/draft","queue":"skills","worker":"outside.me","baton":0,"delivery":0}
  call.started {"call":"r1/draft","attempt":1,"worker":"outside.me"}
= {"envelope":{"call_id":"r1/draft","session":"s1","skill":"writer","intent":"write it","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["draft"],"attempt":1,"effect_key":"8d6685ebd10ffc49b181e37493f3ac5f","run":"r1","step":"draft","queue":"skills","status":"running"},"execute":null,"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.close {"call":"r1/draft","attempt":1,"status":"failed","note":"no idea"}
  call.failed {"call":"r1/draft","attempt":1,"failure":{"class":"retryable","code":"reported_failed","message":"no idea"},"final":true}
  run.failed {"run":"r1","steps":["draft"],"reason":"draft failed, and 1 steps were not started"}
= {"call_id":"r1/draft","status":"failed","stack":[],"current_skill":"","missing_writes":[]}
? steps r1
= ["failed: draft failed, and 1 steps were not started","draft failed, attempts 1, reported_failed","run pending, attempts 0"]

# a step is routed by its intent when it opens, and fails when nothing fits
> run.start @routed
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"routed",…}
  route.decided {"route":"rt001","task":"ask the runner","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"runner","index":"i1","run":"r1","step":"found"}
  call.opened {"call":"r1/found","skill":"runner","intent":"ask the runner","queue":"default","run":"r1","step":"found","route":"rt001","execute":{"exec":["./run"]}}
= {"run":"r1","session":"s1","name":"routed","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"found","call_id":"r1/found","skill":"runner","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"lost","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"81a3901252b28977e702e3ced1c56029b05e82bf36c2373f02bad2bcbe6886c3"}
> call.claim {"call":"r1/found","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/found","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/found","session":"s1","skill":"runner","intent":"ask the runner","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"112617b0278ebb785c2b5b89539b6098","run":"r1","step":"found","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/found","attempt":1,"worker":"p.1","value":{"json":null}}
  call.closed {"call":"r1/found","attempt":1,"status":"ok","value":{"json":null}}
  route.decided {"route":"rt002","task":"dance","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"no_match","reason":"nothing fits","index":"i1","run":"r1","step":"lost"}
  step.failed {"run":"r1","step":"lost","failure":{"class":"terminal","code":"route_undecided","message":"the router says no_match for \"dance\" (nothing fits); candidates: ; name the skill in the template, or run it in a session of mode always"}}
  run.failed {"run":"r1","steps":["lost"],"reason":"lost failed"}
= {"call":"r1/found"}
? steps r1
= ["failed: lost failed","found completed, attempts 1","lost failed, attempts 0, route_undecided"]

# what the sentinel refuses is recorded, and fails the step
> run.start @blocked
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"blocked",…}
  route.blocked {"route":"rt001","task":"hack it","reason":"forbidden","matched":"hack","mode":"auto"}
  step.failed {"run":"r1","step":"bad","failure":{"class":"terminal","code":"route_blocked","message":"the sentinel refused \"hack it\""}}
  run.failed {"run":"r1","steps":["bad"],"reason":"bad failed"}
= {"run":"r1","session":"s1","name":"blocked","status":"failed","reason":"bad failed","started_at":"2026-01-01T00:00:01Z","ended_at":"2026-01-01T00:00:01Z","steps":[{"id":"bad","call_id":"","skill":"","status":"failed","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":{"class":"terminal","code":"route_blocked","message":"the sentinel refused \"hack it\""}}],"outputs":{},"trace_file":"","template_sha256":"5dd9f7a3c0d9c7320923a0bf84d5d8944f791c8dfc842c991229eed4742db412"}
? steps r1
= ["failed: bad failed","bad failed, attempts 0, route_blocked"]
