# a hand-over carries what is there and says what is missing
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> call.open {"skill":"a","intent":"i"}
  call.opened {"call":"c001","skill":"a","intent":"i"}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> context.set {"key":"facts","value":{"json":[1,2]}}
  context.set {"key":"facts","value":{"json":[1,2]},"rev":1,"by":"a","call":"c001"}
= {"key":"facts","value":[1,2],"rev":1,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:03Z"}
> switch.make {"to":"b","kind":"handoff","reason":"needs a drawing","carry":["facts","none"],"keep_open":true}
  switch.made {"from":"a","to":"b","kind":"handoff","reason":"needs a drawing","carry":[{"key":"facts","rev":1}],"missing":["none"],"suspended":"c001"}
  call.suspended {"call":"c001","reason":"needs a drawing"}
= {"from":"a","to":"b","kind":"handoff","reason":"needs a drawing","carried":{"facts":[1,2]},"missing_carry":["none"],"suspended_call":"c001","switch_count":1}
> call.open {"skill":"b","intent":"draw"}
  call.opened {"call":"c002","skill":"b","intent":"draw","parent":"c001"}
  call.started {"call":"c002","attempt":1}
= {"call_id":"c002","session":"s1","skill":"b","intent":"draw","parent":"c001","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"bf29f8f436151a6462e3f5e58998a2e9","status":"open"}
> call.close {"status":"ok"}
  call.closed {"call":"c002","attempt":1,"status":"ok"}
= {"call_id":"c002","status":"ok","stack":["c001"],"current_skill":"a","missing_writes":[]}
> call.resume {"call":"c001"}
  call.resumed {"call":"c001"}
= {"resumed":"c001","skill":"a","stack":["c001"],"current_skill":"a"}
? overview
= {"session":"s1","goal":"g","mode":"auto","status":"active","current_skill":"a","switches":1,"calls_total":2,"open_calls":[{"call_id":"c001","skill":"a","status":"open","intent":"i"}],"context_keys":["facts"],"workspace":"/w","started_at":"2026-01-01T00:00:01Z","updated_at":"2026-01-01T00:00:07Z"}

# every kind there is, and none besides
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> switch.make {"to":"b","kind":"handoff","reason":"r"}
  switch.made {"to":"b","kind":"handoff","reason":"r"}
= {"from":"","to":"b","kind":"handoff","reason":"r","carried":{},"missing_carry":[],"suspended_call":"","switch_count":1}
> switch.make {"to":"c","kind":"fallback","reason":"r"}
  switch.made {"from":"b","to":"c","kind":"fallback","reason":"r"}
= {"from":"b","to":"c","kind":"fallback","reason":"r","carried":{},"missing_carry":[],"suspended_call":"","switch_count":2}
> switch.make {"to":"d","kind":"escalate","reason":"r"}
  switch.made {"from":"c","to":"d","kind":"escalate","reason":"r"}
= {"from":"c","to":"d","kind":"escalate","reason":"r","carried":{},"missing_carry":[],"suspended_call":"","switch_count":3}
> switch.make {"to":"e","kind":"retry","reason":"r"}
  switch.made {"from":"d","to":"e","kind":"retry","reason":"r"}
= {"from":"d","to":"e","kind":"retry","reason":"r","carried":{},"missing_carry":[],"suspended_call":"","switch_count":4}
> switch.make {"to":"f","kind":"rollback","reason":"r"}
  switch.made {"from":"e","to":"f","kind":"rollback","reason":"r"}
= {"from":"e","to":"f","kind":"rollback","reason":"r","carried":{},"missing_carry":[],"suspended_call":"","switch_count":5}
> switch.make {"to":"g","kind":"jump","reason":"r"}
! usage bad_kind: there is no kind of switch "jump"; use handoff, fallback, escalate, retry or rollback
> switch.make {"to":"","kind":"handoff","reason":"r"}
! usage skill_missing: a switch needs a skill to go to; name the skill with --to
> switch.make {"to":"g","kind":"handoff","reason":""}
! usage reason_missing: a switch needs a reason; say why with --reason
> switch.make {"to":"g","kind":"handoff","reason":"\u0000"}
! usage bad_text: the reason is not readable text; give it as UTF-8 without NUL
> switch.make {"to":"g\u0000","kind":"handoff","reason":"r"}
! usage bad_text: the skill is not readable text; give it as UTF-8 without NUL
> switch.make {"to":"g","kind":"handoff","reason":"r","carry":["no key"]}
! usage bad_key: "no key" cannot be a context key; use a name like research.raw: no spaces, no control characters, at most 256 bytes

# a rollback ends the call that is left and takes back what it wrote
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> context.set {"key":"k","value":{"json":"before"}}
  context.set {"key":"k","value":{"json":"before"},"rev":1}
= {"key":"k","value":"before","rev":1,"written_by":"","call_id":"","time":"2026-01-01T00:00:02Z"}
> call.open {"skill":"a","intent":"i"}
  call.opened {"call":"c001","skill":"a","intent":"i"}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"a","intent":"i","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> context.set {"key":"k","value":{"json":"in the call"}}
  context.set {"key":"k","value":{"json":"in the call"},"rev":2,"by":"a","call":"c001"}
= {"key":"k","value":"in the call","rev":2,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:04Z"}
> context.set {"key":"k","value":{"json":"in the call, again"}}
  context.set {"key":"k","value":{"json":"in the call, again"},"rev":3,"by":"a","call":"c001"}
= {"key":"k","value":"in the call, again","rev":3,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:05Z"}
> context.set {"key":"new","value":{"json":1}}
  context.set {"key":"new","value":{"json":1},"rev":1,"by":"a","call":"c001"}
= {"key":"new","value":1,"rev":1,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:06Z"}
> switch.make {"to":"b","kind":"rollback","reason":"it was wrong"}
  switch.made {"from":"a","to":"b","kind":"rollback","reason":"it was wrong","left":["c001"]}
  call.cancelled {"call":"c001","attempt":1,"reason":"rollback: it was wrong"}
  context.rolled_back {"key":"k","to":1,"rev":4,"by":"a"}
  context.rolled_back {"key":"new","to":0,"rev":2,"by":"a"}
= {"from":"a","to":"b","kind":"rollback","reason":"it was wrong","carried":{},"missing_carry":[],"suspended_call":"","switch_count":1,"left_calls":["c001"],"rolled_back":["k","new"]}
? get k
= {"key":"k","value":"before","rev":4,"written_by":"a","call_id":"","time":"2026-01-01T00:00:07Z","rolled_back_to":1}
? get new
! not_found key_not_found: there is no context key "new" in session s1; list the keys with `baton ctx list`
? history k
= [{"key":"k","value":"before","rev":1,"written_by":"","call_id":"","time":"2026-01-01T00:00:02Z"},{"key":"k","value":"in the call","rev":2,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:04Z"},{"key":"k","value":"in the call, again","rev":3,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:05Z"},{"key":"k","value":"before","rev":4,"written_by":"a","call_id":"","time":"2026-01-01T00:00:07Z","rolled_back_to":1,"is_current":true}]
? overview
= {"session":"s1","goal":"g","mode":"auto","status":"active","current_skill":"b","switches":1,"calls_total":1,"open_calls":[],"context_keys":["k"],"workspace":"/w","started_at":"2026-01-01T00:00:01Z","updated_at":"2026-01-01T00:00:07Z"}
