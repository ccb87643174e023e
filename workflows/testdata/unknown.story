template ask
	steps:
	  - {id: pay, run: {exec: [pay]}, effects: at-most-once, output: receipt}
	  - {id: thank, run: {builtin: noop}}

template probe
	steps:
	  - {id: pay, run: {exec: [pay]}, effects: at-most-once, unknown: {probe: {exec: [paid]}}, output: receipt}

template again
	steps:
	  - {id: pay, run: {exec: [pay]}, effects: at-most-once, unknown: retry}

# an attempt that never reported is not made up for before a person says so
> run.start @ask
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"ask",…}
  call.opened {"call":"r1/pay","queue":"default","writes":["receipt"],"run":"r1","step":"pay","execute":{"exec":["pay"]}}
= {"run":"r1","session":"s1","name":"ask","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"pay","call_id":"r1/pay","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"thank","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"be31c98c1741b21704f5c1e51cfb870d32fc57048f9ba09d5b3ee94550e79bf1"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/pay","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["receipt"],"attempt":1,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.release {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops"}
  call.lost {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops","final":false}
  approval.asked {"approval":"r1/pay#1","run":"r1","step":"pay","call":"r1/pay","question":"attempt 1 of step pay never reported, so its effect may have happened; run it again?","params":{"execute":{"exec":["pay"]}},"action":"17463d7f392d1a574fb4c3546356239c9cc64fef4b7acc6c99ef9b105bd9d436","about":"unknown"}
= {}
? why r1
= {"run":"r1","state":"waiting","reasons":[{"reason":"step pay waits for an approval: attempt 1 of step pay never reported, so its effect may have happened; run it again?","step":"pay","holder":"","since":"2026-01-01T00:00:01Z","until":null,"unblock":"`baton workflow approve r1 pay --yes --by NAME`, or --no"}]}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.2","baton":2,"delivery":1}
! conflict claim_forget: call r1/pay needs no hand; acknowledge the baton
> run.approve {"run":"r1","step":"pay","yes":true,"by":"ada"}
  approval.answered {"approval":"r1/pay#1","yes":true,"by":"ada"}
= {"approval":"r1/pay#1","session":"s1","run":"r1","step":"pay","call_id":"r1/pay","question":"attempt 1 of step pay never reported, so its effect may have happened; run it again?","params":{"execute":{"exec":["pay"]}},"action":"17463d7f392d1a574fb4c3546356239c9cc64fef4b7acc6c99ef9b105bd9d436","asked_at":"2026-01-01T00:00:03Z","expires":null,"decided":true,"yes":true,"by":"ada","note":"","answered_at":"2026-01-01T00:00:05Z"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.2","baton":2,"delivery":1}
  call.started {"call":"r1/pay","attempt":2,"worker":"p.2","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["receipt"],"attempt":2,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/pay","attempt":2,"worker":"p.2","value":{"json":"paid"}}
  call.closed {"call":"r1/pay","attempt":2,"status":"ok","value":{"json":"paid"}}
  context.set {"key":"receipt","value":{"json":"paid"},"rev":1,"by":"pay","call":"r1/pay"}
  call.opened {"call":"r1/thank","queue":"default","run":"r1","step":"thank","execute":{"builtin":{"name":"noop"}}}
= {"call":"r1/pay"}

# a no leaves it unknown, and the run fails with that
> run.start @ask
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"ask",…}
  call.opened {"call":"r1/pay","queue":"default","writes":["receipt"],"run":"r1","step":"pay","execute":{"exec":["pay"]}}
= {"run":"r1","session":"s1","name":"ask","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"pay","call_id":"r1/pay","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"thank","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"be31c98c1741b21704f5c1e51cfb870d32fc57048f9ba09d5b3ee94550e79bf1"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/pay","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["receipt"],"attempt":1,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/pay","attempt":1,"worker":"p.1","failure":{"class":"timeout","code":"exec_timeout","message":"too slow"}}
  call.failed {"call":"r1/pay","attempt":1,"failure":{"class":"unknown","code":"exec_timeout","message":"too slow"},"final":false}
  approval.asked {"approval":"r1/pay#1","run":"r1","step":"pay","call":"r1/pay","question":"attempt 1 of step pay never reported, so its effect may have happened; run it again?","params":{"execute":{"exec":["pay"]}},"action":"17463d7f392d1a574fb4c3546356239c9cc64fef4b7acc6c99ef9b105bd9d436","about":"unknown"}
= {"call":"r1/pay"}
> run.approve {"run":"r1","step":"pay","yes":false,"by":"ada","note":"it was paid"}
  approval.answered {"approval":"r1/pay#1","yes":false,"by":"ada","note":"it was paid"}
  call.failed {"call":"r1/pay","attempt":0,"failure":{"class":"unknown","code":"effect_unknown","message":"approval r1/pay#1 was answered no by ada: it was paid"},"final":true}
  run.failed {"run":"r1","steps":["pay"],"reason":"pay failed, and 1 steps were not started"}
= {"approval":"r1/pay#1","session":"s1","run":"r1","step":"pay","call_id":"r1/pay","question":"attempt 1 of step pay never reported, so its effect may have happened; run it again?","params":{"execute":{"exec":["pay"]}},"action":"17463d7f392d1a574fb4c3546356239c9cc64fef4b7acc6c99ef9b105bd9d436","asked_at":"2026-01-01T00:00:03Z","expires":null,"decided":true,"yes":false,"by":"ada","note":"it was paid","answered_at":"2026-01-01T00:00:04Z"}
? steps r1
= ["failed: pay failed, and 1 steps were not started","pay failed, attempts 1, effect_unknown","thank pending, attempts 0"]

# what a program reports is a report, however bad
> run.start @ask
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"ask",…}
  call.opened {"call":"r1/pay","queue":"default","writes":["receipt"],"run":"r1","step":"pay","execute":{"exec":["pay"]}}
