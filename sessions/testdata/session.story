# a session begins once
> session.begin {"goal":"write a report","mode":"auto","workspace":"/w"}
  session.started {"goal":"write a report","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"write a report","workspace":"/w"}
> session.begin {"goal":"another","mode":"auto","workspace":"/w"}
! conflict session_exists: session s1 exists already; use it with `baton session use s1`
? overview
= {"session":"s1","goal":"write a report","mode":"auto","status":"active","current_skill":"","switches":0,"calls_total":0,"open_calls":[],"context_keys":[],"workspace":"/w","started_at":"2026-01-01T00:00:01Z","updated_at":"2026-01-01T00:00:01Z"}

# a session needs a goal, a mode there is, and readable text
> session.begin {"goal":"","mode":"auto","workspace":"/w"}
! usage goal_missing: a session needs a goal; say what the session is for: --goal "…"
> session.begin {"goal":"g","mode":"maybe","workspace":"/w"}
! usage bad_mode: there is no mode "maybe"; use auto, always or manual
> session.begin {"goal":"a\u0000b","mode":"auto","workspace":"/w"}
! usage bad_text: the goal is not readable text; give it as UTF-8 without NUL
> session.begin {"goal":"control \u001b[2J\r\n characters stand as they are","mode":"always","workspace":"/w"}
  session.started {"goal":"control \u001b[2J\r\n characters stand as they are","mode":"always","workspace":"/w"}
= {"session":"s1","mode":"always","goal":"control \u001b[2J\r\n characters stand as they are","workspace":"/w"}

# nothing works in a session that is not there
> call.open {"skill":"s","intent":"i"}
! not_found session_not_found: there is no session s1; list them with `baton session list`, or begin one with `baton session new --goal …`
> call.close {"status":"ok"}
! not_found session_not_found: there is no session s1; list them with `baton session list`, or begin one with `baton session new --goal …`
> context.set {"key":"k","value":{"json":1}}
! not_found session_not_found: there is no session s1; list them with `baton session list`, or begin one with `baton session new --goal …`
> switch.make {"to":"s","kind":"handoff","reason":"r"}
! not_found session_not_found: there is no session s1; list them with `baton session list`, or begin one with `baton session new --goal …`
> route.ask {"task":"t","mode":"","threshold":1,"margin":1,"top":5}
! not_found session_not_found: there is no session s1; list them with `baton session list`, or begin one with `baton session new --goal …`
> session.end {"summary":"s"}
! not_found session_not_found: there is no session s1; list them with `baton session list`, or begin one with `baton session new --goal …`
? overview
! not_found session_not_found: there is no session s1; list them with `baton session list`, or begin one with `baton session new --goal …`

# an ended session takes nothing more
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"s","intent":"i"}
  call.opened {"call":"c001","skill":"s","intent":"i"}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"s","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> context.set {"key":"k","value":{"json":1}}
  context.set {"key":"k","value":{"json":1},"rev":1,"by":"s","call":"c001"}
= {"key":"k","value":1,"rev":1,"written_by":"s","call_id":"c001","time":"2026-01-01T00:00:03Z"}
> session.end {"summary":"done\u0000"}
! usage bad_text: the summary is not readable text; give it as UTF-8 without NUL
> session.end {"summary":"done"}
  session.ended {"summary":"done"}
= {"session":"s1","status":"ended","summary":"done"}
> session.end {"summary":"done"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> call.open {"skill":"s","intent":"i"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> call.close {"call":"c001","status":"ok"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> call.suspend {"call":"c001"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> call.resume {"call":"c001"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> context.set {"key":"k","value":{"json":2}}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> context.delete {"key":"k"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> context.rollback {"key":"k","to":1}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> switch.make {"to":"s","kind":"handoff","reason":"r"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> route.ask {"task":"t","mode":"","threshold":1,"margin":1,"top":5}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
> run.start {"run":"r1","name":"n","text":"steps: [{run: {builtin: noop}}]","workspace":"/w","folder":"/f"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
? get k
= {"key":"k","value":1,"rev":1,"written_by":"s","call_id":"c001","time":"2026-01-01T00:00:03Z"}

# a session with work of a worker does not end
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"runner","intent":"i","queue":"default"}
  call.opened {"call":"c001","skill":"runner","intent":"i","queue":"default","execute":{"exec":["./run"]}}
= {"call_id":"c001","session":"s1","skill":"runner","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","queue":"default","status":"queued"}
> session.end {"summary":"s"}
! conflict session_busy: session s1 still has work: call c001 is queued; wait for the run, or cancel it with `baton workflow cancel`

# what a newer Baton wrote is not decided on
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
+ approval.asked {"x":1}
> context.set {"key":"k","value":{"json":1}}
! damaged newer_version: session s1 holds events this Baton does not know: approval.asked v1; use the Baton that wrote it, or a newer one
> call.open {"skill":"s","intent":"i"}
! damaged newer_version: session s1 holds events this Baton does not know: approval.asked v1; use the Baton that wrote it, or a newer one
> session.end {"summary":"s"}
! damaged newer_version: session s1 holds events this Baton does not know: approval.asked v1; use the Baton that wrote it, or a newer one

# a newer Baton's first event is no empty session
+ session.started {"x":1}
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
! damaged newer_version: session s1 holds events this Baton does not know: session.started v1; use the Baton that wrote it, or a newer one
