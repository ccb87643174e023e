package host

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/acquire"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/builtin"
	"github.com/batonflow/baton/workflows"
)

// acquisition makes the steps of acquisitions into built-in functions of this home. Whether a person
// agreed is asked of the log.
func acquisition(home Home, env map[string]string, ask engine.Client) map[string]builtin.Effect {
	out := map[string]builtin.Effect{}
	for name, step := range acquire.Steps() {
		out[name] = func(ctx context.Context, t workers.Task, in builtin.Input, live io.Writer) (json.RawMessage, *events.Failure) {
			shop, err := acquire.Open(home.Dir, t.Run, env)
			if err != nil {
				return nil, acquire.FailureOf(err)
			}
			shop.Consent = func(ctx context.Context) (acquire.Consent, error) { return consent(ctx, ask, t) }
			value, err := step(ctx, shop, acquire.Job{Session: t.Session, Run: t.Run, Inputs: in.Inputs, Context: in.Context, Live: live})
			if ctx.Err() != nil {
				return nil, workers.Failed(workers.ClassOf(context.Cause(ctx)), "acquire_stopped", name+" was stopped: "+context.Cause(ctx).Error()).Failure
			}
			if err != nil {
				return nil, acquire.FailureOf(err)
			}
			raw, err := events.Marshal(value)
			if err != nil {
				return nil, acquire.FailureOf(fmt.Errorf("encode what %s gave: %w", name, err))
			}
			return raw, nil
		}
	}
	return out
}

// confirmStep is the step at which an acquisition asks a person.
const confirmStep = "confirm"

// consent is the answer that the log has to the question of an acquisition.
func consent(ctx context.Context, ask engine.Client, t workers.Task) (acquire.Consent, error) {
	list, err := engine.As[[]workflows.ApprovalView](ask.Query(ctx, "run.approvals", t.Session, engine.RunAsk{Run: t.Run}))
	if err != nil {
		return acquire.Consent{}, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		if a := list[i]; a.Step == confirmStep && a.Decided && a.AnsweredAt != nil {
			return acquire.Consent{Yes: a.Yes, By: a.By, Note: a.Note, Question: a.Question, At: *a.AnsweredAt}, nil
		}
	}
	return acquire.Consent{}, nil
}

// inputsOf are the values that a run was started with.
func inputsOf(s *workflows.State, w sessions.World, q engine.RunAsk) (any, error) {
	r, err := s.FindRun(q.Run)
	if err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	for name, value := range r.Inputs {
		if out[name], err = w.Value(value); err != nil {
			return nil, fmt.Errorf("input %s: %w", name, err)
		}
	}
	return out, nil
}

// coarse is how far a file system's clock may be behind.
const coarse = 20 * time.Millisecond

// installedSince says whether a skill was brought in or taken away since a moment, so that it can be
// routed to at once. Looking at the one folder that acquisitions write to costs nothing.
func (h Home) installedSince(at time.Time) bool {
	info, err := os.Stat(acquire.Skills(h.Dir))
	return err == nil && !info.ModTime().Before(at.Add(-coarse))
}
