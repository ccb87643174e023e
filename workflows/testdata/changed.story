template first
	steps:
	  - {id: a, run: {builtin: noop}, output: a}
	  - {id: b, run: {builtin: noop}, output: b}

# a template that changed stops a resume with the difference; pin goes on with the recorded one
> run.start @first
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"first",…}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"first","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"6fd14c0295a13ebf2d61c716789e53e3f82e3685a3d394a30963fea761392a79"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":1},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":1}}
  context.set {"key":"a","value":{"json":1},"rev":1,"by":"a","call":"r1/a"}
  call.opened {"call":"r1/b","queue":"default","writes":["b"],"run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
  call.started {"call":"r1/b","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/a","next":{"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["b"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/b","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  run.failed {"run":"r1","steps":["b"],"reason":"b failed"}
= {"call":"r1/b"}
> run.resume {"run":"r1","by":"me","text":"steps:\n  - {id: a, run: {builtin: echo}, output: a}\n  - {id: b, run: {builtin: noop}, output: b}\n  - {id: c, run: {builtin: noop}}\n"}
! conflict template_changed: the template of run r1 is not the one it was started with: steps added: c, steps changed: a; finished among them: a; recorded sha256 6fd14c0295a13ebf2d61c716789e53e3f82e3685a3d394a30963fea761392a79, now b64dd4d076538ef9ca08ca227642f3251c2991f3c6a84cd0454e30a89b40e16b; --pin goes on with the recorded text, --accept takes the new one (and --redo STEP runs a finished step again)
> run.resume {"run":"r1","by":"me","text":"steps: [","policy":"accept"}
! usage template_invalid: template first has 1 faults, the first: 1:8: yaml: did not find expected node content (check indentation, quotes and brackets); see `baton workflow validate`
> run.resume {"run":"r1","by":"me","text":"steps:\n  - {id: a, run: {builtin: echo}, output: a}\n  - {id: b, run: {builtin: noop}, output: b}\n  - {id: c, run: {builtin: noop}}\n","policy":"pin"}
  run.resumed {"run":"r1","by":"me","policy":"pin"}
  call.opened {"call":"r1/b","queue":"default","writes":["b"],"run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"first","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"completed","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:02Z","closed_at":"2026-01-01T00:00:03Z","seconds":1,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"queued","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:07Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{"a":1},"trace_file":"","template_sha256":"6fd14c0295a13ebf2d61c716789e53e3f82e3685a3d394a30963fea761392a79","already":false,"by":"me","changed_after_finish":[]}
? steps r1
= ["running: ","a completed, attempts 1","b queued, attempts 1"]

# accept takes the new template, keeps what is finished and says which of it is stale
> run.start @first
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"first",…}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"first","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"6fd14c0295a13ebf2d61c716789e53e3f82e3685a3d394a30963fea761392a79"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":1},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":1}}
  context.set {"key":"a","value":{"json":1},"rev":1,"by":"a","call":"r1/a"}
  call.opened {"call":"r1/b","queue":"default","writes":["b"],"run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
  call.started {"call":"r1/b","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/a","next":{"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["b"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/b","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  run.failed {"run":"r1","steps":["b"],"reason":"b failed"}
= {"call":"r1/b"}
> run.resume {"run":"r1","by":"me","text":"steps:\n  - {id: a, run: {builtin: echo}, output: a}\n  - {id: c, run: {builtin: noop}}\n","policy":"accept"}
  run.resumed {"run":"r1","by":"me","policy":"accept","text":"steps:\n  - {id: a, run: {builtin: echo}, output: a}\n  - {id: c, run: {builtin: noop}}\n","sha256":"6107bbea789de6f30c93df7926d1a77bb960999eb57f0f9e790e122a41253454","stale":["a"]}
  call.opened {"call":"r1/c","queue":"default","run":"r1","step":"c","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"first","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"completed","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:02Z","closed_at":"2026-01-01T00:00:03Z","seconds":1,"error":null},{"id":"c","call_id":"r1/c","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:05Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{"a":1},"trace_file":"","template_sha256":"6107bbea789de6f30c93df7926d1a77bb960999eb57f0f9e790e122a41253454","already":false,"by":"me","changed_after_finish":["a"]}
> call.claim {"call":"r1/c","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/c","attempt":1,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/c","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"d30f7737a6d9627feee7d2db3b564136","run":"r1","step":"c","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/c","attempt":1,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/c","attempt":1,"status":"ok","value":{"json":1}}
  run.completed {"run":"r1"}
= {"call":"r1/c"}
? steps r1
= ["completed: ","a completed, attempts 1","c completed, attempts 1"]

# redo runs a finished step again, and only that one
> run.start @first
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"first",…}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"first","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"6fd14c0295a13ebf2d61c716789e53e3f82e3685a3d394a30963fea761392a79"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":1},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":1}}
  context.set {"key":"a","value":{"json":1},"rev":1,"by":"a","call":"r1/a"}
  call.opened {"call":"r1/b","queue":"default","writes":["b"],"run":"r1","step":"b","execute":{"builtin":{"name":"noop"}}}
  call.started {"call":"r1/b","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/a","next":{"envelope":{"call_id":"r1/b","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["b"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
> call.finish {"call":"r1/b","attempt":1,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/b","attempt":1,"status":"ok","value":{"json":1}}
  context.set {"key":"b","value":{"json":1},"rev":1,"by":"b","call":"r1/b"}
  run.completed {"run":"r1"}
= {"call":"r1/b"}
> run.resume {"run":"r1","by":"me"}
! conflict run_over: run r1 is completed; name steps to run again with --redo
> run.resume {"run":"r1","by":"me","redo":["zz"]}
! not_found step_not_found: there is no step "zz" in run r1; see `baton workflow show`
> run.resume {"run":"r1","by":"me","redo":["a"]}
  run.resumed {"run":"r1","by":"me","redo":["a"]}
  call.opened {"call":"r1/a","queue":"default","writes":["a"],"run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"first","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:07Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"r1/b","skill":"","status":"completed","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:03Z","started_at":"2026-01-01T00:00:03Z","closed_at":"2026-01-01T00:00:04Z","seconds":1,"error":null}],"outputs":{"b":1},"trace_file":"","template_sha256":"6fd14c0295a13ebf2d61c716789e53e3f82e3685a3d394a30963fea761392a79","already":false,"by":"me","changed_after_finish":[]}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/a","attempt":2,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":2,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":2,"worker":"p.1","value":{"json":2}}
  call.closed {"call":"r1/a","attempt":2,"status":"ok","value":{"json":2}}
  context.set {"key":"a","value":{"json":2},"rev":2,"by":"a","call":"r1/a"}
  run.completed {"run":"r1"}
= {"call":"r1/a"}
? steps r1
= ["completed: ","a completed, attempts 2","b completed, attempts 1"]
? history a
= [{"key":"a","value":1,"rev":1,"written_by":"a","call_id":"r1/a","time":"2026-01-01T00:00:03Z"},{"key":"a","value":2,"rev":2,"written_by":"a","call_id":"r1/a","time":"2026-01-01T00:00:09Z","is_current":true}]
