//go:build unix

package jetstream

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/batonflow/baton/stream/jetstream/natstest"
	"github.com/batonflow/baton/stream/streamtest"
)

// clusterLease is longer than on one server: an answer takes a majority.
const clusterLease = 2 * testLease

// clusterStore opens a store on a cluster as a user, making the installation when there is none.
func clusterStore(t *testing.T, c *natstest.Cluster, user string, cfg Config) *Store {
	t.Helper()
	cfg.URL, cfg.Logger, cfg.Lease = c.URL(user), testLogger(t), clusterLease
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		try, stop := context.WithTimeout(ctx, apiTimeout)
		s, err := Open(try, cfg)
		stop()
		if err == nil {
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		pause := time.NewTimer(100 * time.Millisecond) // the cluster has no leader yet
		<-pause.C
	}
}

// TestConformanceOnACluster runs the suite on streams with three replicas. Each test has an account of
// its own.
func TestConformanceOnACluster(t *testing.T) {
	if testing.Short() {
		t.Skip("runs three servers")
	}
	t.Parallel()
	const most = 100
	c := natstest.New(t, natstest.Config{Accounts: most})
	var opened atomic.Int32
	t.Run("suite", func(t *testing.T) {
		streamtest.Run(t, func(t *testing.T) streamtest.Fixture {
			s := clusterStore(t, c, natstest.Account(int(opened.Add(1))-1), Config{New: "01TESTINSTALLATION"})
			if n := s.Replicas(); n != 3 {
				t.Errorf("the log has %d replicas, want 3", n)
			}
			t.Cleanup(func() { clean(t, s) })
			f := fixture(t, s)
			f.Lease = clusterLease
			return f
		})
	})
	if n := opened.Load(); n > most {
		t.Errorf("the suite has %d tests, there are %d accounts", n, most)
	}
}

// clean removes what a test left, so that the nodes have no more to do with it.
func clean(t *testing.T, s *Store) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for name := range s.eventLog.js.StreamNames(ctx).Name() {
		if err := s.eventLog.js.DeleteStream(ctx, name); err != nil {
			t.Logf("delete %s: %v", name, err)
		}
	}
}