= {"run":"r1","session":"s1","name":"ask","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"pay","call_id":"r1/pay","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null},{"id":"thank","call_id":"","skill":"","status":"pending","attempts":0,"worker":"","opened_at":null,"started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"be31c98c1741b21704f5c1e51cfb870d32fc57048f9ba09d5b3ee94550e79bf1"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/pay","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["receipt"],"attempt":1,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/pay","attempt":1,"worker":"p.1","failure":{"class":"retryable","code":"exec_exit","message":"no money","exit":3}}
  call.failed {"call":"r1/pay","attempt":1,"failure":{"class":"retryable","code":"exec_exit","message":"no money","exit":3},"final":true}
  run.failed {"run":"r1","steps":["pay"],"reason":"pay failed, and 1 steps were not started"}
= {"call":"r1/pay"}
? steps r1
= ["failed: pay failed, and 1 steps were not started","pay failed, attempts 1, exec_exit","thank pending, attempts 0"]

# a probe that finds the effect gives the step its value
> run.start @probe
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"probe",…}
  call.opened {"call":"r1/pay","queue":"default","writes":["receipt"],"run":"r1","step":"pay","execute":{"exec":["pay"]}}
= {"run":"r1","session":"s1","name":"probe","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"pay","call_id":"r1/pay","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"c47d421b2325848f125826e2270fd20684c8fbd591beaca1bb81def3c77e54fa"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/pay","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["receipt"],"attempt":1,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/pay","attempt":1,"worker":"p.1","failure":{"class":"lost","code":"exec_lost","message":"gone"}}
  call.lost {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"gone","final":false}
  call.opened {"call":"r1/pay?probe","intent":"probe pay","parent":"r1/pay","queue":"default","run":"r1","step":"pay","execute":{"exec":["paid"]},"purpose":"probe"}
= {"call":"r1/pay"}
> call.claim {"call":"r1/pay?probe","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/pay?probe","attempt":1,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/pay?probe","session":"s1","skill":"","intent":"probe pay","parent":"r1/pay","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"a4f96353c6f03792f143b6d6a56f6427","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["paid"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/pay?probe","attempt":1,"worker":"p.1","value":{"json":"receipt 7"}}
  call.closed {"call":"r1/pay?probe","attempt":1,"status":"ok","value":{"json":"receipt 7"}}
  call.closed {"call":"r1/pay","attempt":0,"status":"ok","value":{"json":"receipt 7"}}
  context.set {"key":"receipt","value":{"json":"receipt 7"},"rev":1,"by":"pay","call":"r1/pay"}
  run.completed {"run":"r1"}
= {"call":"r1/pay?probe"}
? get receipt
= {"key":"receipt","value":"receipt 7","rev":1,"written_by":"pay","call_id":"r1/pay","time":"2026-01-01T00:00:05Z"}

# a probe that finds nothing lets the step run again
> run.start @probe
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"probe",…}
  call.opened {"call":"r1/pay","queue":"default","writes":["receipt"],"run":"r1","step":"pay","execute":{"exec":["pay"]}}
