package operation

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// Route asks which skill serves a task.
type Route struct {
	AboutSession
	Task      string   `json:"task" jsonschema:"what is to be done"`
	Mode      string   `json:"mode,omitempty" jsonschema:"auto, always or manual; default: the session's"`
	Threshold *float64 `json:"threshold,omitempty" jsonschema:"least score for auto"`
	Margin    *float64 `json:"margin,omitempty" jsonschema:"least lead over the second for auto"`
	Top       int      `json:"top,omitempty" jsonschema:"how many candidates are shown; default 5"`
	Exclude   []string `json:"exclude,omitempty" jsonschema:"skills that are out of the question"`
	Parallel  bool     `json:"parallel,omitempty" jsonschema:"plan all sub-tasks side by side"`
	Guard     bool     `json:"guard,omitempty" jsonschema:"also look for missing capabilities and keys"`
	Explain   bool     `json:"explain,omitempty" jsonschema:"give the parts of each score"`
}

func (in Route) ask() sessions.RouteTask {
	out := sessions.RouteTask{
		Task: in.Task, Mode: in.Mode, Threshold: skill.DefaultThreshold, Margin: skill.DefaultMargin, Top: in.Top,
		Exclude: in.Exclude, Parallel: in.Parallel, Guard: in.Guard,
	}
	if in.Threshold != nil {
		out.Threshold = *in.Threshold
	}
	if in.Margin != nil {
		out.Margin = *in.Margin
	}
	if out.Top == 0 {
		out.Top = skill.DefaultTop
	}
	return out
}

// Routed is a decision as it is answered.
type Routed struct {
	Session        string             `json:"session"`
	Decision       string             `json:"decision"`
	Reason         string             `json:"reason"`
	Chosen         *events.Candidate  `json:"chosen"`
	Candidates     []events.Candidate `json:"candidates"`
	Intent         json.RawMessage    `json:"intent"`
	MultiIntent    bool               `json:"multi_intent"`
	SubTaskPlan    json.RawMessage    `json:"sub_task_plan"`
	Parallelizable bool               `json:"parallelizable"`
	ParallelGroups [][]string         `json:"parallel_groups"`
	Warnings       []string           `json:"warnings"`
	HighRisk       string             `json:"high_risk,omitempty"`
	Hint           string             `json:"hint,omitempty"`
	Missing        []string           `json:"missing,omitempty"` // what was missing for auto
	Matched        string             `json:"matched,omitempty"` // the words that made it blocked
	RouteID        string             `json:"route_id"`
	Sequence       uint64             `json:"sequence"`
	Judge          events.Judged      `json:"judge,omitzero"` // what a judge outside said
	Explained      []skill.Candidate  `json:"explained,omitempty"`
}

func route(ctx context.Context, c Caller, in Route) (Routed, error) {
	session, err := FindSession(ctx, c, in.Session)
	if err != nil {
		return Routed{}, err
	}
	task := in.ask()
	if err := task.Check(); err != nil {
		return Routed{}, err
	}
	return c.Decide(ctx, session, task, in.Explain)
}

// Decide has the session decide a route, and says all that is known of the decision.
func (c Caller) Decide(ctx context.Context, session string, task sessions.RouteTask, explain bool) (Routed, error) {
	r, err := engine.As[sessions.Route](c.Backend.Do(ctx, session, workflows.Of(sessions.AskRoute{RouteTask: task}), c.Meta))
	if err != nil {
		return Routed{}, err
	}
	out := routedOf(session, r)
	if r.Blocked != nil { // the gate records no reading of the task, and reading it is cheap
		if out.Intent, err = c.Query(ctx, "intent.parse", "", IntentParse{Text: task.Task}); err != nil {
			return out, err
		}
	}
	if out.Sequence, err = routeSequence(ctx, c, session, out.RouteID); err != nil {
		return out, err
	}
	if explain && r.Decided != nil {
		out.Explained, err = explained(ctx, c, session, *r.Decided, task.Path)
	}
	return out, err
}

// routedOf puts a recorded decision into the words of the answer.
func routedOf(session string, r sessions.Route) Routed {
	out := Routed{Session: session, Candidates: []events.Candidate{}, ParallelGroups: [][]string{}, Warnings: []string{}}
	if b := r.Blocked; b != nil {
		out.Decision, out.Reason, out.RouteID, out.Hint, out.Matched = skill.Blocked, b.Reason, b.Route, b.Suggestion, b.Matched
		return out
	}
	d := r.Decided
	out.Decision, out.Reason, out.RouteID = d.Decision, d.Reason, d.Route
	out.Candidates = append(out.Candidates, d.Candidates...)
	for i := range d.Candidates {
		if d.Candidates[i].Name == d.Chosen {
			out.Chosen = &d.Candidates[i]
		}
	}
	if out.Chosen == nil && d.Chosen != "" {
		out.Chosen = &events.Candidate{Name: d.Chosen, Why: []string{}}
	}
	var in intent.Intent
	_ = json.Unmarshal(d.Intent, &in) // an intent that cannot be read says nothing
	out.Intent, out.MultiIntent, out.Parallelizable = d.Intent, len(in.SubTasks) > 1, in.Parallelizable || d.Parallel
	out.SubTaskPlan, out.HighRisk, out.Hint, out.Missing, out.Judge = d.Plan, d.HighRisk, d.Hint, d.Lacking, d.Judge
	out.ParallelGroups = append(out.ParallelGroups, d.Groups...)
	out.Warnings = append(out.Warnings, d.Warnings...)
	return out
}

// explained weighs the task again with the parts of each score; the decision itself stands.
func explained(ctx context.Context, c Caller, session string, d events.RouteDecided, path string) ([]skill.Candidate, error) {
	o, err := ask[sessions.Overview](ctx, c, "session.show", session, engine.None{})
	if err != nil {
		return nil, err
	}
	again, err := ask[skill.Decision](ctx, c, "route.only", "", RouteAsk{Workspace: o.Workspace, Explain: true, Recorded: true, Lessons: d.Lessons, RouteTask: sessions.RouteTask{
		Path: path,
		Task: d.Task, Mode: d.Mode, Threshold: d.Threshold, Margin: d.Margin, Top: d.Top, Exclude: d.Exclude, Parallel: d.Parallel, Guard: d.Guard,
	}})
	return again.Candidates, err
}

// routeSequence is the place in the log of a route that was just decided. It looks at the session's
// last commits, further back only if others have committed since.
func routeSequence(ctx context.Context, c Caller, session, route string) (uint64, error) {
	row, err := ask[projections.SessionRow](ctx, c, "session.find", "", engine.FindAsk{ID: session})
	if err != nil {
		return 0, err
	}
	for back := uint64(1); ; back *= 16 {
		after := row.Sequence - min(back, row.Sequence)
		page, err := ask[engine.EventPage](ctx, c, "events", session, engine.EventsAsk{After: after, Limit: mostEvents})
		if err != nil {
			return 0, err
		}
		for _, e := range page.Events {
			var d struct {
				Route string `json:"route"`
			}
			if json.Unmarshal(e.Data, &d) == nil && d.Route == route && strings.HasPrefix(e.Type, "route.") {
				return e.Seq, nil
			}
		}
		if after == 0 {
			return 0, nil
		}
	}
}
