template parent
	inputs: {topic: {type: string, required: true}}
	order: dataflow
	steps:
	  - {id: sub, run: {workflow: {name: child, inputs: {about: "${inputs.topic}"}}}, output: sub}
	  - {id: after, run: {exec: [echo, "${ctx.sub.note}"]}, input: [sub]}

template retried
	steps:
	  - {id: sub, run: {workflow: child}, retry: {attempts: 2, backoff: 10s}}

template slow
	steps:
	  - {id: sub, run: {workflow: child}, timeout: 1m}

template asked
	steps:
	  - {id: sub, run: {workflow: child}, confirm: true}

# a child run has keys of its own, and its outputs are the step's value
> run.start @parent {"inputs":{"topic":"VOR"},"templates":{"child":{"text":"inputs: {about: {type: string}}\nsteps:\n  - {id: one, run: {exec: [find, '${inputs.about}']}, output: found}\n  - {id: two, run: {exec: [note]}, input: found, output: note}\n","folder":"/c","path":"/c/child.yaml"}}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"parent",…}
  call.opened {"call":"r1/sub","writes":["sub"],"run":"r1","step":"sub","execute":{"workflow":{"inputs":{"about":"VOR"},"name":"child","session":"inside"}}}
  call.started {"call":"r1/sub","attempt":1}
  run.started {"run":"r1/sub","name":"child",…}
  call.opened {"call":"r1/sub/one","queue":"default","writes":["r1/sub:found"],"run":"r1/sub","step":"one","execute":{"exec":["find","VOR"]}}
