//go:build linux

package faults_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/bundle"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream"
)

// logged is a commit as it stands in the log.
type logged struct {
	entity stream.Entity
	bytes  []byte
}

// frame is the commit taken apart.
func (l logged) frame(t *testing.T) events.Frame {
	t.Helper()
	f, err := events.Open(l.bytes)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAudit: whoever changes the log behind Baton's back, knowing all there is to know of NATS and of
// frames, is found out by an audit.
func TestAudit(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	session := h.session()
	for i := range 8 {
		h.must("ctx", "set", "k", fmt.Sprintf("value %d", i))
	}
	h.must("ctx", "set", "large", strings.Repeat("x", 100_000))
	checkpoint := h.must("audit", "seal")
	if r := h.run("audit", "verify"); r.code != 0 || !strings.Contains(r.stdout, "the seal at sequence") || !strings.Contains(r.stdout, "the anchor") {
		t.Fatalf("a whole log: exit %d %s%s", r.code, r.stdout, r.stderr)
	}
	h.must("ctx", "set", "k", "after the seal")
	log, values := h.readAll()
	of := func(log []logged) (at []int) {
		for i, l := range log {
			if l.entity.Session() == session {
				at = append(at, i)
			}
		}
		return at
	}
	last := func(log []logged) events.Link {
		at := of(log)
		return log[at[len(at)-1]].frame(t).Link()
	}
	h.must("stop", "--force")
	for name, change := range map[string]func(log []logged, values map[string][]byte) []logged{
		"nothing": func(log []logged, _ map[string][]byte) []logged { return log },
		"one event edited": func(log []logged, _ map[string][]byte) []logged {
			l := &log[of(log)[4]]
			l.bytes = bytes.Replace(l.bytes, []byte("value 3"), []byte("value 9"), 1)
			return log
		},
		"one event edited and sealed again": func(log []logged, _ map[string][]byte) []logged {
			l := &log[of(log)[4]]
			f := l.frame(t)
			f.Events[0].Actor = "another"
			forged, err := events.Seal(f.Session, events.Link{N: f.N - 1, Hash: f.Prev}, f.Writer, f.Events)
			if err != nil {
				t.Fatal(err)
			}
			l.bytes = forged.Bytes()
			return log
		},
		"one event removed": func(log []logged, _ map[string][]byte) []logged { return slices.Delete(log, of(log)[4], of(log)[4]+1) },
		"two events swapped": func(log []logged, _ map[string][]byte) []logged {
			at := of(log)
			log[at[3]], log[at[4]] = log[at[4]], log[at[3]]
			return log
		},
		"an end cut off": func(log []logged, _ map[string][]byte) []logged { return log[:of(log)[len(of(log))-1]] },
		"one appended": func(log []logged, _ map[string][]byte) []logged {
			f, err := events.Seal(session, last(log), "p", log[of(log)[2]].frame(t).Events)
			if err != nil {
				t.Fatal(err)
			}
			log[of(log)[2]].bytes = f.Bytes() // where it does not belong
			return log
		},
		"a payload gone": func(log []logged, values map[string][]byte) []logged {
			for sha := range values {
				delete(values, sha)
			}
			return log
		},
	} {
		t.Run(name, func(t *testing.T) {
			hurt := h.copyOf(t)
			rewritten := map[string][]byte{}
			for sha, value := range values {
				rewritten[sha] = value
			}
			hurt.rewrite(change(slices.Clone(log), rewritten), rewritten)
			hurt.auditFinds(name != "nothing", session)
			if name != "an end cut off" {
				return
			}
			// Without an anchor only the seal can know.
			hurt = h.copyOf(t)
			hurt.rewrite(slices.Clone(log)[:of(log)[len(of(log))-2]], values)
			if err := os.RemoveAll(hurt.baton("anchor")); err != nil {
				t.Fatal(err)
			}
			hurt.auditFinds(true, session)
		})
	}
	if !strings.Contains(checkpoint, "\n\n— baton-") {
		t.Errorf("the checkpoint is %q", checkpoint)
	}
}

func (h *home) auditFinds(something bool, session string) {
	h.t.Helper()
	r := h.run("audit", "verify", "--json")
	got := answer[engine.Audited](h.t, r.stdout)
	if !something && (r.code != 0 || len(got.Problems) > 0) {
		h.t.Errorf("of a whole log it says %s", r.stdout)
	}
	if something && (r.code != 9 || !slices.ContainsFunc(got.Problems, func(p engine.AuditFault) bool { return strings.Contains(p.Entity, session) })) {
		h.t.Errorf("exit %d, found %+v", r.code, got.Problems)
	}
}

// readAll reads the whole log and every value that it names.
func (h *home) readAll() (log []logged, values map[string][]byte) {
	h.t.Helper()
	store, values := h.store(), map[string][]byte{}
	head, err := store.Head(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	for rec, err := range store.Tail(h.t.Context(), 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		log = append(log, logged{rec.Entity, rec.Frame.Bytes()})
		for _, sha := range bundle.Named(rec.Frame) {
			if values[sha], err = store.Get(h.t.Context(), sha); err != nil {
				h.t.Fatal(err)
			}
		}
		if rec.Sequence >= head {
			break
		}
	}
	return log, values
}

// rewrite makes the home's store anew, with a log of the same name that holds these commits.
func (h *home) rewrite(log []logged, values map[string][]byte) {
	t := h.t
	t.Helper()
	installation, err := os.ReadFile(h.baton("installation"))
	if err == nil {
		err = os.RemoveAll(h.baton("store"))
	}
	if err != nil {
		t.Fatal(err)
	}
	server, err := jetstream.Start(t.Context(), jetstream.ServerConfig{StoreDir: filepath.Join(h.baton("store")), Token: h.token()})
	if err != nil {
		t.Fatal(err)
	}
	store, err := jetstream.Open(t.Context(), jetstream.Config{Server: server, Token: h.token(), New: strings.TrimSpace(string(installation))})
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range values {
		if _, err := store.Put(t.Context(), value); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range log {
		if _, err := store.Raw(t.Context(), l.entity, l.bytes); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(store.Close(), server.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestForeignCommit: a commit that fits, appended beside a running server, is nobody's.
func TestForeignCommit(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	session := h.session()
	h.must("ctx", "set", "k", "v")
	log, _ := h.readAll()
	var line []events.Frame
	for _, l := range log {
		if l.entity.Session() == session {
			line = append(line, l.frame(t))
		}
	}
	forged, err := events.Seal(session, line[len(line)-1].Link(), "p", line[1].Events)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store().Raw(t.Context(), stream.SessionEntity(session), forged.Bytes()); err != nil {
		t.Fatal(err)
	}
	h.auditFinds(true, session)
}

// TestBundleTakesTheSealAlong: a sealed session goes out with its checkpoint, and any byte changed of it is
// found.
func TestBundleTakesTheSealAlong(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	session := h.session()
	h.must("ctx", "set", "k", "v")
	h.must("audit", "seal")
	h.must("ctx", "set", "k", "later")
	path := filepath.Join(h.work, "session.bundle")
	h.must("audit", "export", "--session", session, "--out", path)
	h.must("stop", "--force")
	away := h.with("BATON_HOME=" + filepath.Join(h.dir, "nowhere"))
	got := ask[bundle.Report](away, "audit", "verify", "--bundle", path)
	if len(got.Seals) != 1 || got.Seals[0].Session != session || got.Seals[0].Commits != 2 || got.Commits != 3 {
		t.Fatalf("the bundle verifies as %+v", got)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		for bit := range 8 {
			changed := bytes.Clone(text)
			changed[i] ^= 1 << bit
			if _, err := bundle.Verify(bytes.NewReader(changed)); err == nil {
				t.Fatalf("bit %d of byte %d changed and not found: %q", bit, i, text[max(0, i-20):min(len(text), i+20)])
			}
		}
	}
	text[len(text)/2] ^= 1
	write(t, path, text)
	if r := away.run("audit", "verify", "--bundle", path); r.code != 9 {
		t.Errorf("of a changed bundle it says %d: %s%s", r.code, r.stdout, r.stderr)
	}
}
