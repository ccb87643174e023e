# call open gives the envelope; the next call is its child
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> context.set {"key":"research.raw","value":{"json":"facts"},"by":"me"}
  context.set {"key":"research.raw","value":{"json":"facts"},"rev":1,"by":"me"}
= {"key":"research.raw","value":"facts","rev":1,"written_by":"me","call_id":"","time":"2026-01-01T00:00:02Z"}
> call.open {"skill":"writer","intent":"write","inputs":{"n":{"json":5}},"reads":["research.raw","research"],"writes":["draft","title"]}
  call.opened {"call":"c001","skill":"writer","intent":"write","inputs":{"n":{"json":5}},"reads":[{"key":"research.raw","rev":1},{"key":"research","rev":0}],"writes":["draft","title"]}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"writer","intent":"write","parent":"","inputs":{"n":5},"context_in":{"research.raw":"facts"},"missing_context":["research"],"must_write":["draft","title"],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> call.open {"skill":"drawer","intent":"draw"}
  call.opened {"call":"c002","skill":"drawer","intent":"draw","parent":"c001"}
  call.started {"call":"c002","attempt":1}
= {"call_id":"c002","session":"s1","skill":"drawer","intent":"draw","parent":"c001","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"bf29f8f436151a6462e3f5e58998a2e9","status":"open"}
> call.open {"skill":"other","intent":"at the root","parent":"none"}
  call.opened {"call":"c003","skill":"other","intent":"at the root"}
  call.started {"call":"c003","attempt":1}
= {"call_id":"c003","session":"s1","skill":"other","intent":"at the root","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"127b6311c7cf90679fb7dcd300e13fbd","status":"open"}
> call.open {"skill":"other","intent":"under the first","parent":"c001"}
  call.opened {"call":"c004","skill":"other","intent":"under the first","parent":"c001"}
  call.started {"call":"c004","attempt":1}
= {"call_id":"c004","session":"s1","skill":"other","intent":"under the first","parent":"c001","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"85a3d5b2e88066bf210ca94e116db544","status":"open"}
? overview
= {"session":"s1","goal":"g","mode":"auto","status":"active","current_skill":"other","switches":0,"calls_total":4,"open_calls":[{"call_id":"c001","skill":"writer","status":"open","intent":"write"},{"call_id":"c002","skill":"drawer","status":"open","intent":"draw"},{"call_id":"c003","skill":"other","status":"open","intent":"at the root"},{"call_id":"c004","skill":"other","status":"open","intent":"under the first"}],"context_keys":["research.raw"],"workspace":"/w","started_at":"2026-01-01T00:00:01Z","updated_at":"2026-01-01T00:00:06Z"}

# what cannot be opened
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"","intent":"i"}
! usage skill_missing: a call needs a skill; name the skill with --skill
> call.open {"skill":"s","intent":""}
! usage intent_missing: a call needs an intent; say what it is for with --intent
> call.open {"skill":"s","intent":"i","parent":"c009"}
! not_found call_not_found: there is no call "c009" in session s1; list them with `baton call list`
> call.open {"skill":"s","intent":"i","reads":["a key"]}
! usage bad_key: "a key" cannot be a context key; use a name like research.raw: no spaces, no control characters, at most 256 bytes
> call.open {"skill":"s","intent":"i","writes":["\u0007"]}
! usage bad_key: "\a" cannot be a context key; use a name like research.raw: no spaces, no control characters, at most 256 bytes
> call.open {"skill":"s","intent":"a\u0000"}
! usage bad_text: the intent is not readable text; give it as UTF-8 without NUL
> call.open {"skill":"s\u0000","intent":"a"}
! usage bad_text: the skill is not readable text; give it as UTF-8 without NUL
> call.open {"skill":"s","intent":"i","queue":"No Such Name"}
! usage bad_queue: "No Such Name" cannot be a queue; use lower-case letters, digits, hyphen and underscore, at most 64
> call.open {"skill":"s","intent":"i","no_such_field":1}
! usage bad_command: command call.open cannot be read: decode: json: unknown field "no_such_field"; use the same version of Baton on both sides

# close acts on the innermost open call, writes its outputs and reports what was promised and never came
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"a","intent":"i","writes":["x","y"]}
  call.opened {"call":"c001","skill":"a","intent":"i","writes":["x","y"]}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["x","y"],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> call.open {"skill":"b","intent":"i"}
  call.opened {"call":"c002","skill":"b","intent":"i","parent":"c001"}
  call.started {"call":"c002","attempt":1}
= {"call_id":"c002","session":"s1","skill":"b","intent":"i","parent":"c001","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"bf29f8f436151a6462e3f5e58998a2e9","status":"open"}
> call.close {"status":"ok","outputs":{"z":{"json":1}},"note":"n","artifacts":["a.md"],"usage":{"usd":0.1}}
  call.closed {"call":"c002","attempt":1,"status":"ok","outputs":{"z":{"json":1}},"artifacts":["a.md"],"note":"n","usage":{"usd":0.1}}
  context.set {"key":"z","value":{"json":1},"rev":1,"by":"b","call":"c002"}
= {"call_id":"c002","status":"ok","stack":["c001"],"current_skill":"a","missing_writes":[]}
> context.set {"key":"y","value":{"json":2}}
  context.set {"key":"y","value":{"json":2},"rev":1,"by":"a","call":"c001"}
= {"key":"y","value":2,"rev":1,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:05Z"}
> call.close {"status":"partial","outputs":{}}
  call.closed {"call":"c001","attempt":1,"status":"partial","missing":["x"]}
= {"call_id":"c001","status":"partial","stack":[],"current_skill":"a","missing_writes":["x"]}
> call.close {"status":"ok"}
! not_found no_open_call: session s1 has no open call; name the call with --id; see `baton call list`
? row c001
= {"call_id":"c001","skill":"a","intent":"i","parent":"","status":"partial","attempt":1,"inputs":{},"reads":[],"writes":["x","y"],"opened_at":"2026-01-01T00:00:02Z","started_at":"2026-01-01T00:00:02Z","closed_at":"2026-01-01T00:00:06Z","outputs":{},"artifacts":[],"note":"","effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9"}
? row c002
= {"call_id":"c002","skill":"b","intent":"i","parent":"c001","status":"ok","attempt":1,"inputs":{},"reads":[],"writes":[],"opened_at":"2026-01-01T00:00:03Z","started_at":"2026-01-01T00:00:03Z","closed_at":"2026-01-01T00:00:04Z","outputs":{"z":1},"artifacts":["a.md"],"note":"n","usage":{"usd":0.1},"effect_key":"bf29f8f436151a6462e3f5e58998a2e9"}

# a failed call writes nothing
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"a","intent":"i","writes":["x"]}
  call.opened {"call":"c001","skill":"a","intent":"i","writes":["x"]}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["x"],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> call.close {"status":"failed","outputs":{"x":{"json":1}}}
  call.closed {"call":"c001","attempt":1,"status":"failed","outputs":{"x":{"json":1}}}
= {"call_id":"c001","status":"failed","stack":[],"current_skill":"a","missing_writes":[]}
? get x
! not_found key_not_found: there is no context key "x" in session s1; list the keys with `baton ctx list`

# a closed call stays closed
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"a","intent":"i"}
  call.opened {"call":"c001","skill":"a","intent":"i"}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> call.close {"call":"c001","status":"ok"}
  call.closed {"call":"c001","attempt":1,"status":"ok"}
= {"call_id":"c001","status":"ok","stack":[],"current_skill":"a","missing_writes":[]}
> call.close {"call":"c001","status":"failed"}
! conflict call_closed: call c001 is closed (ok) and stays so; open a new call
> call.resume {"call":"c001"}
! conflict call_closed: call c001 is closed (ok) and stays so; open a new call
> call.suspend {"call":"c001"}
! conflict call_closed: call c001 is closed (ok) and stays so; open a new call
> context.set {"key":"k","value":{"json":1},"call":"c001"}
! conflict call_closed: call c001 is closed and writes nothing more; write without a call, or open a new one

# what cannot be closed
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.close {"status":"ok"}
! not_found no_open_call: session s1 has no open call; name the call with --id; see `baton call list`
> call.close {"call":"c001","status":"ok"}
! not_found call_not_found: there is no call "c001" in session s1; list them with `baton call list`
> call.open {"skill":"a","intent":"i"}
  call.opened {"call":"c001","skill":"a","intent":"i"}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> call.close {"call":"c001","status":"done"}
! usage bad_status: a call cannot be closed as "done"; use ok, partial, failed or skipped
> call.close {"call":"c001","status":"ok","outputs":{"a b":{"json":1}}}
! usage bad_key: "a b" cannot be a context key; use a name like research.raw: no spaces, no control characters, at most 256 bytes
> call.close {"call":"c001","status":"ok","note":"\u0000"}
! usage bad_text: the note is not readable text; give it as UTF-8 without NUL
> call.close {"call":"c001","attempt":2,"status":"ok"}
! conflict stale: attempt 2 of call c001 is over, attempt 1 is current; drop the result: the current attempt counts

# suspend and resume move calls in the stack; resume brings one to the top
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"a","intent":"i"}
  call.opened {"call":"c001","skill":"a","intent":"i"}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> call.open {"skill":"b","intent":"i"}
  call.opened {"call":"c002","skill":"b","intent":"i","parent":"c001"}
  call.started {"call":"c002","attempt":1}
