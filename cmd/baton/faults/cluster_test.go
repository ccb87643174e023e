//go:build linux

package faults_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream"
	"github.com/batonflow/baton/stream/jetstream/natstest"
)

// refusedWithin is how long the minority may take to say that it takes no write.
const refusedWithin = 15 * time.Second

// on is the home as a user of the cluster sees it.
func (h *home) on(c *natstest.Cluster, user string) *home {
	return h.with("BATON_NATS_URL=" + c.URL(user))
}

// apart gives the same home to another person, with an installation folder of their own.
func (h *home) apart(name string) *home { return h.with("BATON_HOME=" + h.baton("..", name)) }

// write sets a key until it is acknowledged, and gives its revision.
func (h *home) write(value string) (rev int) {
	h.t.Helper()
	await(h.t, "a write that gets in", func() bool {
		r := h.run("ctx", "set", "k", value, "--request-id", value, "--json")
		if r.code == 0 {
			rev = answer[written](h.t, r.stdout).Rev
		}
		return r.code == 0
	})
	return rev
}

// TestALeaderIsCutOff: of three nodes the one that leads the log stands still for a while, and then the two
// others do. As long as there is a majority work goes on; without one, writes are refused within seconds;
// nothing acknowledged is lost, and each step has one result.
func TestALeaderIsCutOff(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Config{})
	base := newHome(t)
	h := base.on(c, "command")
	base.on(c, "server").apart("server").serveWhenReady()
	for i := range 2 {
		base.on(c, "worker").apart("worker"+strconv.Itoa(i)).worker("--concurrency", "2")
	}
	if got := ask[struct{ Server struct{ Durability string } }](h, "status").Server.Durability; got != "replicated" {
		t.Errorf("status says durability %q, want replicated", got)
	}
	session := h.session()
	told := map[string]int{"before": h.write("before")}
	started := h.detach(h.template(chains(2, 12, "sleep 0.3")...), "--request-id", "chains")

	leader := c.Leader("BATON", "BATON_EVENTS")
	if leader == nil {
		t.Fatal("nobody leads the log")
	}
	await(t, "a step that was done", func() bool { return len(h.ledger()) > 2 })
	leader.Stop()
	did := len(h.ledger())
	await(t, "steps while the leader stands still", func() bool { return len(h.ledger()) > did+6 })
	told["without its leader"] = h.write("without its leader")
	if now := c.Leader("BATON", "BATON_EVENTS"); now == nil || now == leader {
		t.Errorf("node %s leads the log, which node %s led before it was stopped", name(now), leader.Name)
	}
	leader.Continue()
	await(t, "a leader that follows", func() bool { return c.Leader("BATON", "BATON_EVENTS") != nil })

	leader = c.Leader("BATON", "BATON_EVENTS")
	minority := openAlone(t, leader)
	for _, n := range c.Nodes {
		if n != leader {
			n.Stop()
		}
	}
	begun := time.Now()
	line := &line{entity: stream.SessionEntity(minoritySession), link: events.Genesis(minority.Installation(), minoritySession)}
	var err error
	for err == nil { // what was under way when the others stopped may still get in
		err = line.append(t, minority)
	}
	took := time.Since(begun)
	t.Logf("the minority took %d commits and refused after %v: %v", line.link.N, took, err)
	if !errors.Is(err, stream.ErrUnavailable) || took > refusedWithin+noise {
		t.Errorf("the minority answered after %v: %v", took, err)
	}
	for _, n := range c.Nodes {
		n.Continue()
	}
	told["after it"] = h.write("after it")
	line.check(t, minority)
	h.checkCluster(session, started, told)
	h.checkElsewhere(c, base, started.Session)
}

const minoritySession = "00000000-0000-8000-8000-000000000007"

