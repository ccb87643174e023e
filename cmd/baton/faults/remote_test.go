//go:build linux

package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream/jetstream"
	"github.com/batonflow/baton/workflows"
)

// cluster is a NATS server that no Baton process owns.
type cluster struct {
	t     *testing.T
	nats  *jetstream.Server
	store *jetstream.Store
}

const clusterToken = "faults-faults-faults-faults"

func newCluster(t *testing.T) *cluster {
	t.Helper()
	s, err := jetstream.Start(t.Context(), jetstream.ServerConfig{
		StoreDir: filepath.Join(t.TempDir(), "store"), Token: clusterToken, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &cluster{t: t, nats: s}
}

// address is host:port of the server; via is how a home reaches it over that or another address.
func (c *cluster) address() string { return strings.TrimPrefix(c.nats.URL(), "nats://") }

func (c *cluster) via(h *home, address string) *home {
	return h.with("BATON_NATS_URL=nats://" + clusterToken + "@" + address)
}

// serve starts a server of the cluster on a home of its own, over an address, and gives its process id.
func (c *cluster) serve(address string) (h *home, process string) {
	c.t.Helper()
	h = c.via(newHome(c.t), address)
	child := h.serve("--workers", "0")
	if c.store == nil {
		c.connect() // the first server has made the streams
	}
	await(c.t, "the server among those who answer", func() bool {
		got, err := askOne[host.Endpoint](c, engine.QuerySubject, "server", "", engine.None{})
		process = got.Process
		return err == nil && got.PID == child.Process.Pid
	})
	return h, process
}

func (c *cluster) connect() {
	c.t.Helper()
	s, err := jetstream.Open(c.t.Context(), jetstream.Config{URL: c.nats.URL(), Token: clusterToken, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = s.Close() })
	c.store = s
}

// askOne asks whoever serves the subject.
func askOne[T any](c *cluster, subject, name, session string, question any) (out T, err error) {
	data, err := events.Marshal(question)
	if err != nil {
		return out, err
	}
	raw, err := events.Marshal(engine.Request{Name: name, Session: session, Meta: engine.Meta{Actor: "faults"}, Data: data})
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got, err := c.store.Ask(ctx, subject, raw)
	if err != nil {
		return out, err
	}
	var reply engine.Reply
	if err := json.Unmarshal(got, &reply); err != nil {
		return out, err
	}
	if reply.Refusal != nil {
		return out, reply.Refusal
	}
	return out, json.Unmarshal(reply.Value, &out)
}

// set lets one process write a value.
func (c *cluster) set(process, session, key, value string) (written, error) {
	set := workflows.Of(sessions.SetContext{Key: key, Value: events.Value{JSON: fmt.Appendf(nil, "%q", value)}})
	return askOne[written](c, engine.Of(engine.CommandSubject, process), workflows.NameOf(set), session, set)
}

// TestSlowRemoteWriter: a server that is 5 ms away from the log, one way, writes to a session that
// another one beside the log keeps busy. It never wins the sequence by itself.
func TestSlowRemoteWriter(t *testing.T) {
	t.Parallel()
	const oneWay, remote = 5 * time.Millisecond, 20
	c := newCluster(t)
	home, near := c.serve(c.address())
	_, far := c.serve(newProxy(t, c.address(), oneWay).addr())
	session := home.session()
	stop := make(chan struct{})
	var busy sync.WaitGroup
	for w := range 4 {
		busy.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := c.set(near, session, fmt.Sprintf("near.w%d", w), fmt.Sprint(i)); err != nil {
					t.Errorf("the near writer: %v", err)
					return
				}
			}
		})
	}
	sent, took := make([]time.Time, remote), make([]time.Duration, remote)
	for i := 0; i < remote && !t.Failed(); i++ {
		sent[i] = time.Now()
		if w, err := c.set(far, session, "far", fmt.Sprint("value ", i)); err != nil || w.Rev != i+1 {
			t.Errorf("remote command %d: %+v, %v", i, w, err)
		}
		took[i] = time.Since(sent[i])
	}
	close(stop)
	busy.Wait()
	if t.Failed() {
		return
	}
	lines := home.events(session)
	home.checkWhole(session, lines)
	if n := countKey(lines, "far"); n != remote {
		t.Errorf("%d remote writes are stored, want %d", n, remote)
	}
	passed := passedBy(t, lines, sent)
	slices.Sort(took)
	slices.Sort(passed)
	all := len(lines)
	t.Logf("%d commits in all; a remote command takes %v in the middle and %v at the worst, and is passed by %d and %d commits of the other",
		all, took[remote/2], took[remote-1], passed[remote/2], passed[remote-1])
	const roundTrip = 2 * oneWay
	if middle, worst := took[remote/2], took[remote-1]; middle > 10*roundTrip || worst > 30*roundTrip+2*noise {
		t.Errorf("remote commands took %v in the middle and %v at the worst", middle, worst)
	}
}

func keyOf(e engine.EventLine) string {
	var d struct{ Key string }
	_ = json.Unmarshal(e.Data, &d) // other events have none
	return d.Key
}

func countKey(lines []engine.EventLine, key string) (n int) {
	for _, e := range lines {
		if keyOf(e) == key {
			n++
		}
	}
	return n
}

// passedBy counts the commits between a remote command's being sent and its own.
func passedBy(t *testing.T, lines []engine.EventLine, sent []time.Time) (out []int) {
	t.Helper()
	i, commits, last := 0, 0, uint64(0)
	for _, e := range lines {
		if i < len(sent) && e.N != last && e.Time.After(sent[i]) {
			commits++
		}
		last = e.N
		if keyOf(e) == "far" && i < len(sent) {
			out = append(out, commits)
			commits = 0
			i++
		}
	}
	if len(out) != len(sent) {
		t.Fatalf("%d remote commits, want %d", len(out), len(sent))
	}
	return out
}
