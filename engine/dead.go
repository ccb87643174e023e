package engine

import (
	"context"

	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// mostDead bounds how many sessions one list of dead letters looks into: the newest ones.
const mostDead = 200

// deadLetters lists the steps that failed for good, of one run or of all, those of the newest runs first.
func deadLetters(e *Engine, p *Projector) func(context.Context, string, RunAsk) (any, error) {
	return func(ctx context.Context, _ string, q RunAsk) (any, error) {
		if err := p.Current(ctx); err != nil {
			return nil, err
		}
		out := []workflows.DeadLetter{}
		for _, session := range mayHaveFailed(p, q.Run) {
			found, err := As[[]workflows.DeadLetter](e.View(ctx, session, func(s *workflows.State, _ sessions.World) (any, error) {
				return s.DeadLetters(), nil
			}))
			if err != nil {
				return nil, err
			}
			for _, d := range found {
				if q.Run == "" || d.Run == q.Run {
					out = append(out, d)
				}
			}
		}
		return out, nil
	}
}

// mayHaveFailed lists the sessions of runs in which a step may have failed.
func mayHaveFailed(p *Projector, run string) []string {
	var out []string
	seen := map[string]bool{}
	p.Index(func(x *projections.Index) {
		for _, row := range x.Runs() {
			if row.Status == "completed" || row.Status == "cancelled" || run != "" && row.ID != run || seen[row.Session] || len(out) == mostDead {
				continue
			}
			seen[row.Session] = true
			out = append(out, row.Session)
		}
	})
	return out
}