// openAlone opens the log through one node.
func openAlone(t *testing.T, n *natstest.Node) *jetstream.Store {
	t.Helper()
	var s *jetstream.Store
	await(t, "a node that answers for all streams", func() bool {
		var err error
		s, err = jetstream.Open(t.Context(), jetstream.Config{URL: n.URL("server"), Logger: slog.New(slog.DiscardHandler)})
		return err == nil
	})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// line is a session that is written commit by commit.
type line struct {
	entity stream.Entity
	after  uint64
	link   events.Link
}

func (l *line) append(t *testing.T, s *jetstream.Store) error {
	t.Helper()
	var fact events.Data = events.ContextSet{Key: "k", Value: events.Value{JSON: json.RawMessage("1")}, Rev: int(l.link.N), By: "faults"}
	if l.link.N == 0 {
		fact = events.SessionStarted{Goal: "in the minority", Mode: "auto"}
	}
	e := events.New(fact)
	e.ID, e.Time, e.Actor = "01MINORITY"+strconv.FormatUint(l.link.N, 10), time.Now().UTC().Round(0), "faults"
	f, err := events.Seal(l.entity.Name(), l.link, "faults", []events.Event{e})
	if err != nil {
		t.Fatal(err)
	}
	sequence, err := s.Append(t.Context(), l.entity, l.after, f)
	if err == nil {
		l.after, l.link = sequence, f.Link()
	}
	return err
}

// check: every commit that was acknowledged is there, and at the most the one that was refused besides.
func (l *line) check(t *testing.T, s *jetstream.Store) {
	t.Helper()
	var there uint64
	await(t, "a log that can be read", func() bool {
		there = 0
		for _, err := range s.Read(t.Context(), l.entity, 0) {
			if err != nil {
				return false
			}
			there++
		}
		return true
	})
	if there < l.link.N || there > l.link.N+1 {
		t.Errorf("%d commits were acknowledged, %d are there", l.link.N, there)
	}
}

func name(n *natstest.Node) string {
	if n == nil {
		return "(none)"
	}
	return n.Name
}

// serveWhenReady serves as soon as the cluster has a leader.
func (h *home) serveWhenReady() {
	h.t.Helper()
	await(h.t, "a server that finds the cluster ready", func() bool {
		c := h.start("serve", "--http", "127.0.0.1:0", "--workers", "0")
		await(h.t, "a server that says how it is", func() bool { return c.ended() || strings.Contains(c.said.String(), "serving ") })
		return !c.ended()
	})
}

// checkCluster: the run has ended with one result a step, and every acknowledged write is there once.
func (h *home) checkCluster(session string, started run, told map[string]int) {
	h.t.Helper()
	var last run
	await(h.t, "the end of the run", func() bool {
		r := h.run("workflow", "show", started.Run, "--json") // the cluster may still be choosing its leaders
		if r.code != 0 {
			return false
		}
		last = answer[run](h.t, r.stdout)
		return last.Status != "running"
	})
	if last.Status != "completed" {
		h.t.Errorf("the run is %s", last.Status)
	}
	lines := h.events(last.Session)
	all := attempts(h.t, lines)
	checkLedger(h.t, h.ledger(), all)
	for call, tries := range all {
		if tries[len(tries)-1].end != "call.closed" {
			h.t.Errorf("%s ended as %+v", call, tries)
		}
	}
	h.checkWhole(last.Session, lines)
	stored := map[string]int{}
	for _, e := range h.events(session) {
		var d struct {
			Key   string
			Value struct{ JSON json.RawMessage }
			Rev   int
		}
		if e.Type == "context.set" && json.Unmarshal(e.Data, &d) == nil && d.Key == "k" {
			value, _ := strconv.Unquote(string(d.Value.JSON))
			if stored[value] != 0 {
				h.t.Errorf("%q is stored twice", value)
			}
			stored[value] = d.Rev
		}
	}
	for value, rev := range told {
		if stored[value] != rev {
			h.t.Errorf("%q was acknowledged as revision %d and stands at %d", value, rev, stored[value])
		}
	}
	h.must("audit", "verify")
}

// checkElsewhere: another server, on another machine as far as it can tell, reads the same out of the log.
func (h *home) checkElsewhere(c *natstest.Cluster, base *home, session string) {
	h.t.Helper()
	readers := [][]string{
		{"replay", "--session", session, "--json"}, {"trace", "--session", session, "--format", "json"},
		{"events", "--session", session, "--json"}, {"replay", "--session", session, "--verify", "--json"},
	}
	read := func(h *home) (out []string) {
		for _, args := range readers {
			out = append(out, h.must(args...))
		}
		return out
	}
	here := read(h)
	for _, p := range processesOf(base.dir) {
		if p.isBaton() {
			kill(h.t, p.pid)
		}
	}
	files := h.outputs(session)
	there := newHome(h.t, "TZ=Asia/Tokyo", "LC_ALL=zh_CN.UTF-8", "LANG=zh_CN.UTF-8")
	there.on(c, "server").apart("server").serveWhenReady()
	if diff := cmp.Diff(here, read(there.on(c, "command"))); diff != "" {
		h.t.Errorf("read elsewhere it differs:\n%s", diff)
	}
	if err := os.RemoveAll(filepath.Join(h.work, "outputs")); err != nil {
		h.t.Fatal(err)
	}
	there.on(c, "command").must("projections", "rebuild")
	if diff := cmp.Diff(files, h.outputs(session)); diff != "" {
		h.t.Errorf("the files written elsewhere differ:\n%s", diff)
	}
}
