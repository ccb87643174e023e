# another skill than the chosen one is taken: the choice was overruled
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> route.ask {"task":"use the writer","mode":"","threshold":1.2,"margin":1.3,"top":5}
  route.decided {"route":"rt001","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"}
= {"Decided":{"route":"rt001","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:02Z"}
> call.open {"skill":"drawer","intent":"draw"}
  call.opened {"call":"c001","skill":"drawer","intent":"draw"}
  call.started {"call":"c001","attempt":1}
  feedback.given {"feedback":"fb001","text":{"sha256":"stowed","size":41},"chosen":"drawer","excluded":["writer"],"weight":1,"source":"overruled","route":"rt001","call":"c001"}
= {"call_id":"c001","session":"s1","skill":"drawer","intent":"draw","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> call.close {"status":"ok"}
  call.closed {"call":"c001","attempt":1,"status":"ok"}
= {"call_id":"c001","status":"ok","stack":[],"current_skill":"drawer","missing_writes":[]}

# the chosen skill is taken and ends well: a half lesson, once
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> route.ask {"task":"use the writer","mode":"","threshold":1.2,"margin":1.3,"top":5}
  route.decided {"route":"rt001","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"}
= {"Decided":{"route":"rt001","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:02Z"}
> call.open {"skill":"writer","intent":"write"}
  call.opened {"call":"c001","skill":"writer","intent":"write"}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"writer","intent":"write","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> call.open {"skill":"writer","intent":"of another route or none"}
  call.opened {"call":"c002","skill":"writer","intent":"of another route or none","parent":"c001"}
  call.started {"call":"c002","attempt":1}
= {"call_id":"c002","session":"s1","skill":"writer","intent":"of another route or none","parent":"c001","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"bf29f8f436151a6462e3f5e58998a2e9","status":"open"}
> call.close {"call":"c002","status":"ok"}
  call.closed {"call":"c002","attempt":1,"status":"ok"}
= {"call_id":"c002","status":"ok","stack":["c001"],"current_skill":"writer","missing_writes":[]}
> call.close {"call":"c001","status":"ok"}
  call.closed {"call":"c001","attempt":1,"status":"ok"}
  feedback.given {"feedback":"fb001","text":{"sha256":"stowed","size":41},"chosen":"writer","weight":0.5,"source":"closed","route":"rt001","call":"c001"}
= {"call_id":"c001","status":"ok","stack":[],"current_skill":"writer","missing_writes":[]}

# what is put before a person and taken is confirmed; what ends badly teaches nothing
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> route.ask {"task":"maybe write","mode":"","threshold":1.2,"margin":1.3,"top":5}
  route.decided {"route":"rt001","task":"maybe write","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"confirm","reason":"nothing fits","candidates":[{"name":"writer","tier":"","score":0,"path":"","description":"","why":null}],"index":"i1"}
= {"Decided":{"route":"rt001","task":"maybe write","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"confirm","reason":"nothing fits","candidates":[{"name":"writer","tier":"","score":0,"path":"","description":"","why":null}],"index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:02Z"}
> call.open {"skill":"writer","intent":"write"}
  call.opened {"call":"c001","skill":"writer","intent":"write"}
  call.started {"call":"c001","attempt":1}
  feedback.given {"feedback":"fb001","text":{"sha256":"stowed","size":38},"chosen":"writer","weight":1,"source":"confirmed","route":"rt001","call":"c001"}
= {"call_id":"c001","session":"s1","skill":"writer","intent":"write","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}
> route.ask {"task":"use the runner","mode":"","threshold":1.2,"margin":1.3,"top":5}
  route.decided {"route":"rt002","task":"use the runner","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"runner","index":"i1"}
= {"Decided":{"route":"rt002","task":"use the runner","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"runner","index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:04Z"}
> call.open {"skill":"runner","intent":"run","queue":"default"}
  call.opened {"call":"c002","skill":"runner","intent":"run","parent":"c001","queue":"default","execute":{"exec":["./run"]}}
= {"call_id":"c002","session":"s1","skill":"runner","intent":"run","parent":"c001","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"bf29f8f436151a6462e3f5e58998a2e9","queue":"default","status":"queued"}
> call.close {"call":"c001","status":"failed"}
  call.closed {"call":"c001","attempt":1,"status":"failed"}
= {"call_id":"c001","status":"failed","stack":[],"current_skill":"writer","missing_writes":[]}

# a task that is routed again without what was offered turned it down
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> route.ask {"task":"use the writer","mode":"","threshold":1.2,"margin":1.3,"top":5}
  route.decided {"route":"rt001","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"}
= {"Decided":{"route":"rt001","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:02Z"}
> route.ask {"task":"use the writer","mode":"","threshold":1.2,"margin":1.3,"top":5,"exclude":["Writer"]}
  route.decided {"route":"rt002","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"}
  feedback.given {"feedback":"fb001","text":{"sha256":"stowed","size":41},"excluded":["writer"],"weight":1,"source":"overruled","route":"rt001"}
= {"Decided":{"route":"rt002","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:03Z"}
> route.ask {"task":"use the runner","mode":"","threshold":1.2,"margin":1.3,"top":5,"exclude":["writer"]}
  route.decided {"route":"rt003","task":"use the runner","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"runner","index":"i1"}
= {"Decided":{"route":"rt003","task":"use the runner","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"runner","index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:04Z"}

# a blocked task and a task of several parts teach nothing
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> route.ask {"task":"use the writer","mode":"","threshold":1.2,"margin":1.3,"top":5}
  route.decided {"route":"rt001","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"}
= {"Decided":{"route":"rt001","task":"use the writer","mode":"auto","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:02Z"}
> route.ask {"task":"hack it","mode":"","threshold":1.2,"margin":1.3,"top":5}
  route.blocked {"route":"rt002","task":"hack it","reason":"forbidden","matched":"hack","mode":"auto"}
= {"Decided":null,"Blocked":{"route":"rt002","task":"hack it","reason":"forbidden","matched":"hack","mode":"auto"},"Time":"2026-01-01T00:00:03Z"}
> call.open {"skill":"drawer","intent":"draw"}
  call.opened {"call":"c001","skill":"drawer","intent":"draw"}
  call.started {"call":"c001","attempt":1}
= {"call_id":"c001","session":"s1","skill":"drawer","intent":"draw","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"0406cf7f1e9af589ed26ac12a72fd0b9","status":"open"}

# what a person says
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> feedback.give {"text":{"sha256":"ab","size":9},"chosen":"writer","excluded":["drawer"],"weight":0.5}
  feedback.given {"feedback":"fb001","text":{"sha256":"ab","size":9},"chosen":"writer","excluded":["drawer"],"weight":0.5,"source":"person"}
= {"feedback":"fb001","session":"s1"}
> feedback.give {"text":{"sha256":"cd","size":9},"excluded":["drawer"]}
  feedback.given {"feedback":"fb002","text":{"sha256":"cd","size":9},"excluded":["drawer"],"weight":1,"source":"person"}
= {"feedback":"fb002","session":"s1"}
> feedback.give {"text":{"json":"open"},"chosen":"writer"}
! usage text_not_stored: the text of feedback must not stand in the log; store it as a payload first
> feedback.give {"text":{"sha256":"ab","size":9}}
! usage nothing_learned: feedback needs a skill that serves the task or one that does not; name a skill with --chosen or --excluded
> feedback.give {"text":{"sha256":"ab","size":9},"chosen":"writer","weight":2}
! usage bad_weight: weight 2 says nothing; use a number above 0 and up to 1
> feedback.give {"text":{"sha256":"ab","size":9},"chosen":"writer","excluded":["Writer"]}
! usage chosen_and_excluded: skill writer cannot both serve the task and not; name it once
> session.end {}
  session.ended {}
= {"session":"s1","status":"ended","summary":""}
> feedback.give {"text":{"sha256":"ab","size":9},"chosen":"writer"}
! conflict session_ended: session s1 has ended and takes nothing more; begin a new one with `baton session new --goal …`