= {"call_id":"c002","session":"s1","skill":"b","intent":"i","parent":"c001","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"bf29f8f436151a6462e3f5e58998a2e9","status":"open"}
> call.suspend {"call":"c001","reason":"wait"}
  call.suspended {"call":"c001","reason":"wait"}
= {"suspended":"c001","skill":"a","stack":["c001","c002"]}
> call.suspend {"call":"c001"}
! conflict call_suspended: call c001 is suspended already; resume it with `baton call resume c001`
> call.suspend {"call":"c001","reason":"\u0000"}
! conflict call_suspended: call c001 is suspended already; resume it with `baton call resume c001`
> call.resume {"call":"c002"}
! conflict call_not_suspended: call c002 is open, not suspended; nothing needs to be done
> call.resume {"call":"c001"}
  call.resumed {"call":"c001"}
= {"resumed":"c001","skill":"a","stack":["c002","c001"],"current_skill":"a"}
> call.close {"status":"ok"}
  call.closed {"call":"c001","attempt":1,"status":"ok"}
= {"call_id":"c001","status":"ok","stack":["c002"],"current_skill":"b","missing_writes":[]}
? overview
= {"session":"s1","goal":"g","mode":"auto","status":"active","current_skill":"b","switches":0,"calls_total":2,"open_calls":[{"call_id":"c002","skill":"b","status":"open","intent":"i"}],"context_keys":[],"workspace":"/w","started_at":"2026-01-01T00:00:01Z","updated_at":"2026-01-01T00:00:09Z"}

# ids may be cut short as long as they stay clear
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"a","intent":"i"}
  call.opened {"call":"c001","skill":"a","intent":"i"}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> call.open {"skill":"b","intent":"i"}
  call.opened {"call":"c002","skill":"b","intent":"i","parent":"c001"}
  call.started {"call":"c002","attempt":1}
