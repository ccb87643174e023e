package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// A service that asks to be left alone is left alone, also where the template knows no backoff.
func TestTheNextAttemptKeepsToWhatTheServiceAskedFor(t *testing.T) {
	t.Parallel()
	var second time.Time
	w := newWorld(t, worldConfig{slots: 1, work: func(_ context.Context, task workers.Task) workers.Outcome {
		if task.Attempt == 1 {
			return workers.Outcome{Failure: &events.Failure{Class: workers.Retryable, Code: "http_status", Message: "429", RetryAfter: 0.2}}
		}
		second = time.Now()
		return workers.Outcome{}
	}})
	begun := time.Now()
	w.start(t, waitSession, "name: x\nsteps:\n  - {id: a, run: {builtin: noop}, retry: {attempts: 2, backoff: 1ms}}\n")
	if v := w.await(t, waitSession); v.Status != workflows.Completed || second.Sub(begun) < 200*time.Millisecond {
		t.Errorf("status %s, second attempt after %v", v.Status, second.Sub(begun))
	}
}
