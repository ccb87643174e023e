package projections

import (
	"encoding/json"
	"testing"

	"github.com/batonflow/baton/events"
)

const waitRun = "r-7"

func waitCall(step, queue, execute string) events.CallOpened {
	return events.CallOpened{Call: waitRun + "/" + step, Run: waitRun, Step: step, Queue: queue, Execute: json.RawMessage(execute)}
}

func ask(step, question string, expires float64) events.ApprovalAsked {
	return events.ApprovalAsked{
		Approval: waitRun + "/" + step + "#1", Run: waitRun, Step: step, Call: waitRun + "/" + step, Question: question,
		Params: json.RawMessage(`{"execute":{"exec":["./` + step + `.sh"]}}`), Action: "9155bebb5b3f07c4", ExpiresIn: expires,
	}
}

func rest(step, kind, at string) events.TimerSet {
	return events.TimerSet{Timer: waitRun + "/" + step + "@" + kind, Kind: kind, At: at, Run: waitRun, Call: waitRun + "/" + step}
}

func first(step string) events.CallStarted {
	return events.CallStarted{Call: waitRun + "/" + step, Attempt: 1}
}

func byWorker(step string, baton uint64) events.CallStarted {
	return events.CallStarted{Call: waitRun + "/" + step, Attempt: 1, Worker: "p1.0", Baton: baton}
}

func done(step string, value events.Value) events.CallClosed {
	return events.CallClosed{Call: waitRun + "/" + step, Attempt: 1, Status: "ok", Value: value}
}

func refused(step, code string, attempt int) events.CallFailed {
	return events.CallFailed{
		Call: waitRun + "/" + step, Attempt: attempt, Final: true,
		Failure: events.Failure{Class: "terminal", Code: code, Message: "approval " + waitRun + "/" + step + "#1 was answered no"},
	}
}

func answer(step, by, note string, yes bool) events.ApprovalAnswered {
	return events.ApprovalAnswered{Approval: waitRun + "/" + step + "#1", Yes: yes, By: by, Note: note}
}

// waitStory is a run that waits: for a person who agrees, for one who does not and for one who never
// answers, for a time, for a signal that comes in time and for one that came before.
func waitStory(t testing.TB) *story {
	over := func(timer string) events.TimerVoided {
		return events.TimerVoided{Timer: waitRun + "/" + timer, Reason: "its call is over"}
	}
	s := newStory(t).add(sessionB, events.SessionStarted{Goal: "publish what is ready", Mode: "auto", Workspace: "/w"},
		events.RunStarted{Run: waitRun, Name: "release", SHA256: "77aa"},
		waitCall("review", "", `{"approve":{"question":"is 摘要 ready?"}}`), first("review"), ask("review", "is 摘要 ready?", 86400),
		rest("review", "expiry", "2026-12-01T12:00:00Z"),
		waitCall("nap", "", `{"wait":{"for":"10m0s"}}`), first("nap"), rest("nap", "wait", "2026-11-30T12:10:00Z"),
		waitCall("built", "", `{"wait":{"signal":"built"}}`), first("built"))
	s.after(60).add(sessionB, events.SignalReceived{Run: waitRun, Signal: "built", Value: raw(`{"build": 7}`), By: "ci"}, done("built", raw(`{"build": 7}`)))
	s.after(1).add(sessionB, events.SignalReceived{Run: waitRun, Signal: "ship", Value: text("now")})
	s.after(59).add(sessionB, answer("review", "ada", "read it twice", true), done("review", raw(`{"approved":true,"by":"ada"}`)), over("review@expiry"),
		waitCall("deploy", "default", `{"exec":["./deploy.sh"]}`), ask("deploy", "run step deploy?", 0),
		waitCall("publish", "default", `{"exec":["./publish.sh"]}`), ask("publish", "publish 摘要?", 3600), rest("publish", "expiry", "2026-11-30T13:02:00Z"))
	s.after(30).add(sessionB, answer("publish", "bob", "not today", false), refused("publish", "denied", 0), over("publish@expiry"))
	s.after(30).add(sessionB, answer("deploy", "ada", "", true))
	s.after(1).add(sessionB, byWorker("deploy", 4))
	s.after(5).add(sessionB, done("deploy", raw("null")))
	s.after(414).add(sessionB, events.TimerFired{Timer: waitRun + "/nap@wait"}, done("nap", raw("null")),
		waitCall("ship", "", `{"wait":{"signal":"ship"}}`), first("ship"), done("ship", text("now")),
		waitCall("tell", "", `{"approve":{}}`), first("tell"), ask("tell", "run step tell?", 60), rest("tell", "expiry", "2026-11-30T12:11:00Z"))
	s.after(60).add(sessionB, events.TimerFired{Timer: waitRun + "/tell@expiry"}, answer("tell", "expiry", "nobody answered in time", false),
		refused("tell", "approval_expired", 1))
	return s.add(sessionB, events.RunFailed{Run: waitRun, Steps: []string{"publish", "tell"}, Reason: "publish, tell failed"})
}

// listStory is a run that goes through a list of three; one item fails, and the join takes what there is.
func listStory(t testing.TB) *story {
	item := func(n string) string { return "paper[" + n + "]" }
	open := func(n string) events.CallOpened {
		c := waitCall("paper", "default", `{"exec":["./read.sh"]}`)
		c.Call, c.Skill = waitRun+"/"+item(n), "knowledge-extraction"
		return c
	}
	s := newStory(t).add(sessionB, events.SessionStarted{Goal: "read three papers", Mode: "auto", Workspace: "/w"},
		events.RunStarted{Run: waitRun, Name: "reading", SHA256: "77aa"},
		events.ItemsListed{Run: waitRun, Step: "paper", Items: raw(`["a","b","c"]`), Count: 3}, open("0"), open("1"))
	s.after(1).add(sessionB, byWorker(item("0"), 1), byWorker(item("1"), 2))
	s.after(2).add(sessionB, done(item("1"), raw("2")), open("2"), byWorker(item("2"), 2))
	s.after(3).add(sessionB, events.CallFailed{
		Call: waitRun + "/" + item("0"), Attempt: 1, Final: true, Failure: events.Failure{Class: "terminal", Code: "exec_exit", Message: "no such paper", Exit: 2},
	})
	joined := raw(`[{"status":"failed"},{"status":"ok","value":2},{"status":"ok","value":3}]`)
	summary := waitCall("summary", "default", `{"exec":["./sum.sh"]}`)
	summary.Reads = []events.Read{{Key: "facts", Rev: 1}}
	return s.after(4).add(sessionB, done(item("2"), raw("3")), events.StepJoined{Run: waitRun, Step: "paper", Done: 2, Failed: 1, Value: joined},
		events.ContextSet{Key: "facts", Value: joined, Rev: 1, By: "paper"}, summary, byWorker("summary", 2))
}
