# every write is a revision, a deletion too, and a rollback is a new one
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> context.set {"key":"k","value":{"json":"one"},"by":"me"}
  context.set {"key":"k","value":{"json":"one"},"rev":1,"by":"me"}
= {"key":"k","value":"one","rev":1,"written_by":"me","call_id":"","time":"2026-01-01T00:00:02Z"}
> context.set {"key":"k","value":{"json":{"two":2}}}
  context.set {"key":"k","value":{"json":{"two":2}},"rev":2}
= {"key":"k","value":{"two":2},"rev":2,"written_by":"","call_id":"","time":"2026-01-01T00:00:03Z"}
> context.delete {"key":"k"}
  context.deleted {"key":"k","rev":3}
= {"key":"k","value":null,"rev":3,"written_by":"","call_id":"","time":"2026-01-01T00:00:04Z","deleted":true}
? get k
! not_found key_not_found: there is no context key "k" in session s1; list the keys with `baton ctx list`
> context.delete {"key":"k"}
! not_found key_not_found: there is no context key "k" in session s1; list the keys with `baton ctx list`
> context.rollback {"key":"k","to":1}
  context.rolled_back {"key":"k","to":1,"rev":4}
= {"key":"k","value":"one","rev":4,"written_by":"","call_id":"","time":"2026-01-01T00:00:06Z","rolled_back_to":1}
> context.rollback {"key":"k","to":3}
! not_found revision_not_found: key k has no value at revision 3, it has 4 revisions; see `baton ctx history k`
> context.rollback {"key":"k","to":0}
! not_found revision_not_found: key k has no value at revision 0, it has 4 revisions; see `baton ctx history k`
> context.rollback {"key":"k","to":9}
! not_found revision_not_found: key k has no value at revision 9, it has 4 revisions; see `baton ctx history k`
> context.rollback {"key":"none","to":1}
! not_found key_not_found: there is no context key "none" in session s1; list the keys with `baton ctx list`
? history k
= [{"key":"k","value":"one","rev":1,"written_by":"me","call_id":"","time":"2026-01-01T00:00:02Z"},{"key":"k","value":{"two":2},"rev":2,"written_by":"","call_id":"","time":"2026-01-01T00:00:03Z"},{"key":"k","value":null,"rev":3,"written_by":"","call_id":"","time":"2026-01-01T00:00:04Z","deleted":true},{"key":"k","value":"one","rev":4,"written_by":"","call_id":"","time":"2026-01-01T00:00:06Z","rolled_back_to":1,"is_current":true}]
? history none
! not_found key_not_found: there is no context key "none" in session s1; list the keys with `baton ctx list`

# a key covers itself only, a branch ends in a dot
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> context.set {"key":"research","value":{"json":1}}
  context.set {"key":"research","value":{"json":1},"rev":1}
= {"key":"research","value":1,"rev":1,"written_by":"","call_id":"","time":"2026-01-01T00:00:02Z"}
> context.set {"key":"research.raw","value":{"json":1}}
  context.set {"key":"research.raw","value":{"json":1},"rev":1}
= {"key":"research.raw","value":1,"rev":1,"written_by":"","call_id":"","time":"2026-01-01T00:00:03Z"}
> context.set {"key":"research.raw.points","value":{"json":1}}
  context.set {"key":"research.raw.points","value":{"json":1},"rev":1}
= {"key":"research.raw.points","value":1,"rev":1,"written_by":"","call_id":"","time":"2026-01-01T00:00:04Z"}
> context.set {"key":"researcher","value":{"json":1}}
  context.set {"key":"researcher","value":{"json":1},"rev":1}
= {"key":"researcher","value":1,"rev":1,"written_by":"","call_id":"","time":"2026-01-01T00:00:05Z"}
? keys
= ["research","research.raw","research.raw.points","researcher"]
? keys research
= ["research"]
? keys research.
= ["research.raw","research.raw.points"]
? keys research.raw
= ["research.raw"]
? keys none.
= []

# keys that cannot be typed are refused
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> context.set {"key":"","value":{"json":1}}
! usage bad_key: "" cannot be a context key; use a name like research.raw: no spaces, no control characters, at most 256 bytes
> context.set {"key":"a b","value":{"json":1}}
! usage bad_key: "a b" cannot be a context key; use a name like research.raw: no spaces, no control characters, at most 256 bytes
> context.set {"key":"a\u001b[2J","value":{"json":1}}
! usage bad_key: "a\x1b[2J" cannot be a context key; use a name like research.raw: no spaces, no control characters, at most 256 bytes
> context.set {"key":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","value":{"json":1}}
! usage bad_key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" cannot be a context key; use a name like research.raw: no spaces, no control characters, at most 256 bytes
> context.set {"key":"研究.原始","value":{"json":1}}
  context.set {"key":"研究.原始","value":{"json":1},"rev":1}
= {"key":"研究.原始","value":1,"rev":1,"written_by":"","call_id":"","time":"2026-01-01T00:00:06Z"}
> context.set {"key":"k","value":{"json":1},"call":"c001"}
! not_found call_not_found: there is no call "c001" in session s1; list them with `baton call list`

# a write belongs to the innermost open call, unless it names another
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
> context.set {"key":"k","value":{"json":1}}
  context.set {"key":"k","value":{"json":1},"rev":1,"by":"b","call":"c002"}
= {"key":"k","value":1,"rev":1,"written_by":"b","call_id":"c002","time":"2026-01-01T00:00:04Z"}
> context.set {"key":"k","value":{"json":2},"call":"c001"}
  context.set {"key":"k","value":{"json":2},"rev":2,"by":"a","call":"c001"}
= {"key":"k","value":2,"rev":2,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:05Z"}
> context.set {"key":"k","value":{"json":3},"by":"me"}
  context.set {"key":"k","value":{"json":3},"rev":3,"by":"me","call":"c002"}
= {"key":"k","value":3,"rev":3,"written_by":"me","call_id":"c002","time":"2026-01-01T00:00:06Z"}
> call.suspend {"call":"c002"}
  call.suspended {"call":"c002"}
= {"suspended":"c002","skill":"b","stack":["c001","c002"]}
> context.set {"key":"k","value":{"json":4}}
  context.set {"key":"k","value":{"json":4},"rev":4,"by":"a","call":"c001"}
= {"key":"k","value":4,"rev":4,"written_by":"a","call_id":"c001","time":"2026-01-01T00:00:08Z"}
