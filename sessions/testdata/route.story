# a decision is numbered, kept with its session's mode, and blocks are kept too
> session.begin {"goal":"g","mode":"manual","workspace":"/w"}
  session.started {"goal":"g","mode":"manual","workspace":"/w"}
= {"session":"s1","mode":"manual","goal":"g","workspace":"/w"}
> route.ask {"task":"use the writer","mode":"","threshold":1.2,"margin":1.3,"top":5}
  route.decided {"route":"rt001","task":"use the writer","mode":"manual","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"}
= {"Decided":{"route":"rt001","task":"use the writer","mode":"manual","threshold":1.2,"margin":1.3,"top":5,"decision":"auto","reason":"it is named","chosen":"writer","index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:02Z"}
> route.ask {"task":"dance","mode":"always","threshold":1.2,"margin":1.3,"top":5}
  route.decided {"route":"rt002","task":"dance","mode":"always","threshold":1.2,"margin":1.3,"top":5,"decision":"no_match","reason":"nothing fits","index":"i1"}
= {"Decided":{"route":"rt002","task":"dance","mode":"always","threshold":1.2,"margin":1.3,"top":5,"decision":"no_match","reason":"nothing fits","index":"i1"},"Blocked":null,"Time":"2026-01-01T00:00:03Z"}
> route.ask {"task":"hack it","mode":"","threshold":1.2,"margin":1.3,"top":5}
  route.blocked {"route":"rt003","task":"hack it","reason":"forbidden","matched":"hack","mode":"manual"}
= {"Decided":null,"Blocked":{"route":"rt003","task":"hack it","reason":"forbidden","matched":"hack","mode":"manual"},"Time":"2026-01-01T00:00:04Z"}

# what cannot be asked
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> route.ask {"task":"t","mode":"never","threshold":1,"margin":1,"top":5}
! usage bad_mode: there is no mode "never"; use auto, always or manual
> route.ask {"task":"t","mode":"","threshold":1,"margin":1,"top":0}
! usage bad_top: --top 0 makes no list; use a number from 1 to 1000
> route.ask {"task":"t","mode":"","threshold":-1,"margin":1,"top":5}
! usage bad_threshold: threshold -1 and margin 1 decide nothing; use numbers from 0
> route.ask {"task":"t","mode":"","threshold":1,"margin":-1,"top":5}
! usage bad_threshold: threshold 1 and margin -1 decide nothing; use numbers from 0
> route.ask {"task":"t\u0000","mode":"","threshold":1,"margin":1,"top":5}
! usage bad_text: the task is not readable text; give it as UTF-8 without NUL
> route.none {}
! usage unknown_command: there is no command "route.none"; use the same version of Baton on both sides
