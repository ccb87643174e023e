template chain
	name: chain
	steps:
	  - {id: a, run: {builtin: noop}, output: x}
	  - {id: b, run: {builtin: noop}, input: [x], output: y}

template gate
	order: dataflow
	inputs: {n: {type: integer, required: true}}
	steps:
	  - {id: a, run: {builtin: noop}, when: "inputs.n > 1", output: x}
	  - {id: b, run: {builtin: noop}, needs: [a]}

template pair
	order: dataflow
	limits: {parallel: 1}
	steps:
	  - {id: a, run: {builtin: noop}}
	  - {id: b, run: {builtin: noop}}

# a chain: each end opens the next step in the same commit, and the last one ends the run
> run.start @chain
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"chain",…}
  call.opened {"call":"r1/a","queue":"default","writes":["x"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"chain","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"e2e0df99b2f2e4be07612386a87fe426cbc646bae9f0370eba509fee5a78bcf0"}
? why r1
= {"run":"r1","state":"running","reasons":[{"reason":"step a waits on queue default for a worker with a free slot","step":"a","holder":"","since":"2026-01-01T00:00:01Z","until":null,"unblock":"`baton worker --queues default` adds one","queue":"default"}]}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["x"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":1},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":1}}
  context.set {"key":"x","value":{"json":1},"rev":1,"by":"a","call":"r1/a"}
  call.opened {"call":"r1/b","queue":"default","reads":[{"key":"x","rev":1}],"writes":["y"],"run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
  call.started {"call":"r1/b","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/a","next":{"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{"x":1},"missing_context":[],"must_write":["y"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
? why r1
= {"run":"r1","state":"running","reasons":[{"reason":"step b runs on p.1, attempt 1","step":"b","holder":"p.1","since":"2026-01-01T00:00:03Z","until":null,"unblock":"it must end, or `baton workflow cancel r1`"}]}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.1","value":{"json":2},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/b","attempt":1,"status":"ok","value":{"json":2}}
  context.set {"key":"y","value":{"json":2},"rev":1,"by":"b","call":"r1/b"}
  run.completed {"run":"r1"}
= {"call":"r1/b"}
? steps r1
= ["completed: ","a completed, attempts 1","b completed, attempts 1"]
? why r1
= {"run":"r1","state":"completed","reasons":[]}
? keys
= ["x","y"]

# a run that is over takes nothing more
> run.start @chain
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"chain",…}
  call.opened {"call":"r1/a","queue":"default","writes":["x"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"chain","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"e2e0df99b2f2e4be07612386a87fe426cbc646bae9f0370eba509fee5a78bcf0"}
> run.cancel {"run":"r1","by":"me","reason":"enough"}
  run.cancelled {"run":"r1","by":"me","reason":"enough"}
  call.cancelled {"call":"r1/a","attempt":0,"reason":"its run was cancelled"}
= {"run":"r1","session":"s1","name":"chain","status":"cancelled","reason":"enough","started_at":"2026-01-01T00:00:01Z","ended_at":"2026-01-01T00:00:02Z","steps":[{"id":"a","call_id":"r1/a","skill":"","status":"cancelled","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":"2026-01-01T00:00:02Z","seconds":0,"error":{"class":"cancelled","code":"cancelled","message":"its run was cancelled"}},{"id":"b","call_id":"","skill":"","status":"cancelled","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"e2e0df99b2f2e4be07612386a87fe426cbc646bae9f0370eba509fee5a78bcf0"}
> run.cancel {"run":"r1","by":"you"}
= {"run":"r1","session":"s1","name":"chain","status":"cancelled","reason":"enough","started_at":"2026-01-01T00:00:01Z","ended_at":"2026-01-01T00:00:02Z","steps":[{"id":"a","call_id":"r1/a","skill":"","status":"cancelled","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":"2026-01-01T00:00:02Z","seconds":0,"error":{"class":"cancelled","code":"cancelled","message":"its run was cancelled"}},{"id":"b","call_id":"","skill":"","status":"cancelled","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"e2e0df99b2f2e4be07612386a87fe426cbc646bae9f0370eba509fee5a78bcf0"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
! conflict claim_forget: call r1/a needs no hand; acknowledge the baton
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":1}}
! conflict stale: attempt 1 of call r1/a is over, the call has ended (cancelled); drop the result: the recorded one counts
> call.close {"call":"r1/a","attempt":1,"status":"ok"}
! conflict call_closed: call r1/a is closed (cancelled) and stays so; open a new call
> run.resume {"run":"r1","by":"me"}
! conflict run_cancelled: run r1 was cancelled; start a new one with `baton workflow run`
> timer.fire {"timer":"r1/a@1","now":"2030-01-01T00:00:00Z"}
= {}
? steps r1
= ["cancelled: enough","a cancelled, attempts 0, cancelled","b cancelled, attempts 0"]

# nothing invalid ever starts
> run.start {"run":"r1","name":"n","text":"steps: [{id: a, run: {builtin: noop}, needs: [zz]}]","goal":"g","mode":"auto","workspace":"/w","folder":"/f"}
! usage template_invalid: template n has 1 faults, the first: 1:47: unknown_step: steps[0].needs[0]: there is no step "zz" (known are a); see `baton workflow validate`
> run.start @gate
! usage bad_input: input of the template: n is required (integer); see the inputs that `baton workflow validate` lists
> run.start @gate {"inputs":{"n":"three"}}
! usage bad_input: input of the template: n must be an integer, it is "\"three\""; see the inputs that `baton workflow validate` lists
> run.start @gate {"inputs":{"n":2,"m":1}}
! usage bad_input: input of the template: "m" is unknown; did you mean "n"?; see the inputs that `baton workflow validate` lists
> run.start @chain {"goal":""}
! usage goal_missing: a session needs a goal; say what the session is for: --goal "…"
> run.start @chain
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"chain",…}
  call.opened {"call":"r1/a","queue":"default","writes":["x"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"chain","status":"running","started_at":"2026-01-01T00:00:06Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:06Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"e2e0df99b2f2e4be07612386a87fe426cbc646bae9f0370eba509fee5a78bcf0"}
> run.start @chain
! conflict run_exists: run r1 exists already; give another --request-id
? why r9
! not_found run_not_found: there is no run "r9"; list them with `baton workflow list`

# a false condition skips the step, and what needs it goes on
> run.start @gate {"inputs":{"n":1}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"gate",…}
  step.skipped {"run":"r1","step":"a","reason":"its condition is false: inputs.n > 1"}
  call.opened {"call":"r1/b","queue":"default","run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"gate","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"","skill":"","status":"skipped","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null,"note":"its condition is false: inputs.n > 1"},{"id":"b","call_id":"r1/b","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"f33d0991dea8cf6d2647ccbeae55929285d89d1a3d77e160c35e20a7d10cba2d"}
? steps r1
= ["running: ","a skipped, attempts 0","b queued, attempts 0"]

# a true one does not
> run.start @gate {"inputs":{"n":2}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"gate",…}
  call.opened {"call":"r1/a","queue":"default","writes":["x"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"gate","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"f33d0991dea8cf6d2647ccbeae55929285d89d1a3d77e160c35e20a7d10cba2d"}
? steps r1
= ["running: ","a queued, attempts 0","b pending, attempts 0"]

# never more than limits.parallel at once
> run.start @pair
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"pair",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"pair","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"2eb6bd98b7e01520f3018b472495afef6a3c607205ffc94fc26c8aa5abd1120f"}
? why r1
= {"run":"r1","state":"running","reasons":[{"reason":"step a waits on queue default for a worker with a free slot","step":"a","holder":"","since":"2026-01-01T00:00:01Z","until":null,"unblock":"`baton worker --queues default` adds one","queue":"default"},{"reason":"step b is queued at position 1 behind limits.parallel, which is 1","step":"b","holder":"","since":"2026-01-01T00:00:01Z","until":null,"unblock":"a running step must end"}]}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":null}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":null}}
  call.opened {"call":"r1/b","queue":"default","run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
= {"call":"r1/a"}
