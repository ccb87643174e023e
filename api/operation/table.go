package operation

import (
	"context"
	"encoding/json"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/sentinel"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/routing/source"
	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
	"github.com/batonflow/baton/workflows/fromtext"
)

// looks are operations that change nothing though their input comes in a body.
var looks = []string{"skill.search", "intent.parse", "sentinel.check", "web.recover", "web.urls", "workflow.draft", "workflow.validate"}

// Names of the examples.
var (
	here   = AboutSession{Session: "@last"}
	aRun   = AboutRun{Run: "@last"}
	aCall  = AboutCall{AboutSession: here, Call: "c001"}
	aKey   = AboutKey{AboutSession: here, Key: "research.raw"}
	anyone = true
)

// table is what Baton can be asked to do. Adding an operation is a line.
var table = []Operation{
	{"session.new", "session new", "session_new", "POST /v1/sessions", "begin a session",
		raw[sessions.Begun](SessionNew{Goal: "research into an article", Mode: "auto", Workspace: "/home/ada/article"}, newSession)},
	{"session.list", "session list", "session_list", "GET /v1/sessions", "list all sessions, the newest first",
		rows[projections.SessionRow](Page{Limit: 20}, "session", listSessions)},
	{"session.show", "session show", "session_show", "GET /v1/sessions/{session}", "show a session",
		look[sessions.Overview](here, "session.show", none[AboutSession])},
	{"session.end", "session end", "session_end", "POST /v1/sessions/{session}/end", "end a session; it takes nothing more",
		tell[ended](SessionEnd{AboutSession: here, Summary: "draft saved"}, endSession)},
	{"session.fork", "session fork", "", "POST /v1/sessions/{session}/forks", "begin a session with the past of another, up to a call",
		raw[workflows.Forked](SessionFork{AboutSession: here, At: "summary", Set: map[string]json.RawMessage{"notes": json.RawMessage(`"only the last year"`)}}, forkSession)},
	{"session.events", "events", "", "GET /v1/sessions/{session}/events", "give the session's events after a sequence; as text/event-stream they go on as they come",
		raw[engine.EventPage](Events{AboutSession: here, EventsPart: EventsPart{Type: "call.closed"}}, sessionEvents)},
	{"session.replay", "replay", "", "GET /v1/sessions/{session}/replay", "fold a session from nothing, up to a place in its log",
		look[engine.Replayed](Replay{AboutSession: here}, "replay", func(in Replay) any { return engine.ReplayAsk{Sequence: in.Sequence} })},
	{"events", "events", "", "GET /v1/events", "give the events of all sessions after a sequence; as text/event-stream they go on as they come",
		raw[engine.EventPage](EventsPart{Limit: 100}, allEvents)},
	{"trace.get", "trace", "trace_get", "GET /v1/sessions/{session}/trace", "give the tree of calls with decisions, switches, context and times",
		typed[any](Trace{AboutSession: here, Format: "json"}, trace)},

	{"route", "route", "route", "POST /v1/routes", "decide which skill serves a task, and say why; the session records it",
		typed[Routed](Route{AboutSession: here, Task: "latest news on agents, as bullet points"}, route)},
	{"call.open", "call open", "call_open", "POST /v1/sessions/{session}/calls", "open a call, one use of one skill, and get its envelope",
		tell[sessions.Envelope](CallOpen{AboutSession: here, Skill: "tavily", Intent: "latest on agents", Inputs: map[string]json.RawMessage{"query": json.RawMessage(`"AI agents 2026"`)}, Reads: []string{"research.brief"}, Writes: []string{"research.raw"}}, openCall)},
	{"call.list", "call list", "", "GET /v1/sessions/{session}/calls", "list the calls of a session",
		rows[sessions.Row](CallList{AboutSession: here, Open: true}, "call_id", listCalls)},
	{"call.show", "call show", "", "GET /v1/sessions/{session}/calls/{call}", "show a call",
		look[CallShown](aCall, "call.show", func(in AboutCall) any { return engine.CallAsk{Call: in.Call} })},
	{"call.close", "call close", "call_close", "POST /v1/sessions/{session}/calls/{call}/close", "close a call with its result",
		tell[sessions.CloseAnswer](CallClose{AboutSession: here, Call: "c001", Status: "ok", Outputs: map[string]json.RawMessage{"count": json.RawMessage(`3`)}, Note: "3 good sources"}, closeCall)},
	{"call.suspend", "call suspend", "call_suspend", "POST /v1/sessions/{session}/calls/{call}/suspend", "set an open call aside",
		tell[suspended](CallSuspend{AboutCall: aCall, Reason: "a picture first"}, suspendCall)},
	{"call.resume", "call resume", "call_resume", "POST /v1/sessions/{session}/calls/{call}/resume", "take a suspended call up again",
		tell[resumed](aCall, resumeCall)},
	{"switch", "switch", "switch", "POST /v1/sessions/{session}/switches", "hand over to another skill",
		tell[sessions.Switched](Switch{AboutSession: here, To: "drawio-skill", Kind: "handoff", Reason: "the text needs a diagram", Carry: []string{"research.raw"}}, makeSwitch)},

	{"ctx.set", "ctx set", "ctx_set", "PUT /v1/sessions/{session}/context/{key}", "write a value of the context",
		tell[sessions.Written](ContextSet{AboutKey: aKey, Value: json.RawMessage(`{"sources":3}`)}, setContext)},
	{"ctx.get", "ctx get", "ctx_get", "GET /v1/sessions/{session}/context/{key}", "give a value of the context",
		look[sessions.Written](aKey, "context.get", func(in AboutKey) any { return engine.KeyAsk{Key: in.Key} })},
	{"ctx.list", "ctx list", "", "GET /v1/sessions/{session}/context", "list the values of the context",
		rows[sessions.Written](Keys{AboutSession: here, Prefix: "research."}, "key", listContext)},
	{"ctx.history", "ctx history", "", "GET /v1/sessions/{session}/context/{key}/history", "list every revision of a value",
		look[[]sessions.Written](aKey, "context.history", func(in AboutKey) any { return engine.KeyAsk{Key: in.Key} })},
	{"ctx.del", "ctx del", "", "DELETE /v1/sessions/{session}/context/{key}", "delete a value; its history stays",
		tell[sessions.Written](aKey, deleteContext)},
	{"ctx.rollback", "ctx rollback", "", "POST /v1/sessions/{session}/context/{key}/rollback", "make an earlier revision the current one again",
		tell[sessions.Written](ContextRollback{AboutKey: aKey, To: 1}, rollBackContext)},

	{"call.claim", "call claim", "call_claim", "POST /v1/claims", "take the call that waits longest on a queue",
		raw[sessions.Envelope](Claim{Queue: "skills", Wait: 30}, claim)},
	{"call.beat", "call beat", "call_beat", "POST /v1/sessions/{session}/calls/{call}/beat", "keep a claimed call alive; the answer is go on, cancelled or stale",
		raw[BeatAnswer](Beat{AboutCall: aCall, Attempt: 1}, beat)},
	{"call.stream", "call stream", "", "POST /v1/sessions/{session}/calls/{call}/stream", "say how far a claimed call is, which keeps it alive too",
		raw[BeatAnswer](Say{Beat: Beat{AboutCall: aCall, Attempt: 1}, Text: "3 of 12 pages read"}, say)},

	{"workflow.run", "workflow run", "workflow_run", "POST /v1/runs", "run a template: steps over skills, in order or side by side",
		raw[workflows.View](RunStart{Template: "research-publish", Inputs: map[string]json.RawMessage{"topic": json.RawMessage(`"AI agents"`)}, Wait: 30}, startRun)},
	{"workflow.list", "workflow list", "", "GET /v1/runs", "list runs, the newest first",
		rows[projections.RunRow](RunList{Status: "failed"}, "run", listRuns)},
	{"workflow.show", "workflow show", "run_status", "GET /v1/runs/{run}", "show a run and its steps; as text/event-stream it is shown again whenever it moves",
		raw[workflows.View](RunShow{AboutRun: aRun}, showRun)},
	{"workflow.cancel", "workflow cancel", "run_cancel", "POST /v1/runs/{run}/cancel", "stop a run; cancelling twice is no fault",
		raw[workflows.View](RunCancel{AboutRun: aRun, Reason: "wrong topic"}, cancelRun)},
	{"workflow.resume", "workflow resume", "", "POST /v1/runs/{run}/resume", "take a failed run up again where it stopped",
		raw[workflows.Resumed](RunResume{AboutRun: aRun, Policy: "pin"}, resumeRun)},
	{"workflow.approve", "workflow approve", "run_approve", "POST /v1/runs/{run}/approve", "answer what a run asks; the first answer counts",
		raw[workflows.ApprovalView](RunApprove{AboutRun: aRun, Step: "publish", Yes: &anyone, By: "ada", Note: "read it twice"}, approveRun)},
	{"workflow.signal", "workflow signal", "", "POST /v1/runs/{run}/signal", "send a signal to a run; one that comes early is kept",
		tellRun[workflows.Signalled](RunSignal{AboutRun: aRun, Name: "delivered", Value: json.RawMessage(`{"parcel":7}`)}, signalRun)},
	{"why", "why", "why", "GET /v1/runs/{run}/why", "say why a run is not finished, and what would unblock it",
		raw[workflows.Why](aRun, why)},
	{"workflow.approvals", "workflow approvals", "", "GET /v1/approvals", "list what waits for a person's yes or no",
		rows[workflows.ApprovalView](Approvals{}, "approval", approvals)},
	{"workflow.dlq.list", "workflow dlq list", "", "GET /v1/dead-letters", "list steps that failed for good, with the causes of their attempts",
		raw[[]workflows.DeadLetter](DeadLetters{Run: "@last"}, deadLetters)},
	{"workflow.dlq.retry", "workflow dlq retry", "", "POST /v1/runs/{run}/dead-letters/{step}/retry", "open the step again; what has completed stays",
		tellRun[workflows.View](Resolve{AboutRun: aRun, Step: "summary"}, resolve(events.Retry))},
	{"workflow.dlq.skip", "workflow dlq skip", "", "POST /v1/runs/{run}/dead-letters/{step}/skip", "go on without the step",
		tellRun[workflows.View](Resolve{AboutRun: aRun, Step: "summary", Note: "not needed any more"}, resolve(events.Skip))},
	{"workflow.dlq.fail", "workflow dlq fail", "", "POST /v1/runs/{run}/dead-letters/{step}/fail", "leave the step failed, and list it no longer",
		tellRun[workflows.View](Resolve{AboutRun: aRun, Step: "summary"}, resolve(events.Fail))},
	{"workflow.draft", "workflow from-text", "", "POST /v1/workflows/draft", "make a template of a sentence",
		raw[fromtext.Workflow](Draft{Text: "search for news on agents, summarize it and write an article"}, draft)},
	{"workflow.validate", "workflow validate", "", "POST /v1/workflows/validate", "check a template; every fault is told with line and column",
		raw[Validity](Validate{Text: "steps:\n  - id: a\n    exec: [\"true\"]\n"}, validate)},

	{"skill.list", "skills scan", "", "GET /v1/skills", "look for skills in every place and list what was found",
		raw[SkillsList](Skills{}, listSkills)},
	{"skill.search", "skills search", "skill_search", "POST /v1/skills/search", "list the skills that fit a task best",
		raw[[]skill.Candidate](SkillSearch{Task: "draw a system diagram", Top: 3}, searchSkills)},
	{"skill.read", "skills show", "skill_read", "GET /v1/skills/{name}", "show a skill and its whole text",
		raw[Loaded](SkillRead{Name: "drawio-skill"}, readSkill)},
	{"acquire.run", "acquire run", "acquire_run", "POST /v1/acquisitions", "bring in the skill that fits, as the table of trust pins it",
		raw[Acquisition](AcquireRun{Query: "tavily", Version: "v1.2.0"}, acquire)},
	{"acquire.status", "acquire status", "acquire_status", "GET /v1/acquisitions/{run}", "show where an acquisition stands",
		raw[Acquisition](AcquireStatus{Run: "@last"}, acquireStatus)},
	{"acquire.list", "acquire status", "", "GET /v1/acquisitions", "list acquisitions, the newest first",
		rows[projections.RunRow](Page{}, "run", listAcquisitions)},

	{"source.plan", "source plan", "source_plan", "POST /v1/source/plan", "plan a search: which sources, in which order, and when to stop",
		raw[source.Plan](SourcePlan{Task: json.RawMessage(`{"task_type":"deep_research","primary_subject":"solid-state batteries","goal_mode":"analyze","freshness_required":"medium","available_sources":["web","vector"],"need_counter_evidence":false}`)}, plan[SourcePlan]("plan.source"))},
	{"web.route", "web route", "web_route", "POST /v1/web/route", "say which tool a task on the web begins with, and why",
		raw[web.Opening](WebRoute{Request: web.Request{Query: "what is new in JetStream"}}, plan[WebRoute]("plan.web"))},
	{"web.recover", "web recover", "web_recover", "POST /v1/web/recover", "say what follows a failure: retry, switch, ask, stop",
		typed[web.Verdict](WebRecover{Errors: []string{"timeout"}}, webRecover)},
	{"web.urls", "web urls", "", "POST /v1/web/urls", "give addresses the form in which they are compared",
		typed[[]Normalised](WebURLs{URLs: []string{"HTTP://Example.ORG:80/a/../b?utm_source=x#y"}}, webURLs)},
	{"task.route", "task route", "task_route", "POST /v1/task/route", "decide mode, chain, genes and delegations for a query",
		raw[task.Decision](TaskRoute{TaskInput: TaskInput{Query: "find papers on 3D nystagmus"}}, plan[TaskRoute]("plan.task"))},
	{"intent.parse", "intent parse", "", "POST /v1/intent/parse", "read a request: actions, order, domain",
		raw[intent.Intent](IntentParse{Text: "research agents, then write an article"}, question[IntentParse]("intent.parse"))},
	{"sentinel.check", "sentinel check", "", "POST /v1/sentinel/check", "say whether a task would be let through",
		raw[sentinel.Verdict](SentinelCheck{Task: "scan my own server for open ports"}, question[SentinelCheck]("sentinel.check"))},
}

// ended is what `session end` prints.
type ended struct {
	Session string `json:"session"`
	Status  string `json:"status"`
	Summary string `json:"summary"`
}

// question is an operation whose input is the question itself.
func question[In any](query string) func(context.Context, Caller, In) (json.RawMessage, error) {
	return func(ctx context.Context, c Caller, in In) (json.RawMessage, error) {
		return c.Query(ctx, query, "", in)
	}
}