= {"call_id":"c002","session":"s1","skill":"b","intent":"i","parent":"c001","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"bf29f8f436151a6462e3f5e58998a2e9","status":"open"}
? envelope c001
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
? envelope c00
! usage call_ambiguous: "c00" could be any of c001, c002; give more of the id
? envelope @last
= {"call_id":"c002","session":"s1","skill":"b","intent":"i","parent":"c001","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"bf29f8f436151a6462e3f5e58998a2e9","status":"open"}
? envelope c0019
! not_found call_not_found: there is no call "c0019" in session s1; list them with `baton call list`
? envelope
! not_found call_not_found: there is no call "." in session s1; list them with `baton call list`

# the envelope shows the context as it was when the call opened
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> context.set {"key":"k","value":{"json":"then"}}
  context.set {"key":"k","value":{"json":"then"},"rev":1}
= {"key":"k","value":"then","rev":1,"written_by":"","call_id":"","time":"2026-01-01T00:00:02Z"}
> call.open {"skill":"a","intent":"i","reads":["k","late"]}
  call.opened {"call":"c001","skill":"a","intent":"i","reads":[{"key":"k","rev":1},{"key":"late","rev":0}]}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{"k":"then"},"missing_context":["late"],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> context.set {"key":"k","value":{"json":"now"}}
  context.set {"key":"k","value":{"json":"now"},"rev":2,"by":"a","call":"c001"}
= {"key":"k","value":"now","rev":2,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:04Z"}
> context.set {"key":"late","value":{"json":"now"}}
  context.set {"key":"late","value":{"json":"now"},"rev":1,"by":"a","call":"c001"}
= {"key":"late","value":"now","rev":1,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:05Z"}
> context.delete {"key":"k"}
  context.deleted {"key":"k","rev":3,"by":"a","call":"c001"}
= {"key":"k","value":null,"rev":3,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:06Z","deleted":true}
? envelope c001
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{"k":"then"},"missing_context":["late"],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}

# work on a queue is claimed, and closed with the attempt that was claimed
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"runner","intent":"i","queue":"q","writes":["v"]}
  call.opened {"call":"c001","skill":"runner","intent":"i","queue":"q","writes":["v"],"execute":{"exec":["./run"]}}
= {"call_id":"c001","session":"s1","skill":"runner","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["v"],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","queue":"q","status":"queued"}
> call.close {"call":"c001","status":"ok"}
! conflict call_not_started: call c001 waits on queue q, nobody has started it; claim it first with `baton call claim`
> call.suspend {"call":"c001"}
! conflict call_not_by_hand: call c001 is a worker's and cannot be suspended by hand; cancel its run with `baton workflow cancel`
> call.claim {"call":"c001","queue":"q","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"c001","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"c001","session":"s1","skill":"runner","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["v"],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","queue":"q","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/w","workspace":"/w","env":null}
> call.claim {"call":"c001","queue":"q","worker":"p.2","baton":2,"delivery":1}
! conflict claim_forget: call c001 needs no hand; acknowledge the baton
> call.claim {"call":"c001","queue":"q","worker":"p.2","baton":1,"delivery":2}
! conflict claim_held: call c001 is held by p.1; look again after the lease
? standing c001 1 p.1
= "go on"
? standing c001 2 p.1
= "stale"
? standing c001 1 p.2
= "stale"
> call.close {"call":"c001","status":"ok"}
! usage attempt_missing: call c001 is claimed work: its attempt must be named; give --attempt, as the claim's envelope said it
> call.close {"call":"c001","attempt":2,"status":"ok"}
! conflict stale: attempt 2 of call c001 is over, attempt 1 is current; drop the result: the current attempt counts
> call.release {"call":"c001","attempt":1,"worker":"p.1","reason":"stopping"}
  call.lost {"call":"c001","attempt":1,"worker":"p.1","reason":"stopping","final":false}
= {}
? standing c001 1 p.1
= "stale"
> call.claim {"call":"c001","queue":"q","worker":"p.2","baton":3,"delivery":1}
  call.started {"call":"c001","attempt":2,"worker":"p.2","baton":3,"delivery":1}
= {"envelope":{"call_id":"c001","session":"s1","skill":"runner","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["v"],"attempt":2,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","queue":"q","status":"running"},"execute":{"exec":["./run"]},"timeout":0,"folder":"/w","workspace":"/w","env":null}
> call.finish {"call":"c001","attempt":1,"worker":"p.1","value":{"json":1}}
! conflict stale: attempt 1 of call c001 is over, attempt 2 is current; drop the result: the current attempt counts
> call.finish {"call":"c009","attempt":1,"worker":"p.1","value":{"json":1}}
! not_found call_not_found: there is no call "c009" in session s1; drop the result
> call.finish {"call":"c001","attempt":2,"worker":"p.2","value":{"json":2}}
  call.closed {"call":"c001","attempt":2,"status":"ok","value":{"json":2}}
  context.set {"key":"v","value":{"json":2},"rev":1,"by":"runner","call":"c001"}
= {"call":"c001"}
> call.finish {"call":"c001","attempt":2,"worker":"p.2","value":{"json":2}}
! conflict stale: attempt 2 of call c001 is over, the call has ended (ok); drop the result: the recorded one counts
> call.claim {"call":"c001","queue":"q","worker":"p.3","baton":4,"delivery":1}
! conflict claim_forget: call c001 needs no hand; acknowledge the baton
? row c001
= {"call_id":"c001","skill":"runner","intent":"i","parent":"","status":"ok","attempt":2,"queue":"q","worker":"p.2","inputs":{},"reads":[],"writes":["v"],"opened_at":"2026-01-01T00:00:02Z","started_at":"2026-01-01T00:00:11Z","closed_at":"2026-01-01T00:00:14Z","outputs":{},"value":2,"artifacts":[],"note":"","effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9"}
