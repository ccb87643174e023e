package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// routed is the answer of route.
type routed struct {
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

func (a *app) routeCommand() *cobra.Command {
	var task sessions.RouteTask
	var explain bool
	return a.verb(verb{
		use: "route TASK", short: "decide which skill serves a task, and say why",
		example: `
baton route "latest news on agents, as bullet points"
baton route "publish the article" --mode manual --explain`, args: exactly("TASK"),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&task.Mode, "mode", "", a.say("`auto|always|manual` (default: the session's)"))
			f.Float64Var(&task.Threshold, "threshold", skill.DefaultThreshold, a.say("least `SCORE` for auto"))
			f.Float64Var(&task.Margin, "margin", skill.DefaultMargin, a.say("least lead over the second for auto"))
			f.IntVar(&task.Top, "top", skill.DefaultTop, a.say("how many candidates are shown"))
			f.StringArrayVar(&task.Exclude, "exclude", nil, a.say("`NAME` of a skill that is out of the question (repeat)"))
			f.BoolVar(&task.Parallel, "parallel", false, a.say("plan all sub-tasks side by side"))
			f.BoolVar(&task.Guard, "guard", false, a.say("also look for missing capabilities and keys"))
			f.BoolVar(&explain, "explain", false, a.say("give the parts of each score"))
		},
		run: func(ctx context.Context, args []string) error {
			task.Task, task.Path = args[0], a.skillsPath()
			if err := task.Check(); err != nil {
				return err
			}
			return a.route(ctx, task, explain)
		},
	})
}

func (a *app) route(ctx context.Context, task sessions.RouteTask, explain bool) error {
	return a.within(ctx, func(l *link, session string) error {
		if err := a.askTrust(ctx, l); err != nil {
			return err
		}
		r, _, err := answerOf[sessions.Route](ctx, a, l, session, workflows.Of(sessions.AskRoute{RouteTask: task}))
		if err != nil {
			return err
		}
		out := routedOf(session, r)
		if r.Blocked != nil { // the gate records no reading of the task, and reading it is cheap
			if out.Intent, err = a.intentOf(task.Task); err != nil {
				return err
			}
		}
		if out.Sequence, err = routeSequence(ctx, l, session, out.RouteID); err != nil {
			return err
		}
		if explain && r.Decided != nil {
			if out.Explained, err = a.explained(ctx, l, session, *r.Decided); err != nil {
				return err
			}
		}
		if err := a.answer(out, func(p *page) error { p.routed(out); return nil }); err != nil {
			return err
		}
		if out.Decision == skill.Blocked {
			return answered(exitRefused)
		}
		return nil
	})
}

func (a *app) intentOf(task string) (json.RawMessage, error) {
	book, err := a.rules()
	if err != nil {
		return nil, err
	}
	return events.Marshal(book.Reader().Parse(task))
}

// routedOf puts a recorded decision into the words of the answer.
func routedOf(session string, r sessions.Route) routed {
	out := routed{Session: session, Candidates: []events.Candidate{}, ParallelGroups: [][]string{}, Warnings: []string{}}
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
func (a *app) explained(ctx context.Context, l *link, session string, d events.RouteDecided) ([]skill.Candidate, error) {
	o, err := engine.As[sessions.Overview](l.Query(ctx, "session.show", session, engine.None{}))
	if err != nil {
		return nil, err
	}
	again, err := engine.As[skill.Decision](l.Query(ctx, "route.only", "", host.RouteAsk{Workspace: o.Workspace, Explain: true, Recorded: true, Lessons: d.Lessons, RouteTask: sessions.RouteTask{
		Path: a.skillsPath(),
		Task: d.Task, Mode: d.Mode, Threshold: d.Threshold, Margin: d.Margin, Top: d.Top, Exclude: d.Exclude, Parallel: d.Parallel, Guard: d.Guard,
	}}))
	return again.Candidates, err
}

func (p *page) routed(r routed) {
	p.line("%s  %s", p.status(r.Decision, 0), r.Reason)
	if r.Chosen != nil {
		p.line("chosen  %s", r.Chosen.Name)
	}
	switch j := r.Judge; {
	case j.Error != "":
		p.line("the judge %s gives no choice: %s", j.By, cut(j.Error, 200))
	case j.By != "":
		p.line("the judge %s chooses %s: %s", j.By, j.Chosen, cut(j.Why, 400))
	}
	for i, c := range r.Candidates {
		p.line("%3d. %s  %.2f  %s  %s", i+1, styled(pad(c.Name, 24)), c.Score, styled(pad(c.Tier, 8)), cut(c.Description, 80))
		for _, why := range c.Why {
			p.line("     - %s", why)
		}
	}
	for _, c := range r.Explained {
		p.explained(c)
	}
	for i, group := range r.ParallelGroups {
		if r.MultiIntent {
			p.line("layer %d: %s", i+1, join(group))
		}
	}
	for _, m := range r.Missing {
		p.line("missing for auto: %s", m)
	}
	for _, w := range r.Warnings {
		p.line("warning: %s", w)
	}
	if r.Hint != "" {
		p.line("%s", r.Hint)
	}
}

func (p *page) explained(c skill.Candidate) {
	b := c.Breakdown
	if b == nil {
		return
	}
	p.line("%s = %.2f: points %.2f (best clause %.2f, best sentence %.2f) over length %.2f, tier %.2f, explains %.0f%%", c.Name, b.Final, b.Sum, b.Clause, b.Sentence, b.Length, b.Tier, 100*b.Explained)
	p.line("     the task has %.0f%% of its name and %.0f%% of its text; feedback %+.2f, past requests %+.2f", 100*b.NameCover, 100*b.OwnCover, b.Feedback, b.Examples)
	for _, part := range b.Parts {
		p.line("     %+.2f  %s ~ %s in %s", part.Points, part.Text, part.Match, join(part.Fields))
	}
}
