package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/routing/task/templates"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// stopping is the answer of task stop.
type stopping struct {
	Run     string `json:"run"`
	Session string `json:"session"`
	Key     string `json:"key"`
	Rev     int    `json:"rev"`
}

func (a *app) taskStop() *cobra.Command {
	return a.verb(verb{
		use: "stop [RUN]", short: a.taskSay("end a loop after the cycle that runs; what it has is kept"),
		example: `
baton task stop
baton task stop r-01jq`, args: between(0, "RUN"),
		run: func(ctx context.Context, args []string) error {
			return a.about(ctx, args, func(l *link, run projections.RunRow) error {
				if run.Name != "task-"+task.Exploratory && run.Name != "task-"+task.Research {
					return sessions.Refuse(sessions.Conflict, "E_NO_LOOP", a.taskSay("end it with `baton workflow cancel`"), "run %s (%s) is no loop", run.ID, run.Name)
				}
				if run.Status == string(workflows.Completed) || run.Status == string(workflows.Cancelled) {
					return sessions.Refuse(sessions.Conflict, "run_over", "nothing needs to be done", "run %s is %s", run.ID, run.Status)
				}
				c := sessions.SetContext{Key: templates.Interrupt(run.ID), Value: events.Value{JSON: json.RawMessage("true")}, By: a.actor()}
				type written struct {
					Key string `json:"key"`
					Rev int    `json:"rev"`
				}
				got, _, err := answerOf[written](ctx, a, l, run.Session, workflows.Of(c))
				if err != nil {
					return err
				}
				out := stopping{Run: run.ID, Session: run.Session, Key: got.Key, Rev: got.Rev}
				return a.answer(out, func(p *page) error {
					p.line(a.taskSay("run %s ends after the cycle that runs"), run.ID)
					return nil
				})
			})
		},
	})
}