= {"run":"r1","session":"s1","name":"parent","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"sub","call_id":"r1/sub","skill":"","status":"waiting","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:01Z","closed_at":null,"seconds":0,"error":null},{"id":"after","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"d4aee8a87d1d33c6cf5ca58868b50fbbbe4bb77549c487b6d5c439416a7e5002"}
> call.claim {"call":"r1/sub/one","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/sub/one","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/sub/one","session":"s1","skill":"","intent":"","parent":"","inputs":{"about":"VOR"},"context_in":{},"missing_context":[],"must_write":["found"],"attempt":1,"effect_key":"f22eb75a29b052b059eba53c0d2b0034","run":"r1/sub","step":"one","queue":"default","status":"running"},"execute":{"exec":["find","VOR"]},"timeout":0,"folder":"/c","workspace":"/w","env":null}
> call.finish {"call":"r1/sub/one","attempt":1,"worker":"p.1","value":{"json":"papers"},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/sub/one","attempt":1,"status":"ok","value":{"json":"papers"}}
  context.set {"key":"r1/sub:found","value":{"json":"papers"},"rev":1,"by":"one","call":"r1/sub/one"}
  call.opened {"call":"r1/sub/two","queue":"default","reads":[{"key":"r1/sub:found","rev":1}],"writes":["r1/sub:note"],"run":"r1/sub","step":"two","execute":{"exec":["note"]}}
  call.started {"call":"r1/sub/two","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/sub/one","next":{"envelope":{"call_id":"r1/sub/two","session":"s1","skill":"","intent":"","parent":"","inputs":{"about":"VOR"},"context_in":{"found":"papers"},"missing_context":[],"must_write":["note"],"attempt":1,"effect_key":"3d5a2f91714c6454ebf19c3ba6f061ed","run":"r1/sub","step":"two","queue":"default","status":"running"},"execute":{"exec":["note"]},"timeout":0,"folder":"/c","workspace":"/w","env":null}}
? envelope r1/sub/two
= {"call_id":"r1/sub/two","session":"s1","skill":"","intent":"","parent":"","inputs":{"about":"VOR"},"context_in":{"found":"papers"},"missing_context":[],"must_write":["note"],"attempt":1,"effect_key":"3d5a2f91714c6454ebf19c3ba6f061ed","run":"r1/sub","step":"two","queue":"default","status":"running"}
? why r1
= {"run":"r1","state":"running","reasons":[{"reason":"step sub runs r1/sub: step two runs on p.1, attempt 1","step":"sub","holder":"p.1","since":"2026-01-01T00:00:03Z","until":null,"unblock":"it must end, or `baton workflow cancel r1/sub`"}]}
> call.finish {"call":"r1/sub/two","attempt":1,"worker":"p.1","value":{"json":"short"},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/sub/two","attempt":1,"status":"ok","value":{"json":"short"}}
  context.set {"key":"r1/sub:note","value":{"json":"short"},"rev":1,"by":"two","call":"r1/sub/two"}
  run.completed {"run":"r1/sub"}
  call.closed {"call":"r1/sub","attempt":1,"status":"ok","value":{"json":{"found":"papers","note":"short"}}}
  context.set {"key":"sub","value":{"json":{"found":"papers","note":"short"}},"rev":1,"by":"sub","call":"r1/sub"}
  call.opened {"call":"r1/after","queue":"default","reads":[{"key":"sub","rev":1}],"run":"r1","step":"after","execute":{"exec":["echo","short"]}}
  call.started {"call":"r1/after","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/sub/two","next":{"envelope":{"call_id":"r1/after","session":"s1","skill":"","intent":"","parent":"","inputs":{"topic":"VOR"},"context_in":{"sub":{"found":"papers","note":"short"}},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"72356b836a796dc82ad758f00dab17a7","run":"r1","step":"after","queue":"default","status":"running"},"execute":{"exec":["echo","short"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}}
? keys
= ["r1/sub:found","r1/sub:note","sub"]
? get sub
= {"key":"sub","value":{"found":"papers","note":"short"},"rev":1,"written_by":"sub","call_id":"r1/sub","time":"2026-01-01T00:00:04Z"}
> call.finish {"call":"r1/after","attempt":1,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/after","attempt":1,"status":"ok","value":{"json":1}}
  run.completed {"run":"r1"}
= {"call":"r1/after"}
? steps r1
= ["completed: ","sub completed, attempts 1","after completed, attempts 1"]
? steps r1/sub
= ["completed: ","one completed, attempts 1","two completed, attempts 1"]

# a template that is not there, or starts itself, is refused
> run.start @parent {"inputs":{"topic":"VOR"}}
! not_found template_not_found: template child is started by a step and is not there; give its text with the run
> run.start @parent {"inputs":{"topic":"VOR"},"templates":{"child":{"text":"steps:\n  - {id: a, run: {workflow: child}}\n","folder":"/c","path":"/c/child.yaml"}}}
! usage template_cycle: template child starts itself; let no template start itself, not even through another

# a child run that fails is taken up where it stopped when its step is tried again
> run.start @retried {"templates":{"child":{"text":"steps:\n  - {id: one, run: {exec: [a]}}\n  - {id: two, run: {exec: [b]}}\n","folder":"/c","path":"/c/child.yaml"}}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"retried",…}
  call.opened {"call":"r1/sub","run":"r1","step":"sub","execute":{"workflow":{"name":"child","session":"inside"}}}
  call.started {"call":"r1/sub","attempt":1}
  run.started {"run":"r1/sub","name":"child",…}
  call.opened {"call":"r1/sub/one","queue":"default","run":"r1/sub","step":"one","execute":{"exec":["a"]}}
= {"run":"r1","session":"s1","name":"retried","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"sub","call_id":"r1/sub","skill":"","status":"waiting","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:01Z","closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"3436c8a50d8a9c3afecc39d75b8ae9b10402a47d9834d63478a57e2eec8e4dad"}
> call.claim {"call":"r1/sub/one","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/sub/one","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/sub/one","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"f22eb75a29b052b059eba53c0d2b0034","run":"r1/sub","step":"one","queue":"default","status":"running"},"execute":{"exec":["a"]},"timeout":0,"folder":"/c","workspace":"/w","env":null}
> call.finish {"call":"r1/sub/one","attempt":1,"worker":"p.1","value":{"json":1},"next":{"queue":"default","worker":"p.1","baton":1,"delivery":1}}
  call.closed {"call":"r1/sub/one","attempt":1,"status":"ok","value":{"json":1}}
  call.opened {"call":"r1/sub/two","queue":"default","run":"r1/sub","step":"two","execute":{"exec":["b"]}}
  call.started {"call":"r1/sub/two","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"call":"r1/sub/one","next":{"envelope":{"call_id":"r1/sub/two","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"3d5a2f91714c6454ebf19c3ba6f061ed","run":"r1/sub","step":"two","queue":"default","status":"running"},"execute":{"exec":["b"]},"timeout":0,"folder":"/c","workspace":"/w","env":null}}
> call.finish {"call":"r1/sub/two","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/sub/two","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  run.failed {"run":"r1/sub","steps":["two"],"reason":"two failed"}
  call.failed {"call":"r1/sub","attempt":1,"failure":{"class":"retryable","code":"child_failed","message":"its run failed: two failed"},"final":false}
  timer.set {"timer":"r1/sub@1","kind":"backoff","at":"2026-01-01T00:00:14Z","run":"r1","call":"r1/sub"}
= {"call":"r1/sub/two"}
. 10s
> timer.fire {"timer":"r1/sub@1","now":"2026-01-01T00:00:00Z"}
  timer.fired {"timer":"r1/sub@1"}
  call.started {"call":"r1/sub","attempt":2}
  run.resumed {"run":"r1/sub","by":"engine"}
  call.opened {"call":"r1/sub/two","queue":"default","run":"r1/sub","step":"two","execute":{"exec":["b"]}}
= {}
> call.claim {"call":"r1/sub/two","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/sub/two","attempt":2,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/sub/two","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":2,"effect_key":"3d5a2f91714c6454ebf19c3ba6f061ed","run":"r1/sub","step":"two","queue":"default","status":"running"},"execute":{"exec":["b"]},"timeout":0,"folder":"/c","workspace":"/w","env":null}
> call.finish {"call":"r1/sub/two","attempt":2,"worker":"p.1","value":{"json":1}}
  call.closed {"call":"r1/sub/two","attempt":2,"status":"ok","value":{"json":1}}
  run.completed {"run":"r1/sub"}
  call.closed {"call":"r1/sub","attempt":2,"status":"ok","value":{"json":{}}}
  run.completed {"run":"r1"}
= {"call":"r1/sub/two"}
? steps r1
= ["completed: ","sub completed, attempts 2"]

# a child run that takes too long is cancelled with all it does
> run.start @slow {"templates":{"child":{"text":"steps:\n  - {id: one, run: {exec: [a]}}\n","folder":"/c","path":"/c/child.yaml"}}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"slow",…}
  call.opened {"call":"r1/sub","run":"r1","step":"sub","execute":{"workflow":{"name":"child","session":"inside"}},"timeout":60}
  call.started {"call":"r1/sub","attempt":1}
  run.started {"run":"r1/sub","name":"child",…}
  timer.set {"timer":"r1/sub@deadline1","kind":"deadline","at":"2026-01-01T00:01:01Z","run":"r1","call":"r1/sub"}
  call.opened {"call":"r1/sub/one","queue":"default","run":"r1/sub","step":"one","execute":{"exec":["a"]}}
= {"run":"r1","session":"s1","name":"slow","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"sub","call_id":"r1/sub","skill":"","status":"waiting","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:01Z","closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"b5de338902dcab9ae8dc1aa27ed2f3c07b488893a7a9db1b9fe61d2759630594"}
> call.claim {"call":"r1/sub/one","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/sub/one","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/sub/one","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"f22eb75a29b052b059eba53c0d2b0034","run":"r1/sub","step":"one","queue":"default","status":"running"},"execute":{"exec":["a"]},"timeout":0,"folder":"/c","workspace":"/w","env":null}
. 1m
> timer.fire {"timer":"r1/sub@deadline","now":"2026-01-01T00:00:00Z"}
= {}
? steps r1
= ["running: ","sub waiting, attempts 1"]

# cancelling a run cancels the runs that it started
> run.start @slow {"templates":{"child":{"text":"steps:\n  - {id: one, run: {exec: [a]}}\n","folder":"/c","path":"/c/child.yaml"}}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"slow",…}
  call.opened {"call":"r1/sub","run":"r1","step":"sub","execute":{"workflow":{"name":"child","session":"inside"}},"timeout":60}
  call.started {"call":"r1/sub","attempt":1}
  run.started {"run":"r1/sub","name":"child",…}
  timer.set {"timer":"r1/sub@deadline1","kind":"deadline","at":"2026-01-01T00:01:01Z","run":"r1","call":"r1/sub"}
  call.opened {"call":"r1/sub/one","queue":"default","run":"r1/sub","step":"one","execute":{"exec":["a"]}}
= {"run":"r1","session":"s1","name":"slow","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"sub","call_id":"r1/sub","skill":"","status":"waiting","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:01Z","closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"b5de338902dcab9ae8dc1aa27ed2f3c07b488893a7a9db1b9fe61d2759630594"}
> call.claim {"call":"r1/sub/one","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/sub/one","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/sub/one","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"f22eb75a29b052b059eba53c0d2b0034","run":"r1/sub","step":"one","queue":"default","status":"running"},"execute":{"exec":["a"]},"timeout":0,"folder":"/c","workspace":"/w","env":null}
> run.cancel {"run":"r1","by":"me"}
  run.cancelled {"run":"r1","by":"me"}
  call.cancelled {"call":"r1/sub","attempt":1,"reason":"its run was cancelled"}
  timer.voided {"timer":"r1/sub@deadline1","reason":"its call is over"}
  run.cancelled {"run":"r1/sub","reason":"the step that it ran for is over"}
  call.cancelled {"call":"r1/sub/one","attempt":1,"reason":"its run was cancelled"}
= {"run":"r1","session":"s1","name":"slow","status":"cancelled","started_at":"2026-01-01T00:00:01Z","ended_at":"2026-01-01T00:00:03Z","steps":[{"id":"sub","call_id":"r1/sub","skill":"","status":"cancelled","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:01Z","closed_at":"2026-01-01T00:00:03Z","seconds":2,"error":{"class":"cancelled","code":"cancelled","message":"its run was cancelled"}}],"outputs":{},"trace_file":"","template_sha256":"b5de338902dcab9ae8dc1aa27ed2f3c07b488893a7a9db1b9fe61d2759630594"}
? steps r1/sub
= ["cancelled: the step that it ran for is over","one cancelled, attempts 1, cancelled"]

# a child run that a person must agree to starts when they do
> run.start @asked {"templates":{"child":{"text":"steps:\n  - {id: one, run: {exec: [a]}}\n","folder":"/c","path":"/c/child.yaml"}}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"asked",…}
  call.opened {"call":"r1/sub","run":"r1","step":"sub","execute":{"workflow":{"name":"child","session":"inside"}}}
  approval.asked {"approval":"r1/sub#1","run":"r1","step":"sub","call":"r1/sub","question":"run step sub?","params":{"execute":{"workflow":{"name":"child","session":"inside"}}},"action":"dd221e0ead8b9ce40e516bd17958491857b5d3a42add447bb7aecc97fe030aa3"}
= {"run":"r1","session":"s1","name":"asked","status":"waiting","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"sub","call_id":"r1/sub","skill":"","status":"waiting","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"8ac20650b2ff0c003d5b20d266bddb3cb644c0812dedfedde0649ff8d167f790"}
? why r1
= {"run":"r1","state":"waiting","reasons":[{"reason":"step sub waits for an approval: run step sub?","step":"sub","holder":"","since":"2026-01-01T00:00:01Z","until":null,"unblock":"`baton workflow approve r1 sub --yes --by NAME`, or --no"}]}
> run.approve {"run":"r1","step":"sub","yes":true,"by":"ada"}
  approval.answered {"approval":"r1/sub#1","yes":true,"by":"ada"}
  call.started {"call":"r1/sub","attempt":1}
  run.started {"run":"r1/sub","name":"child",…}
  call.opened {"call":"r1/sub/one","queue":"default","run":"r1/sub","step":"one","execute":{"exec":["a"]}}
= {"approval":"r1/sub#1","session":"s1","run":"r1","step":"sub","call_id":"r1/sub","question":"run step sub?","params":{"execute":{"workflow":{"name":"child","session":"inside"}}},"action":"dd221e0ead8b9ce40e516bd17958491857b5d3a42add447bb7aecc97fe030aa3","asked_at":"2026-01-01T00:00:01Z","expires":null,"decided":true,"yes":true,"by":"ada","note":"","answered_at":"2026-01-01T00:00:02Z"}
