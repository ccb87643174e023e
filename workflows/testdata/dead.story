template two
	order: dataflow
	steps:
	  - {id: a, run: {builtin: noop}, retry: {attempts: 2, backoff: 0s}, output: a}
	  - {id: b, run: {builtin: noop}, output: b}
	  - {id: c, run: {builtin: noop}, needs: [a, b]}

# of two dead letters one is tried again while the other stays, then that is skipped
> run.start @two
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"two",…}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
  call.opened {"call":"r1/b","queue":"default","writes":["b"],"run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"two","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"4083c27366c4a0f12cccc85a513c09fca2de896618092ae8b86dfd11f23cd89e"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.claim {"call":"r1/b","queue":"default","worker":"p.2","baton":2,"delivery":1}
  call.started {"call":"r1/b","attempt":1,"worker":"p.2","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["b"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","failure":{"class":"retryable","code":"x","message":"first"}}
  call.failed {"call":"r1/a","attempt":1,"failure":{"class":"retryable","code":"x","message":"first"},"final":false}
= {"call":"r1/a"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":2}
  call.started {"call":"r1/a","attempt":2,"worker":"p.1","baton":1,"delivery":2}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":2,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":2,"worker":"p.1","failure":{"class":"retryable","code":"x","message":"second"}}
  call.failed {"call":"r1/a","attempt":2,"failure":{"class":"retryable","code":"x","message":"second"},"final":true}
= {"call":"r1/a"}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.2","failure":{"class":"terminal","code":"y","message":"no"}}
  call.failed {"call":"r1/b","attempt":1,"failure":{"class":"terminal","code":"y","message":"no"},"final":true}
  run.failed {"run":"r1","steps":["a","b"],"reason":"a, b failed, and 1 steps were not started"}
= {"call":"r1/b"}
? dead
= [{"run":"r1","session":"s1","name":"two","step":"a","call_id":"r1/a","status":"dead","causes":[{"attempt":1,"time":"2026-01-01T00:00:04Z","failure":{"class":"retryable","code":"x","message":"first"}},{"attempt":2,"time":"2026-01-01T00:00:06Z","failure":{"class":"retryable","code":"x","message":"second"}}]},{"run":"r1","session":"s1","name":"two","step":"b","call_id":"r1/b","status":"failed","causes":[{"attempt":1,"time":"2026-01-01T00:00:07Z","failure":{"class":"terminal","code":"y","message":"no"}}]}]
> run.resolve {"run":"r1","step":"a","action":"retry","by":"ada"}
  step.resolved {"run":"r1","step":"a","action":"retry","by":"ada"}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"two","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":2,"worker":"","opened_at":"2026-01-01T00:00:08Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"failed","attempts":1,"worker":"p.2","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:03Z","closed_at":"2026-01-01T00:00:07Z","seconds":4,"error":{"class":"terminal","code":"y","message":"no"}},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"4083c27366c4a0f12cccc85a513c09fca2de896618092ae8b86dfd11f23cd89e"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":3,"delivery":1}
  call.started {"call":"r1/a","attempt":3,"worker":"p.1","baton":3,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":3,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":3,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/a","attempt":3,"status":"ok","value":{"json":1}}
  context.set {"key":"a","value":{"json":1},"rev":1,"by":"a","call":"r1/a"}
  run.failed {"run":"r1","steps":["b"],"reason":"b failed, and 1 steps were not started"}
= {"call":"r1/a"}
? dead
= [{"run":"r1","session":"s1","name":"two","step":"b","call_id":"r1/b","status":"failed","causes":[{"attempt":1,"time":"2026-01-01T00:00:07Z","failure":{"class":"terminal","code":"y","message":"no"}}]}]
> run.resolve {"run":"r1","step":"b","action":"skip","by":"ada","note":"not needed"}
  step.resolved {"run":"r1","step":"b","action":"skip","by":"ada","note":"not needed"}
  call.opened {"call":"r1/c","queue":"default","run":"r1","step":"c","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"two","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"completed","attempts":3,"worker":"p.1","opened_at":"2026-01-01T00:00:08Z","started_at":"2026-01-01T00:00:09Z","closed_at":"2026-01-01T00:00:10Z","seconds":1,"error":null},{"id":"b","call_id":"","skill":"","status":"skipped","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null,"note":"skipped by ada: not needed"},{"id":"c","call_id":"r1/c","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:11Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{"a":1},"trace_file":"","template_sha256":"4083c27366c4a0f12cccc85a513c09fca2de896618092ae8b86dfd11f23cd89e"}
> call.claim {"call":"r1/c","queue":"default","worker":"p.1","baton":4,"delivery":1}
  call.started {"call":"r1/c","attempt":1,"worker":"p.1","baton":4,"delivery":1}
= {"envelope":{"call_id":"r1/c","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"d30f7737a6d9627feee7d2db3b564136","run":"r1","step":"c","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/c","attempt":1,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/c","attempt":1,"status":"ok","value":{"json":1}}
  run.completed {"run":"r1"}
= {"call":"r1/c"}
? steps r1
= ["completed: ","a completed, attempts 3","b skipped, attempts 0","c completed, attempts 1"]
> run.resolve {"run":"r1","step":"b","action":"retry"}
! conflict not_dead: step b of run r1 is no dead letter: it is skipped; see `baton workflow dlq list`
> run.resolve {"run":"r1","step":"nowhere","action":"retry"}
! not_found step_not_found: there is no step "nowhere" in run r1; see `baton workflow dlq list`

# a dead letter that is given up is listed no more, and the run stays failed
> run.start @two
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"two",…}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
  call.opened {"call":"r1/b","queue":"default","writes":["b"],"run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"two","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"4083c27366c4a0f12cccc85a513c09fca2de896618092ae8b86dfd11f23cd89e"}
> call.claim {"call":"r1/b","queue":"default","worker":"p.2","baton":2,"delivery":1}
  call.started {"call":"r1/b","attempt":1,"worker":"p.2","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["b"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.2","failure":{"class":"terminal","code":"y","message":"no"}}
  call.failed {"call":"r1/b","attempt":1,"failure":{"class":"terminal","code":"y","message":"no"},"final":true}
= {"call":"r1/b"}
> run.resolve {"run":"r1","step":"b","action":"fail","by":"ada"}
  step.resolved {"run":"r1","step":"b","action":"fail","by":"ada"}
= {"run":"r1","session":"s1","name":"two","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"failed","attempts":1,"worker":"p.2","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:02Z","closed_at":"2026-01-01T00:00:03Z","seconds":1,"error":{"class":"terminal","code":"y","message":"no"},"note":"given up by ada"},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"4083c27366c4a0f12cccc85a513c09fca2de896618092ae8b86dfd11f23cd89e"}
? dead
= []
> run.resolve {"run":"r1","step":"b","action":"erase"}
! usage bad_action: nothing can be done with a dead letter by "erase"; use retry, skip or fail
