template chain
	inputs: {query: {type: string, required: true}}
	steps:
	  - {id: a, run: {atom: {skills: [gone, standalone-gone, runner]}}, intent: "${inputs.query}", inputs: {topic: t}, output: a, retry: {attempts: 2}}
	  - {id: b, run: {atom: {skills: [writer], from: [a]}}, intent: "${inputs.query}", inputs: {topic: t}, output: b}

template branches
	order: dataflow
	steps:
	  - {id: a1, run: {atom: {skills: [runner]}}, inputs: {topic: x}, output: a1, optional: true}
	  - {id: b1, run: {atom: {skills: [runner], from: [a1]}}, needs: [a1], when: "ctx['a1'] != nil", inputs: {topic: x}, output: b1, optional: true}
	  - {id: a2, run: {atom: {skills: [runner]}}, inputs: {topic: y}, output: a2, optional: true}
	  - {id: join, run: {atom: {skills: [runner], from: [[a1, b1], [a2]]}}, needs: [b1, a2], when: "ctx['a1'] != nil || ctx['a2'] != nil", inputs: {topic: z}, output: joined}

template nothing
	steps:
	  - {id: a, run: {atom: {skills: [gone], cli: "gone search"}}, output: a}
	  - {id: b, run: {atom: {skills: [runner]}}, output: b}

# the first skill that is there does the step; the next is handed its outputs, and brings an object
> run.start @chain {"inputs":{"query":"find ${x}"}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"chain",…}
  call.opened {"call":"r1/a","skill":"runner","intent":"find ${x}","queue":"default","inputs":{"topic":{"json":"t"}},"writes":["a"],"run":"r1","step":"a","execute":{"exec":["./run"]}}
= {"run":"r1","session":"s1","name":"chain","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"runner","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"7bf56eee42a9f4a2c8108f322e69ed8ede75287768f55bbb32f7ef217242d7be"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"runner","intent":"find ${x}","parent":"","inputs":{"topic":"t"},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":{"raw_papers":[1],"topic":"mine"}}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":{"raw_papers":[1],"topic":"mine"}}}
  context.set {"key":"a","value":{"json":{"raw_papers":[1],"topic":"mine"}},"rev":1,"by":"runner","call":"r1/a"}
  call.opened {"call":"r1/b","skill":"writer","intent":"find ${x}","queue":"skills","inputs":{"topic":{"json":"t"}},"reads":[{"key":"a","rev":1}],"writes":["b"],"run":"r1","step":"b"}
= {"call":"r1/a"}
? envelope r1/b
= {"call_id":"r1/b","session":"s1","skill":"writer","intent":"find ${x}","parent":"","inputs":{"raw_papers":[1],"topic":"t"},"context_in":{},"missing_context":[],"must_write":["b"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"skills","status":"queued"}
> call.claim {"call":"r1/b","queue":"skills","worker":"outside","baton":2,"delivery":1}
  call.started {"call":"r1/b","attempt":1,"worker":"outside","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/b","session":"s1","skill":"writer","intent":"find ${x}","parent":"","inputs":{"raw_papers":[1],"topic":"t"},"context_in":{},"missing_context":[],"must_write":["b"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"skills","status":"running"},"execute":null,"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.close {"call":"r1/b","attempt":1,"status":"ok"}
  call.failed {"call":"r1/b","attempt":1,"failure":{"class":"terminal","code":"E_OUTPUT_MISSING","message":"the step ended well and brought nothing; it must give its output"},"final":true}
  run.failed {"run":"r1","steps":["b"],"reason":"b failed"}
= {"call_id":"r1/b","status":"failed","stack":[],"current_skill":"","missing_writes":[]}
> call.claim {"call":"r1/b","queue":"skills","worker":"outside","baton":2,"delivery":1}
! conflict claim_forget: call r1/b needs no hand; acknowledge the baton
? steps r1
= ["failed: b failed","a completed, attempts 1","b failed, attempts 1, E_OUTPUT_MISSING"]

# what an agent outside gives one by one is the value that is handed on
> run.start @chain {"inputs":{"query":"q"}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"chain",…}
  call.opened {"call":"r1/a","skill":"runner","intent":"q","queue":"default","inputs":{"topic":{"json":"t"}},"writes":["a"],"run":"r1","step":"a","execute":{"exec":["./run"]}}
= {"run":"r1","session":"s1","name":"chain","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"runner","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"7bf56eee42a9f4a2c8108f322e69ed8ede75287768f55bbb32f7ef217242d7be"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"runner","intent":"q","parent":"","inputs":{"topic":"t"},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":{"x":1}}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":{"x":1}}}
  context.set {"key":"a","value":{"json":{"x":1}},"rev":1,"by":"runner","call":"r1/a"}
  call.opened {"call":"r1/b","skill":"writer","intent":"q","queue":"skills","inputs":{"topic":{"json":"t"}},"reads":[{"key":"a","rev":1}],"writes":["b"],"run":"r1","step":"b"}
= {"call":"r1/a"}
> call.claim {"call":"r1/b","queue":"skills","worker":"outside","baton":2,"delivery":1}
  call.started {"call":"r1/b","attempt":1,"worker":"outside","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/b","session":"s1","skill":"writer","intent":"q","parent":"","inputs":{"topic":"t","x":1},"context_in":{},"missing_context":[],"must_write":["b"],"attempt":1,"effect_key":"29c118c8ad03fc6d2df9592c67ffaac1","run":"r1","step":"b","queue":"skills","status":"running"},"execute":null,"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.close {"call":"r1/b","attempt":1,"status":"ok","outputs":{"hypotheses":{"json":["h"]}}}
  call.closed {"call":"r1/b","attempt":1,"status":"ok","outputs":{"hypotheses":{"json":["h"]}},"value":{"json":{"hypotheses":["h"]}}}
  context.set {"key":"hypotheses","value":{"json":["h"]},"rev":1,"by":"writer","call":"r1/b"}
  context.set {"key":"b","value":{"json":{"hypotheses":["h"]}},"rev":1,"by":"writer","call":"r1/b"}
  run.completed {"run":"r1"}
= {"call_id":"r1/b","status":"ok","stack":[],"current_skill":"","missing_writes":[]}
? get b
= {"key":"b","value":{"hypotheses":["h"]},"rev":1,"written_by":"writer","call_id":"r1/b","time":"2026-01-01T00:00:05Z"}
? steps r1
= ["completed: ","a completed, attempts 1","b completed, attempts 1"]

# a program that ends well and brings nothing has not done its step
> run.start @chain {"inputs":{"query":"q"}}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"chain",…}
  call.opened {"call":"r1/a","skill":"runner","intent":"q","queue":"default","inputs":{"topic":{"json":"t"}},"writes":["a"],"run":"r1","step":"a","execute":{"exec":["./run"]}}
