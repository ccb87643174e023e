template retry
	steps:
	  - {id: a, run: {builtin: noop}, retry: {attempts: 3, backoff: 10s, factor: 2}}

template stop
	order: dataflow
	steps:
	  - {id: a, run: {builtin: noop}, output: a}
	  - {id: b, run: {builtin: noop}, output: b}
	  - {id: c, run: {builtin: noop}, needs: [a, b]}

template go-on
	order: dataflow
	on_failure: continue
	steps:
	  - {id: a, run: {builtin: noop}}
	  - {id: b, run: {builtin: noop}}
	  - {id: c, run: {builtin: noop}, needs: [a]}
	  - {id: d, run: {builtin: noop}, needs: [b]}

# a failure that may be mended is tried again after a growing pause, as often as the step says
> run.start @retry
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"retry",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"retry","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"419bc0c64d2863a33ed6bfed4c6e30bc567655304ea6d607acc054889640c54b"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","failure":{"class":"retryable","code":"x","message":"m"}}
  call.failed {"call":"r1/a","attempt":1,"failure":{"class":"retryable","code":"x","message":"m"},"final":false}
  timer.set {"timer":"r1/a@1","kind":"backoff","at":"2026-01-01T00:00:13Z","run":"r1","call":"r1/a"}
= {"call":"r1/a"}
? why r1
= {"run":"r1","state":"waiting","reasons":[{"reason":"step a is tried again after a failure (x)","step":"a","holder":"","since":"2026-01-01T00:00:03Z","until":"2026-01-01T00:00:13Z","unblock":"the timer must fire"}]}
> timer.fire {"timer":"r1/a@1","now":"2026-01-01T00:00:00Z"}
! conflict timer_early: timer r1/a@1 is due at 2026-01-01T00:00:13Z; wait
. 10s
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":2}
! conflict claim_forget: call r1/a needs no hand; acknowledge the baton
> timer.fire {"timer":"r1/a@1","now":"2026-01-01T00:00:00Z"}
  timer.fired {"timer":"r1/a@1"}
= {}
> timer.fire {"timer":"r1/a@1","now":"2026-01-01T00:00:00Z"}
= {}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/a","attempt":2,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":2,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":1}}
! conflict stale: attempt 1 of call r1/a is over, attempt 2 is current; drop the result: the current attempt counts
> call.finish {"call":"r1/a","attempt":2,"worker":"p.1","failure":{"class":"timeout","code":"x","message":"m"}}
  call.failed {"call":"r1/a","attempt":2,"failure":{"class":"timeout","code":"x","message":"m"},"final":false}
  timer.set {"timer":"r1/a@2","kind":"backoff","at":"2026-01-01T00:00:40Z","run":"r1","call":"r1/a"}
= {"call":"r1/a"}
. 25s
> timer.fire {"timer":"r1/a@2","now":"2026-01-01T00:00:00Z"}
  timer.fired {"timer":"r1/a@2"}
= {}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":3,"delivery":1}
  call.started {"call":"r1/a","attempt":3,"worker":"p.1","baton":3,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":3,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":3,"worker":"p.1","failure":{"class":"retryable","code":"x","message":"m"}}
  call.failed {"call":"r1/a","attempt":3,"failure":{"class":"retryable","code":"x","message":"m"},"final":true}
  run.failed {"run":"r1","steps":["a"],"reason":"a failed"}
= {"call":"r1/a"}
? steps r1
= ["failed: a failed","a dead, attempts 3, x"]

# what cannot be mended is not tried again
> run.start @retry
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"retry",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"retry","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"419bc0c64d2863a33ed6bfed4c6e30bc567655304ea6d607acc054889640c54b"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/a","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  run.failed {"run":"r1","steps":["a"],"reason":"a failed"}
= {"call":"r1/a"}

# a lost attempt is nobody's failure
> run.start @retry
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"retry",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"retry","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"419bc0c64d2863a33ed6bfed4c6e30bc567655304ea6d607acc054889640c54b"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.release {"call":"r1/a","attempt":1,"worker":"p.1","reason":"stopping"}
  call.lost {"call":"r1/a","attempt":1,"worker":"p.1","reason":"stopping","final":false}
