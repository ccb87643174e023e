package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/routing/task/templates"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

func (a *app) goalPursue() *cobra.Command {
	return a.verb(verb{
		use: "pursue", short: a.goalSay("run towards the goal, judge, and go on while it is not met; what is recorded is not done again"),
		example: `baton session goal pursue`, args: between(0),
		run: func(ctx context.Context, _ []string) error {
			if a.request != "" {
				return sessions.Refuse(sessions.Usage, "bad_value", "leave --request-id out", "every turn is recorded by itself: the same command again goes on where it was")
			}
			return a.within(ctx, func(l *link, session string) error { return a.pursue(ctx, l, session) })
		},
	})
}

// pursue does what the goal asks for next until it asks for nothing. Every turn is recorded before the
// next begins, so whoever is cut off just starts it again.
func (a *app) pursue(ctx context.Context, l *link, session string) error {
	for {
		g, err := engine.As[workflows.GoalView](l.Query(ctx, "goal.show", session, engine.None{}))
		if err != nil {
			return err
		}
		switch g.Next {
		case "run":
			err = a.workTowards(ctx, l, g)
		case "wait":
			err = a.waitFor(ctx, l, g)
		case "evaluate":
			err = a.judge(ctx, l, g)
		default:
			return a.goalEnd(g)
		}
		if err != nil {
			return err
		}
	}
}

// goalEnd tells how it ended; a goal that was not met is an answer with a status of its own.
func (a *app) goalEnd(g workflows.GoalView) error {
	if g.Goal == "" {
		return sessions.Refuse(sessions.NotFound, "goal_not_found", "set one with `baton session goal TEXT`", "session %s has no goal", g.Session)
	}
	if err := a.answer(g, func(p *page) error { p.goal(g); return nil }); err != nil {
		return err
	}
	if g.Status != workflows.Satisfied {
		return answered(exitFailed)
	}
	return nil
}

// workTowards runs the goal itself as a task.
func (a *app) workTowards(ctx context.Context, l *link, g workflows.GoalView) error {
	if !g.Judged() {
		return sessions.Refuse(sessions.Waits, "goal_no_evaluator", "run something, then `baton session goal answer`, or set the goal with --evaluator",
			"nobody is configured to judge the goal of session %s", g.Session)
	}
	run, err := operation.NewRun(a.request)
	if err != nil {
		return err
	}
	o, ask, err := a.taskOrder(run, g.Goal, "{}", "auto")
	if err != nil {
		return a.taskRefusal(err)
	}
	made, err := templates.Make(o)
	if err != nil {
		return taskUnrunnable(err)
	}
	workspace, err := a.workspace()
	if err != nil {
		return err
	}
	_, err = a.runOut(ctx, l, g.Session, workflows.Start{
		Run: run, Name: "task", Text: made.Text, Inputs: made.Inputs, Workspace: workspace, Folder: workspace, Env: a.stepEnv(), Route: &ask,
	})
	return err
}

// runOut starts a run and waits for its end.
func (a *app) runOut(ctx context.Context, l *link, session string, c workflows.Start) (workflows.View, error) {
	view, _, err := answerOf[workflows.View](ctx, a, l, session, c)
	if err != nil {
		return view, err
	}
	return a.outcome(ctx, l, view)
}

// outcome waits until a run is over.
func (a *app) outcome(ctx context.Context, l *link, view workflows.View) (last workflows.View, err error) {
	over := func(w engine.Watched) bool { return w.Over }
	err = a.follow(ctx, l, view, over, func(_ *link, w engine.Watched) error { last = w.View; return nil })
	return last, err
}

func (a *app) waitFor(ctx context.Context, l *link, g workflows.GoalView) error {
	rows, err := engine.As[[]projections.RunRow](l.Query(ctx, "run.list", g.Session, engine.ListAsk{}))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Status != string(workflows.Running) && row.Status != string(workflows.Waiting) {
			continue
		}
		if _, err := a.outcome(ctx, l, workflows.View{Run: row.ID, Session: g.Session}); err != nil {
			return err
		}
	}
	return nil
}

// verdict is what an evaluator prints.
type verdict struct {
	Outcome   string `json:"outcome"`
	Satisfied bool   `json:"satisfied"`
	Blocker   string `json:"blocker"`
	Evidence  string `json:"evidence"`
}

func (v verdict) outcome() string {
	switch {
	case v.Outcome != "":
		return v.Outcome
	case v.Satisfied:
		return workflows.Satisfied
	}
	return v.Blocker
}

// judge lets the evaluator look at the newest run, as a run of its own, and records what it found.
func (a *app) judge(ctx context.Context, l *link, g workflows.GoalView) error {
	if !g.Judged() {
		return sessions.Refuse(sessions.Waits, "goal_no_evaluator", "say it with `baton session goal answer`", "run %s waits to be judged, and nobody is configured to", g.Run)
	}
	about, err := engine.As[workflows.View](l.Query(ctx, "run.show", g.Session, engine.RunAsk{Run: g.Run}))
	if err != nil {
		return err
	}
	start, err := a.evaluation(g, about)
	if err != nil {
		return err
	}
	done, err := a.runOut(ctx, l, g.Session, start)
	if err != nil {
		return err
	}
	var found verdict
	raw := done.Outputs[start.Run+".evaluation"]
	if done.Status != workflows.Completed || json.Unmarshal(raw, &found) != nil || found.outcome() == "" {
		return sessions.Refuse(sessions.Failed, "goal_evaluation_failed", "see `baton workflow show "+done.Run+"`; it prints {outcome, evidence}",
			"the evaluator said nothing that can be recorded about run %s", g.Run)
	}
	c := workflows.EvaluateGoal{Run: g.Run, Outcome: found.outcome(), Evidence: found.Evidence, By: "evaluator"}
	after, _, err := answerOf[workflows.GoalView](ctx, a, l, g.Session, c)
	if err == nil {
		e := after.Evaluations[len(after.Evaluations)-1]
		a.note(a.goalSay("run %s: %s, %s (%s)"), e.Run, e.Outcome, e.Evidence, e.Reason)
	}
	return err
}

// evaluation is the run in which the evaluator looks at another.
func (a *app) evaluation(g workflows.GoalView, about workflows.View) (workflows.Start, error) {
	start, err := a.blankStart()
	if err != nil {
		return workflows.Start{}, err
	}
	var how any
	if err := json.Unmarshal(g.Evaluator, &how); err != nil {
		return workflows.Start{}, fmt.Errorf("read the evaluator: %w", err)
	}
	text := map[string]any{"type": "string", "required": true}
	raw, err := events.Marshal(map[string]any{
		"name": workflows.EvaluationRun, "inputs": map[string]any{"goal": text, "run": text, "status": text, "trace_file": text},
		"steps": []any{map[string]any{
			"id": "evaluate", "intent": "${inputs.goal}", "run": how, "output": start.Run + ".evaluation", "retry": map[string]any{"attempts": 2},
			"inputs": map[string]any{"goal": "${inputs.goal}", "run": "${inputs.run}", "status": "${inputs.status}", "trace_file": "${inputs.trace_file}"},
		}},
	})
	if err != nil {
		return workflows.Start{}, err
	}
	start.Inputs = map[string]json.RawMessage{
		"goal": jsonText(g.Goal), "run": jsonText(about.Run), "status": jsonText(string(about.Status)), "trace_file": jsonText(about.TraceFile),
	}
	start.Name, start.Text, start.Folder, start.Env, start.Mode = workflows.EvaluationRun, string(raw), start.Workspace, a.stepEnv(), ""
	return start, nil
}