= {"run":"r1","session":"s1","name":"probe","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"pay","call_id":"r1/pay","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"c47d421b2325848f125826e2270fd20684c8fbd591beaca1bb81def3c77e54fa"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/pay","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["receipt"],"attempt":1,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.release {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops"}
  call.lost {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops","final":false}
  call.opened {"call":"r1/pay?probe","intent":"probe pay","parent":"r1/pay","queue":"default","run":"r1","step":"pay","execute":{"exec":["paid"]},"purpose":"probe"}
= {}
> call.claim {"call":"r1/pay?probe","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/pay?probe","attempt":1,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/pay?probe","session":"s1","skill":"","intent":"probe pay","parent":"r1/pay","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"a4f96353c6f03792f143b6d6a56f6427","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["paid"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/pay?probe","attempt":1,"worker":"p.1","failure":{"class":"retryable","code":"exec_exit","message":"not paid","exit":1}}
  call.failed {"call":"r1/pay?probe","attempt":1,"failure":{"class":"retryable","code":"exec_exit","message":"not paid","exit":1},"final":true}
= {"call":"r1/pay?probe"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":3,"delivery":1}
  call.started {"call":"r1/pay","attempt":2,"worker":"p.1","baton":3,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["receipt"],"attempt":2,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}

# a probe that does not know leaves it to a person
> run.start @probe
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"probe",…}
  call.opened {"call":"r1/pay","queue":"default","writes":["receipt"],"run":"r1","step":"pay","execute":{"exec":["pay"]}}
= {"run":"r1","session":"s1","name":"probe","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"pay","call_id":"r1/pay","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"c47d421b2325848f125826e2270fd20684c8fbd591beaca1bb81def3c77e54fa"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/pay","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["receipt"],"attempt":1,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.release {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops"}
  call.lost {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops","final":false}
  call.opened {"call":"r1/pay?probe","intent":"probe pay","parent":"r1/pay","queue":"default","run":"r1","step":"pay","execute":{"exec":["paid"]},"purpose":"probe"}
= {}
> call.claim {"call":"r1/pay?probe","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/pay?probe","attempt":1,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/pay?probe","session":"s1","skill":"","intent":"probe pay","parent":"r1/pay","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"a4f96353c6f03792f143b6d6a56f6427","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["paid"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.finish {"call":"r1/pay?probe","attempt":1,"worker":"p.1","failure":{"class":"retryable","code":"exec_exit","message":"bank is closed","exit":2}}
  call.failed {"call":"r1/pay?probe","attempt":1,"failure":{"class":"retryable","code":"exec_exit","message":"bank is closed","exit":2},"final":true}
  approval.asked {"approval":"r1/pay#1","run":"r1","step":"pay","call":"r1/pay","question":"attempt 1 of step pay never reported, so its effect may have happened; run it again?","params":{"execute":{"exec":["pay"]}},"action":"17463d7f392d1a574fb4c3546356239c9cc64fef4b7acc6c99ef9b105bd9d436","about":"unknown"}
= {"call":"r1/pay?probe"}
? why r1
= {"run":"r1","state":"waiting","reasons":[{"reason":"step pay waits for an approval: attempt 1 of step pay never reported, so its effect may have happened; run it again?","step":"pay","holder":"","since":"2026-01-01T00:00:01Z","until":null,"unblock":"`baton workflow approve r1 pay --yes --by NAME`, or --no"}]}

# with retry it is made up for like any other
> run.start @again
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"again",…}
  call.opened {"call":"r1/pay","queue":"default","run":"r1","step":"pay","execute":{"exec":["pay"]}}
= {"run":"r1","session":"s1","name":"again","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"pay","call_id":"r1/pay","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"a2d1052a7a3a22c1694526de7dfa49c07eeca19e0787bb0a200a6f0522e7ef29"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/pay","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":1,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.release {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops"}
  call.lost {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops","final":false}
= {}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":2,"delivery":1}
  call.started {"call":"r1/pay","attempt":2,"worker":"p.1","baton":2,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":[],"attempt":2,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}

# cancelling while a probe runs ends both
> run.start @probe
  session.started {"goal":"g","mode":"auto","workspace":"/w"}
  run.started {"run":"r1","name":"probe",…}
  call.opened {"call":"r1/pay","queue":"default","writes":["receipt"],"run":"r1","step":"pay","execute":{"exec":["pay"]}}
= {"run":"r1","session":"s1","name":"probe","status":"running","started_at":"2026-01-01T00:00:01Z","ended_at":null,"steps":[{"id":"pay","call_id":"r1/pay","skill":"","status":"queued","attempts":0,"worker":"","opened_at":"2026-01-01T00:00:01Z","started_at":null,"closed_at":null,"seconds":0,"error":null}],"outputs":{},"trace_file":"","template_sha256":"c47d421b2325848f125826e2270fd20684c8fbd591beaca1bb81def3c77e54fa"}
> call.claim {"call":"r1/pay","queue":"default","worker":"p.1","baton":1,"delivery":1}
  call.started {"call":"r1/pay","attempt":1,"worker":"p.1","baton":1,"delivery":1}
= {"envelope":{"call_id":"r1/pay","session":"s1","skill":"","intent":"","parent":"","inputs":{},"context_in":{},"missing_context":[],"must_write":["receipt"],"attempt":1,"effect_key":"d03ab541b0d26fed60f155f9b5a549fd","run":"r1","step":"pay","queue":"default","status":"running"},"execute":{"exec":["pay"]},"timeout":0,"folder":"/f","workspace":"/w","env":null}
> call.release {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops"}
  call.lost {"call":"r1/pay","attempt":1,"worker":"p.1","reason":"its worker stops","final":false}
  call.opened {"call":"r1/pay?probe","intent":"probe pay","parent":"r1/pay","queue":"default","run":"r1","step":"pay","execute":{"exec":["paid"]},"purpose":"probe"}
= {}
> run.cancel {"run":"r1","by":"me"}
  run.cancelled {"run":"r1","by":"me"}
  call.cancelled {"call":"r1/pay","attempt":0,"reason":"its run was cancelled"}
  call.cancelled {"call":"r1/pay?probe","attempt":0,"reason":"its run was cancelled"}
= {"run":"r1","session":"s1","name":"probe","status":"cancelled","started_at":"2026-01-01T00:00:01Z","ended_at":"2026-01-01T00:00:04Z","steps":[{"id":"pay","call_id":"r1/pay","skill":"","status":"cancelled","attempts":1,"worker":"p.1","opened_at":"2026-01-01T00:00:01Z","started_at":"2026-01-01T00:00:02Z","closed_at":"2026-01-01T00:00:04Z","seconds":2,"error":{"class":"cancelled","code":"cancelled","message":"its run was cancelled"}}],"outputs":{},"trace_file":"","template_sha256":"c47d421b2325848f125826e2270fd20684c8fbd591beaca1bb81def3c77e54fa"}