= {}
> call.claim {"call":"r1/a","queue":"default","worker":"p.2","baton":2,"delivery":1}
  call.started {"call":"r1/a","attempt":2,"worker":"p.2","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":2,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":2,"worker":"p.2","failure":{"class":"retryable","code":"x","message":"m"}}
  call.failed {"call":"r1/a","attempt":2,"failure":{"class":"retryable","code":"x","message":"m"},"final":false}
  timer.set {"timer":"r1/a@2","kind":"backoff","at":"2026-01-01T00:00:15Z","run":"r1","call":"r1/a"}
= {"call":"r1/a"}
. 10s
> timer.fire {"timer":"r1/a@2","now":"2026-01-01T00:00:00Z"}
  timer.fired {"timer":"r1/a@2"}
= {}
? steps r1
= ["running: ","a queued, attempts 2, x"]

# a failure stops the run once what is under way has ended; resume starts what has not completed
> run.start @stop
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"stop",…}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
  call.opened {"call":"r1/b","queue":"default","writes":["b"],"run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"stop","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"c1917e3a5e0ce863a74d820245fb46f4bd2c1ae2952b2db1c81cdfa1751235f0"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.claim {"call":"r1/b","queue":"default","worker":"p.2","baton":2,"delivery":1}
  call.started {"call":"r1/b","attempt":1,"worker":"p.2","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["b"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> context.set {"key":"a","value":{"json":"half"},"call":"r1/a"}
  context.set {"key":"a","value":{"json":"half"},"rev":1,"by":"a","call":"r1/a"}
= {"key":"a","value":"half","rev":1,"written_by":"a","call_id":"r1/a","time":"2026-01-01T00:00:04Z"}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/a","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  context.rolled_back {"key":"a","to":0,"rev":2,"by":"a"}
= {"call":"r1/a"}
? get a
! not_found key_not_found: there is no context key "a" in session s1; list the keys with `baton ctx list`
? why r1
= {"run":"r1","state":"running","reasons":[{"reason":"step b runs on p.2, attempt 1","step":"b","holder":"p.2","since":"2026-01-01T00:00:03Z","until":null,"unblock":"it must end, or `baton workflow cancel r1`"}]}
> run.resume {"run":"r1","by":"me"}
= {"run":"r1","session":"s1","name":"stop","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"failed","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:02Z","closed_at":"2026-01-01T00:00:05Z","seconds":3,"error":{"class":"terminal","code":"x","message":"m"}},{"id":"b","call_id":"r1/b","skill":"","status":"running","attempts":1,"worker":"p.2","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:03Z","closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"c1917e3a5e0ce863a74d820245fb46f4bd2c1ae2952b2db1c81cdfa1751235f0","already":true,"by":"","changed_after_finish":[]}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.2","value":{"json":2}}
  call.closed {"call":"r1/b","attempt":1,"status":"ok","value":{"json":2}}
  context.set {"key":"b","value":{"json":2},"rev":1,"by":"b","call":"r1/b"}
  run.failed {"run":"r1","steps":["a"],"reason":"a failed, and 1 steps were not started"}
= {"call":"r1/b"}
? why r1
= {"run":"r1","state":"failed","reasons":[{"reason":"step a failed: x: m","step":"a","holder":"","since":"2026-01-01T00:00:07Z","until":null,"unblock":"mend it, then `baton workflow resume r1`"}]}
> run.resume {"run":"r1","by":"me"}
  run.resumed {"run":"r1","by":"me"}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"stop","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:08Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"completed","attempts":1,"worker":"p.2","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:03Z","closed_at":"2026-01-01T00:00:07Z","seconds":4,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{"b":2},"trace_file":"","template_sha256":"c1917e3a5e0ce863a74d820245fb46f4bd2c1ae2952b2db1c81cdfa1751235f0","already":false,"by":"me","changed_after_finish":[]}
> run.resume {"run":"r1","by":"you"}
= {"run":"r1","session":"s1","name":"stop","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:08Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"completed","attempts":1,"worker":"p.2","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:03Z","closed_at":"2026-01-01T00:00:07Z","seconds":4,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{"b":2},"trace_file":"","template_sha256":"c1917e3a5e0ce863a74d820245fb46f4bd2c1ae2952b2db1c81cdfa1751235f0","already":true,"by":"me","changed_after_finish":[]}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":3,"delivery":1}
  call.started {"call":"r1/a","attempt":2,"worker":"p.1","baton":3,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":2,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":2,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/a","attempt":2,"status":"ok","value":{"json":1}}
  context.set {"key":"a","value":{"json":1},"rev":3,"by":"a","call":"r1/a"}
  call.opened {"call":"r1/c","queue":"default","run":"r1","step":"c","execute":{"builtin":{"name":"noop"}}}
= {"call":"r1/a"}
? steps r1
= ["running: ","a completed, attempts 2","b completed, attempts 1","c queued, attempts 0"]

# continue: what does not need the failed step goes on to its end
> run.start @go-on
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"go-on",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
  call.opened {"call":"r1/b","queue":"default","run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"go-on","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"c","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"d","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"e6bbecedaad982afd79a66008c2b3ec81cbd8162ae6248d1885734cbc3cccbbb"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/a","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
= {"call":"r1/a"}
> call.claim {"call":"r1/b","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/b","attempt":1,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.1","value":{"json":2},"next":{"queue":"default","worker":"p.1","baton":2,"delivery":1}}
  call.closed {"call":"r1/b","attempt":1,"status":"ok","value":{"json":2}}
  call.opened {"call":"r1/d","queue":"default","run":"r1","step":"d","execute":{"builtin":{"name":"noop"}}}
  call.started {"call":"r1/d","attempt":1,"worker":"p.1","baton":2,"delivery":1}
= {"call":"r1/b","next":{"envelope":{"call_id":"r1/d","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"3a9f771e168846200f46349dba5e83ef","run":"r1","step":"d","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/d","attempt":1,"worker":"p.1","value":{"json":2}}
  call.closed {"call":"r1/d","attempt":1,"status":"ok","value":{"json":2}}
  run.failed {"run":"r1","steps":["a"],"reason":"a failed, and 1 steps were not started"}
= {"call":"r1/d"}
? steps r1
= ["failed: a failed, and 1 steps were not started","a failed, attempts 1, x","b completed, attempts 1","c pending, attempts 0","d completed, attempts 1"]

# cancelling in backoff voids the timer
> run.start @retry
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"retry",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"retry","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"419bc0c64d2863a33ed6bfed4c6e30bc567655304ea6d607acc054889640c54b"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","failure":{"class":"retryable","code":"x","message":"m"}}
  call.failed {"call":"r1/a","attempt":1,"failure":{"class":"retryable","code":"x","message":"m"},"final":false}
  timer.set {"timer":"r1/a@1","kind":"backoff","at":"2026-01-01T00:00:13Z","run":"r1","call":"r1/a"}
= {"call":"r1/a"}
> run.cancel {"run":"r1","by":"me"}
  run.cancelled {"run":"r1","by":"me"}
  call.cancelled {"call":"r1/a","attempt":0,"reason":"its run was cancelled"}
  timer.voided {"timer":"r1/a@1","reason":"its call is over"}
= {"run":"r1","session":"s1","name":"retry","status":"cancelled","started_at":"2026-01-01T00:00:01Z","ended_at":"2026-01-01T00:00:04Z","steps":[{"id":"a","call_id":"r1/a","skill":"","status":"cancelled","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:02Z","closed_at":"2026-01-01T00:00:04Z","seconds":2,"error":{"class":"cancelled","code":"cancelled","message":"its run was cancelled"}}],"outputs":{},"trace_file":"","template_sha256":"419bc0c64d2863a33ed6bfed4c6e30bc567655304ea6d607acc054889640c54b"}
. 1h
> timer.fire {"timer":"r1/a@1","now":"2026-01-01T00:00:00Z"}
= {}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":2}
! conflict claim_forget: call r1/a needs no hand; acknowledge the baton
? steps r1
= ["cancelled: ","a cancelled, attempts 1, cancelled"]

# a failed run in an ended session can be neither resumed nor cancelled
> run.start @retry
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"retry",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"retry","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"419bc0c64d2863a33ed6bfed4c6e30bc567655304ea6d607acc054889640c54b"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/a","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  run.failed {"run":"r1","steps":["a"],"reason":"a failed"}
= {"call":"r1/a"}
> session.end {"summary":"s"}
  session.ended {"summary":"s"}
= {"session":"s1","status":"ended","summary":"s"}
> run.resume {"run":"r1","by":"me"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> run.cancel {"run":"r1","by":"me"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
