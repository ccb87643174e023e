package bench_test

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/batonflow/baton/cmd/baton/bench"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/stream"
)

func config(t *testing.T) bench.Config {
	t.Helper()
	return bench.Config{
		Host:    host.Options{Durability: stream.Durability{Class: stream.Interval, Every: time.Second}, Home: host.Home{Dir: filepath.Join(t.TempDir(), "home")}, Lease: 10 * time.Second, Log: io.Discard, Version: "0.0.0"},
		Payload: 200, Runs: 4, Branch: 40, For: 50 * time.Millisecond, Events: 600, Steps: 60,
	}
}

func figures(r bench.Report) map[string]bench.Result {
	out := map[string]bench.Result{}
	for _, one := range r.Results {
		out[one.Name] = one
	}
	return out
}

func TestAChainCostsOneCommitAStepAndOneToStart(t *testing.T) {
	t.Parallel()
	for _, payload := range []int{0, 200} {
		c := config(t)
		c.Payload, c.Only = payload, []string{"chain", "chain-many", "chain-files", "fan-out", "fan-out-8"}
		got, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if n := figures(got)["chain commits per step"].Value; n != 1.1 {
			t.Errorf("payload %d: %v commits a step in chains of ten, want 11 for 10", payload, n)
		}
		for _, name := range []string{"chain, 1 run", "chain, 1 run, latency a step", "chain, 4 runs"} {
			if one := figures(got)[name]; one.Value <= 0 || one.Ratio == nil || figures(got)[one.Of].Value <= 0 {
				t.Errorf("%s is %+v, want a figure with a ratio to another", name, one)
			}
		}
		whole(t, c.Host)
	}
}

// whole checks that the log left behind is one that any server could have left: its chains hold, deciding
// again gives the same, and every step has one start and one end.
func whole(t *testing.T, o host.Options) {
	t.Helper()
	err := host.Within(t.Context(), o, nil, func(ctx context.Context, s *host.Server) error {
		audited, err := engine.As[engine.Audited](s.Queries()["audit"](ctx, "", json.RawMessage("{}")))
		if err != nil || len(audited.Problems) > 0 {
			t.Errorf("audit: %+v, %v", audited.Problems, err)
		}
		if err := s.Projector().Current(ctx); err != nil {
			return err
		}
		var list []projections.SessionRow
		s.Projector().Index(func(x *projections.Index) { list = slices.Clone(x.Sessions()) })
		if len(list) < 10 {
			t.Errorf("%d sessions are there", len(list))
		}
		for _, session := range list {
			v, err := engine.As[engine.Verified](s.Queries()["verify"](ctx, session.ID, json.RawMessage("{}")))
			if err != nil || !v.Equal {
				t.Errorf("session %s: %+v, %v", session.ID, v.Difference, err)
			}
			startedOnce(ctx, t, s, session.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func startedOnce(ctx context.Context, t *testing.T, s *host.Server, session string) {
	t.Helper()
	page, err := engine.As[engine.EventPage](s.Queries()["events"](ctx, session, json.RawMessage(`{"after":0,"limit":100000}`)))
	if err != nil {
		t.Fatal(err)
	}
	started, closed := map[string]int{}, map[string]int{}
	for _, e := range page.Events {
		switch e.Type {
		case events.New(events.CallStarted{}).Type:
			started[e.Call]++
		case events.New(events.CallClosed{}).Type:
			closed[e.Call]++
		}
	}
	for call, n := range started {
		if n != 1 || closed[call] != 1 {
			t.Errorf("session %s: call %s has %d starts and %d ends", session, call, n, closed[call])
		}
	}
}

func TestEveryPartIsMeasured(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.Only = []string{"replay", "route", "resume"}
	got, err := bench.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"replay of a session of 600 events", "projections rebuild", "route over 200 skills", "scan of 200 skills",
		"resume at step 30 of 60, with the start of the server",
	} {
		if figures(got)[name].Value <= 0 {
			t.Errorf("%s was not measured: %+v", name, got.Results)
		}
	}
}

func TestAnUnknownPartIsRefused(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.Only = []string{"chian"}
	if _, err := bench.Run(t.Context(), c); err == nil {
		t.Error("a part that is not there was measured")
	}
}
