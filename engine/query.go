package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// Query answers a question that changes nothing.
type Query func(ctx context.Context, session string, data json.RawMessage) (any, error)

// Queries is the table of questions by name. Whoever builds the program adds what is its own.
type Queries map[string]Query

func (q Queries) answer(ctx context.Context, raw []byte) (any, error) {
	var r Request
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_request", "use the same version of Baton on both sides", "%v", err)
	}
	return q.Ask(ctx, r.Name, r.Session, r.Data)
}

// Ask answers the question of that name.
func (q Queries) Ask(ctx context.Context, name, session string, data json.RawMessage) (any, error) {
	ask, ok := q[name]
	if !ok {
		return nil, sessions.Refuse(sessions.Usage, "unknown_query", "use the same version of Baton on both sides", "there is no query %q", name)
	}
	return ask(ctx, session, data)
}

// onlyRead are the queries that change nothing and give nothing but what is recorded. They have a subject
// of their own, so that a user of a cluster can be let read and nothing else.
var onlyRead = []string{
	"session.show", "session.list", "session.find", "call.list", "call.show", "call.envelope", "context.get", "context.list",
	"context.history", "run.why", "run.show", "run.items", "run.routed", "run.watch", "run.dead", "run.list", "run.find", "run.approvals",
	"run.inputs", "run.template", "trace", "replay", "verify", "audit", "export", "events", "goal.show", "server", "skills.list",
	"feedback.list", "feedback.stats", "approvals", "schedule.list", "acquire.list", "acquire.show",
}

func (q Queries) reading() Queries {
	out := Queries{}
	for _, name := range onlyRead {
		if ask, ok := q[name]; ok {
			out[name] = ask
		}
	}
	return out
}

// subjectOf is where a query is asked.
func subjectOf(query string) string {
	if slices.Contains(onlyRead, query) {
		return ReadSubject
	}
	return QuerySubject
}

// About is a query on the committed state of one session.
func About[Q any](e *Engine, f func(*workflows.State, sessions.World, Q) (any, error)) Query {
	return e.of(reading(f))
}

// Plain is a query that is about no one session's state.
func Plain[Q any](f func(ctx context.Context, session string, q Q) (any, error)) Query {
	return func(ctx context.Context, session string, data json.RawMessage) (any, error) {
		var q Q
		if err := json.Unmarshal(data, &q); err != nil {
			return nil, fmt.Errorf("read question: %w", err)
		}
		return f(ctx, session, q)
	}
}

// The questions about a session's state, as they go over the wire.
type (
	None    struct{}
	CallAsk struct {
		Call string `json:"call"`
	}
	KeyAsk struct {
		Key string `json:"key"`
	}
	StepAsk struct {
		Run  string `json:"run"`
		Step string `json:"step"`
	}
	RunAsk struct {
		Run string `json:"run"`
	}
)

// Standard is the table of queries that every server answers.
func Standard(e *Engine, p *Projector) Queries {
	ts := newTimelines(e)
	q := Queries{
		"run.why":         Plain(e.why),
		"run.show":        showRun(e, p),
		"run.watch":       watchRun(e, p),
		"run.dead":        Plain(deadLetters(e, p)),
		"session.list":    Plain(listSessions(p)),
		"run.list":        Plain(listRuns(p)),
		"session.find":    Plain(findSession(p)),
		"run.find":        Plain(findRun(p)),
		"trace":           Plain(e.trace),
		"replay":          Plain(e.replay),
		"fork":            Plain(e.forkAt),
		"audit":           Plain(e.audit),
		"export":          Plain(e.export),
		"verify":          Plain(e.verify),
		"events":          Plain(awaitEvents(e, p)),
		"rebuild":         Plain(e.rebuild(p)),
		"timeline":        Plain(ts.window),
		"timeline.graph":  Plain(ts.graph),
		"timeline.events": Plain(ts.facts),
		"moved":           Plain(moved(p)),
		"work":            Plain(e.workload(p)),
		"waiting":         Plain(waiting(p)),
		"past":            Plain(e.past),
	}
	for name, r := range readings() {
		q[name] = e.of(r)
	}
	return q
}

func listCalls(s *workflows.State, w sessions.World, _ None) (any, error) {
	out := make([]sessions.Row, 0, len(s.Order))
	for _, id := range s.Order {
		row, err := s.Row(s.Calls[id], w)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// ShowCall answers "call.show".
func ShowCall(s *workflows.State, w sessions.World, q CallAsk) (any, error) {
	c, err := s.FindCallOrStep(q.Call)
	if err != nil {
		return nil, err
	}
	return s.Row(c, w)
}

func envelope(s *workflows.State, w sessions.World, q CallAsk) (any, error) {
	c, err := s.FindCallOrStep(q.Call)
	if err != nil {
		return nil, err
	}
	return s.Envelope(c.ID(), w)
}

func listContext(s *workflows.State, w sessions.World, q KeyAsk) (any, error) {
	out := []sessions.Written{}
	for _, key := range s.Keys(q.Key) {
		item, err := s.Get(key, w)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

// why explains a run; a queue that nobody serves holds everything back that waits on it.
func (e *Engine) why(ctx context.Context, session string, q RunAsk) (any, error) {
	got, err := As[workflows.Why](e.View(ctx, session, func(s *workflows.State, _ sessions.World) (any, error) { return s.Why(q.Run) }))
	if err != nil {
		return nil, err
	}
	for i, r := range got.Reasons {
		if r.Queue == "" || r.Queue == workflows.SkillsQueue {
			continue
		}
		served, err := e.Queue.Served(ctx, r.Queue)
		if err == nil && !served {
			got.Reasons[i] = r.Unserved()
			continue
		}
		got.Reasons[i] = e.permits.explain(ctx, session, r)
	}
	slices.SortStableFunc(got.Reasons, func(a, b workflows.Reason) int { return b.Weight() - a.Weight() })
	return got, nil
}

// Work counts what is open.
type Work struct {
	Runs       int      `json:"runs"`
	Queued     int      `json:"queued"`
	Held       int      `json:"held"`
	Timers     int      `json:"timers"`
	Unreadable []string `json:"unreadable,omitempty"`
}
