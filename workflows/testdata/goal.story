template work
	steps:
	  - {id: a, run: {builtin: noop}}

# one goal a session; a newer one takes its place; cleared twice is cleared
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
? goal
= {"session":"s1","goal":"","status":"none","evaluator":null,"evaluations":[],"continuations":0,"run":"","next":"stop"}
> goal.set {"condition":"  "}
! usage goal_empty: the goal is blank; say what is to be the case in the end
> goal.set {"condition":"a contradiction is explained","by":"ada","evaluator":{"exec":["./judge"]}}
  goal.set {"condition":"a contradiction is explained","by":"ada","evaluator":{"exec":["./judge"]}}
= {"session":"s1","goal":"a contradiction is explained","status":"active","evaluator":{"exec":["./judge"]},"evaluations":[],"continuations":0,"run":"","next":"run"}
? goal
= {"session":"s1","goal":"a contradiction is explained","status":"active","evaluator":{"exec":["./judge"]},"evaluations":[],"continuations":0,"run":"","next":"run"}
> goal.set {"condition":"two are explained"}
  goal.set {"condition":"two are explained"}
= {"session":"s1","goal":"two are explained","status":"active","evaluator":null,"evaluations":[],"continuations":0,"run":"","next":"run"}
? goal
= {"session":"s1","goal":"two are explained","status":"active","evaluator":null,"evaluations":[],"continuations":0,"run":"","next":"run"}
> goal.clear {"by":"ada"}
  goal.cleared {"by":"ada"}
= {"session":"s1","goal":"","status":"none","evaluator":null,"evaluations":[],"continuations":0,"run":"","next":"stop"}
> goal.clear {}
= {"session":"s1","goal":"","status":"none","evaluator":null,"evaluations":[],"continuations":0,"run":"","next":"stop"}
? goal
= {"session":"s1","goal":"","status":"none","evaluator":null,"evaluations":[],"continuations":0,"run":"","next":"stop"}
> goal.evaluate {"outcome":"satisfied","evidence":"e"}
! not_found goal_not_found: session s1 has no goal; set one with `baton session goal TEXT`

# nothing is judged or changed while a run is in flight, and nothing before there was one
> session.begin {"goal":"g","mode":"auto","workspace":"/w"}
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
= {"session":"s1","mode":"auto","goal":"g","workspace":"/w"}
> goal.set {"condition":"c"}
  goal.set {"condition":"c"}
= {"session":"s1","goal":"c","status":"active","evaluator":null,"evaluations":[],"continuations":0,"run":"","next":"run"}
> goal.evaluate {"outcome":"satisfied","evidence":"e"}
! conflict goal_no_run: nothing has run in session s1 yet; start one, or `baton session goal pursue`
> run.start @work
  run.started {"run":"r1","name":"work",…}
  call.opened {"call":"r1/a","queue":"default","run":"r1","step":"a","execute":{"builtin":{"name":"noop"}}}
= {"run":"r1","session":"s1","name":"work","status":"running","started_at":"2026-01-01T00:00:04Z","ended_at":null,"steps":[{"id":"a","call_id":"r1/a","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:04Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"833733bfcd7145a7442dcbbcb4087110e6bdd5c784def17dc6e49f894e694c84"}
? goal
= {"session":"s1","goal":"c","status":"active","evaluator":null,"evaluations":[],"continuations":0,"run":"r1","next":"wait"}
> goal.set {"condition":"d"}
! conflict goal_run_in_flight: run r1 is in flight; wait for it, or `baton workflow cancel r1`
> goal.evaluate {"outcome":"satisfied","evidence":"e"}
! conflict goal_run_in_flight: run r1 is in flight; wait for it, or `baton workflow cancel r1`
> goal.clear {}
! conflict goal_run_in_flight: run r1 is in flight; wait for it, or `baton workflow cancel r1`
> call.claim {"call":"r1/a","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/a","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/a","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"c8e0e7d32bae04a0bd513b4312067b63","run":"r1","step":"a","queue":"default","status":"running"},"execute":{"builtin":{"name":"noop"}},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/a","attempt":1,"worker":"p.1","value":{"json":null}}
  call.closed {"call":"r1/a","attempt":1,"status":"ok","value":{"json":null}}
  run.completed {"run":"r1"}
= {"call":"r1/a"}
? goal
= {"session":"s1","goal":"c","status":"active","evaluator":null,"evaluations":[],"continuations":0,"run":"r1","next":"evaluate"}
> goal.evaluate {"outcome":"done","evidence":"e"}
! usage bad_outcome: "done" is no outcome of an evaluation; use satisfied, goal_not_met_yet, missing_evidence, needs_user_input, run_failed, external_wait
> goal.evaluate {"outcome":"satisfied","evidence":"e","by":"ada"}
  goal.evaluated {"run":"r1","outcome":"satisfied","evidence":"e","by":"ada","continue":false,"reason":"satisfied"}
= {"session":"s1","goal":"c","status":"satisfied","evaluator":null,"evaluations":[{"run":"r1","outcome":"satisfied","evidence":"e","by":"ada","continue":false,"reason":"satisfied"}],"continuations":0,"run":"r1","next":"stop"}
> goal.evaluate {"outcome":"satisfied","evidence":"e"}
! conflict goal_evaluated: run r1 was evaluated already: satisfied; nothing needs to be done
? goal
= {"session":"s1","goal":"c","status":"satisfied","evaluator":null,"evaluations":[{"run":"r1","outcome":"satisfied","evidence":"e","by":"ada","continue":false,"reason":"satisfied"}],"continuations":0,"run":"r1","next":"stop"}