= {"run":"r1","session":"s1","name":"chain","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"runner","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"7bf56eee42a9f4a2c8108f322e69ed8ede75287768f55bbb32f7ef217242d7be"}
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"runner","intent":"q","parent":"","inputs":{"topic":"t"},"context_in":{},"missing_context":[],"must_write":["a"],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":null}}
  call.failed {"call":"r1/a","attempt":1,"failure":{"class":"terminal","code":"E_OUTPUT_MISSING","message":"the step ended well and brought nothing; it must give its output"},"final":true}
  run.failed {"run":"r1","steps":["a"],"reason":"a failed, and 1 steps were not started"}
= {"call":"r1/a"}
? steps r1
= ["failed: a failed, and 1 steps were not started","a failed, attempts 1, E_OUTPUT_MISSING","b pending, attempts 0"]

# a branch fails for itself; the others are joined, and a resume takes up the branch alone
> run.start @branches
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"branches",…}
  call.opened {"call":"r1/a1","skill":"runner","queue":"default","inputs":{"topic":{"json":"x"}},"writes":["a1"],"run":"r1","step":"a1","execute":{"exec":["./run"]}}
  call.opened {"call":"r1/a2","skill":"runner","queue":"default","inputs":{"topic":{"json":"y"}},"writes":["a2"],"run":"r1","step":"a2","execute":{"exec":["./run"]}}
