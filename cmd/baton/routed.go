package main

import (
	"context"
	"os"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
	"github.com/batonflow/baton/workflows/template"
)

// newRouted is the command that starts a run which a router takes along, by a document of its own.
func (a *app) newRouted(router, name string, document any) (workflows.Start, error) {
	text, err := events.Marshal(document)
	if err != nil {
		return workflows.Start{}, err
	}
	start, err := a.blankStart()
	if err != nil {
		return workflows.Start{}, err
	}
	folder, err := os.Getwd()
	if err != nil {
		return workflows.Start{}, sessions.Refuse(sessions.Failed, "no_folder", "change into a folder that exists", "the current folder cannot be found: %v", err)
	}
	start.Name, start.Text, start.Folder, start.Env, start.Goal, start.Router = name, string(text), folder, a.stepEnv(), name, router
	return start, nil
}

// runRouted starts the run and waits for its end, or until it waits for a person. Where one that goes by
// the same document has not ended, it is that one which is waited for: nothing is asked again.
func (a *app) runRouted(ctx context.Context, l *link, c workflows.Start, then func(*link, engine.Watched) error) error {
	session, fresh, err := a.runSession(ctx, l, c.Run)
	if err != nil {
		return err
	}
	if !fresh {
		view, found, err := unfinished(ctx, l, session, c)
		if err != nil {
			return err
		}
		if found {
			a.note("run %s has not ended and goes by the same: it is gone on with", view.Run)
			return a.watchUntil(ctx, l, view, then)
		}
	}
	view, _, err := answerOf[workflows.View](ctx, a, l, session, c)
	if err != nil {
		return err
	}
	if fresh {
		if err := a.activate(c.Workspace, session); err != nil {
			return err
		}
	}
	return a.watchUntil(ctx, l, view, then)
}

// unfinished finds a run of the session that goes by the same document and has not ended.
func unfinished(ctx context.Context, l *link, session string, c workflows.Start) (view workflows.View, found bool, err error) {
	for _, status := range []string{"running", "waiting"} {
		rows, err := engine.As[[]projections.RunRow](l.Query(ctx, "run.list", session, engine.ListAsk{Name: c.Name, Status: status}))
		if err != nil {
			return view, false, err
		}
		for _, row := range rows {
			recorded, err := engine.As[host.TemplateInfo](l.Query(ctx, "run.template", session, engine.RunAsk{Run: row.ID}))
			if err != nil {
				return view, false, err
			}
			if recorded.SHA256 == template.Digest([]byte(c.Text)) {
				view, err = engine.As[workflows.View](l.Query(ctx, "run.show", session, engine.RunAsk{Run: row.ID}))
				return view, err == nil, err
			}
		}
	}
	return view, false, nil
}