= {"run":"r1","session":"s1","name":"branches","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a1","call_id":"r1/a1","skill":"runner","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b1","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"a2","call_id":"r1/a2","skill":"runner","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"join","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"2c2b63933df9bc16bd694b67688946311ff09635fb344bf721fe01e277f7d0cf"}
> call.claim {"call":"r1/a1","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a1","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a1","session":"s1","skill":"runner","intent":"","parent":"","inputs":{"topic":"x"},"context_in":{},"missing_context":[],"must_write":["a1"],"attempt":1,"effect_key":"142a04deb49d0551830a2ad5e5438eb5","run":"r1","step":"a1","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a1","attempt":1,"worker":"p.1","failure":{"class":"terminal","code":"x","message":"m"}}
  call.failed {"call":"r1/a1","attempt":1,"failure":{"class":"terminal","code":"x","message":"m"},"final":true}
  step.skipped {"run":"r1","step":"b1","reason":"its condition is false: ctx['a1'] != nil"}
= {"call":"r1/a1"}
> call.claim {"call":"r1/a2","queue":"default","worker":"p.2","baton":2,"delivery":1}
  call.started {"call":"r1/a2","attempt":1,"worker":"p.2","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/a2","session":"s1","skill":"runner","intent":"","parent":"","inputs":{"topic":"y"},"context_in":{},"missing_context":[],"must_write":["a2"],"attempt":1,"effect_key":"e860bceae225a75cbb57f70541cfded1","run":"r1","step":"a2","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a2","attempt":1,"worker":"p.2","value":{"json":{"list":[2]}}}
  call.closed {"call":"r1/a2","attempt":1,"status":"ok","value":{"json":{"list":[2]}}}
  context.set {"key":"a2","value":{"json":{"list":[2]}},"rev":1,"by":"runner","call":"r1/a2"}
  call.opened {"call":"r1/join","skill":"runner","queue":"default","inputs":{"topic":{"json":"z"}},"reads":[{"key":"a1","rev":0},{"key":"a2","rev":1},{"key":"b1","rev":0}],"writes":["joined"],"run":"r1","step":"join","execute":{"exec":["./run"]}}
= {"call":"r1/a2"}
? envelope r1/join
= {"call_id":"r1/join","session":"s1","skill":"runner","intent":"","parent":"","inputs":{"children":[{"list":[2]}],"list":[2],"topic":"z"},"context_in":{},"missing_context":[],"must_write":["joined"],"attempt":1,"effect_key":"8900712ab96506b2329d880ac7d168a5","run":"r1","step":"join","queue":"default","status":"queued"}
> call.claim {"call":"r1/join","queue":"default","worker":"p.1","baton":3,"delivery":1}
  call.started {"call":"r1/join","attempt":1,"worker":"p.1","baton":3,"delivery":1}
= {"envelope":{"call_id":"r1/join","session":"s1","skill":"runner","intent":"","parent":"","inputs":{"children":[{"list":[2]}],"list":[2],"topic":"z"},"context_in":{},"missing_context":[],"must_write":["joined"],"attempt":1,"effect_key":"8900712ab96506b2329d880ac7d168a5","run":"r1","step":"join","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/join","attempt":1,"worker":"p.1","value":{"json":{}}}
  call.closed {"call":"r1/join","attempt":1,"status":"ok","value":{"json":{}}}
  context.set {"key":"joined","value":{"json":{}},"rev":1,"by":"runner","call":"r1/join"}
  run.failed {"run":"r1","steps":["a1"],"reason":"a1 failed"}
= {"call":"r1/join"}
? steps r1
= ["failed: a1 failed","a1 failed, attempts 1, x","b1 skipped, attempts 0","a2 completed, attempts 1","join completed, attempts 1"]
> run.resume {"run":"r1"}
  run.resumed {"run":"r1"}
  call.opened {"call":"r1/a1","skill":"runner","queue":"default","inputs":{"topic":{"json":"x"}},"writes":["a1"],"run":"r1","step":"a1","execute":{"exec":["./run"]}}
= {"run":"r1","session":"s1","name":"branches","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a1","call_id":"r1/a1","skill":"runner","status":"queued","attempts":1,"worker":"","opened_at":"2026-01-01T00:00:08Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b1","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"a2","call_id":"r1/a2","skill":"runner","status":"completed","attempts":1,"worker":"p.2","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:04Z","closed_at":"2026-01-01T00:00:05Z","seconds":1,"error":null},{"id":"join","call_id":"r1/join","skill":"runner","status":"completed","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:05Z","started_at":"2026-01-01T00:00:06Z","closed_at":"2026-01-01T00:00:07Z","seconds":1,"error":null}],"outputs":{"a2":{"list":[2]},"joined":{}},"trace_file":"","template_sha256":"2c2b63933df9bc16bd694b67688946311ff09635fb344bf721fe01e277f7d0cf","already":false,"by":"","changed_after_finish":[]}
? steps r1
= ["running: ","a1 queued, attempts 1","b1 pending, attempts 0","a2 completed, attempts 1","join completed, attempts 1"]

# of two branches the lists are handed on one behind the other
> run.start @branches
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"branches",…}
  call.opened {"call":"r1/a1","skill":"runner","queue":"default","inputs":{"topic":{"json":"x"}},"writes":["a1"],"run":"r1","step":"a1","execute":{"exec":["./run"]}}
  call.opened {"call":"r1/a2","skill":"runner","queue":"default","inputs":{"topic":{"json":"y"}},"writes":["a2"],"run":"r1","step":"a2","execute":{"exec":["./run"]}}
= {"run":"r1","session":"s1","name":"branches","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"a1","call_id":"r1/a1","skill":"runner","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"b1","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"a2","call_id":"r1/a2","skill":"runner","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"join","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"2c2b63933df9bc16bd694b67688946311ff09635fb344bf721fe01e277f7d0cf"}
> call.claim {"call":"r1/a1","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a1","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a1","session":"s1","skill":"runner","intent":"","parent":"","inputs":{"topic":"x"},"context_in":{},"missing_context":[],"must_write":["a1"],"attempt":1,"effect_key":"142a04deb49d0551830a2ad5e5438eb5","run":"r1","step":"a1","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a1","attempt":1,"worker":"p.1","value":{"json":{"list":[1],"n":1}}}
  call.closed {"call":"r1/a1","attempt":1,"status":"ok","value":{"json":{"list":[1],"n":1}}}
  context.set {"key":"a1","value":{"json":{"list":[1],"n":1}},"rev":1,"by":"runner","call":"r1/a1"}
  call.opened {"call":"r1/b1","skill":"runner","queue":"default","inputs":{"topic":{"json":"x"}},"reads":[{"key":"a1","rev":1}],"writes":["b1"],"run":"r1","step":"b1","execute":{"exec":["./run"]}}
= {"call":"r1/a1"}
> call.claim {"call":"r1/b1","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/b1","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/b1","session":"s1","skill":"runner","intent":"","parent":"","inputs":{"list":[1],"n":1,"topic":"x"},"context_in":{},"missing_context":[],"must_write":["b1"],"attempt":1,"effect_key":"cc9ad1db6ede94be9076cef1de5b740b","run":"r1","step":"b1","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/b1","attempt":1,"worker":"p.1","value":{"json":{"more":true,"n":2}}}
  call.closed {"call":"r1/b1","attempt":1,"status":"ok","value":{"json":{"more":true,"n":2}}}
  context.set {"key":"b1","value":{"json":{"more":true,"n":2}},"rev":1,"by":"runner","call":"r1/b1"}
= {"call":"r1/b1"}
> call.claim {"call":"r1/a2","queue":"default","worker":"p.2","baton":2,"delivery":1}
  call.started {"call":"r1/a2","attempt":1,"worker":"p.2","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/a2","session":"s1","skill":"runner","intent":"","parent":"","inputs":{"topic":"y"},"context_in":{},"missing_context":[],"must_write":["a2"],"attempt":1,"effect_key":"e860bceae225a75cbb57f70541cfded1","run":"r1","step":"a2","queue":"default","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a2","attempt":1,"worker":"p.2","value":{"json":{"list":[2]}}}
  call.closed {"call":"r1/a2","attempt":1,"status":"ok","value":{"json":{"list":[2]}}}
  context.set {"key":"a2","value":{"json":{"list":[2]}},"rev":1,"by":"runner","call":"r1/a2"}
  call.opened {"call":"r1/join","skill":"runner","queue":"default","inputs":{"topic":{"json":"z"}},"reads":[{"key":"a1","rev":1},{"key":"a2","rev":1},{"key":"b1","rev":1}],"writes":["joined"],"run":"r1","step":"join","execute":{"exec":["./run"]}}
= {"call":"r1/a2"}
? envelope r1/join
= {"call_id":"r1/join","session":"s1","skill":"runner","intent":"","parent":"","inputs":{"children":[{"list":[1],"more":true,"n":2},{"list":[2]}],"list":[1,2],"more":true,"n":2,"topic":"z"},"context_in":{},"missing_context":[],"must_write":["joined"],"attempt":1,"effect_key":"8900712ab96506b2329d880ac7d168a5","run":"r1","step":"join","queue":"default","status":"queued"}

# nobody can do it: the step says what was looked for, and nothing after it starts
> run.start @nothing
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"nothing",…}
  step.failed {"run":"r1","step":"a","failure":{"class":"terminal","code":"needs_configuration","message":"nothing here does this step; looked for: gone, cli:gone; install one of the skills, or put the program on PATH, then `baton workflow resume r1`"}}
  run.failed {"run":"r1","steps":["a"],"reason":"a failed, and 1 steps were not started"}
= {"run":"r1","session":"s1","name":"nothing","status":"failed","reason":"a failed, and 1 steps were not started","started_at":"2026-01-01T00:00:01Z","ended_at":"2026-01-01T00:00:01Z","steps":[{"id":"a","call_id":"","skill":"","status":"failed","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":{"class":"terminal","code":"needs_configuration","message":"nothing here does this step; looked for: gone, cli:gone; install one of the skills, or put the program on PATH, then `baton workflow resume r1`"}},{"id":"b","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"9b8cbe529e4c59bd3bafb0b6c6c97f01d4549a965b69fa2380c7938f2c117564"}
? steps r1
= ["failed: a failed, and 1 steps were not started","a failed, attempts 0, needs_configuration","b pending, attempts 0"]
? why r1
= {"run":"r1","state":"failed","reasons":[{"reason":"step a failed: needs_configuration: nothing here does this step; looked for: gone, cli:gone; install one of the skills, or put the program on PATH, then `baton workflow resume r1`","step":"a","holder":"","since":"2026-01-01T00:00:01Z","until":null,"unblock":"mend it, then `baton workflow resume r1`"}]}
