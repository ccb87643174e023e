package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/engine/freeze"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// reading counts how many commits of sessions are read, and lets a test lose or spoil what is kept.
type reading struct {
	ports
	mu    sync.Mutex
	read  int
	spoil func(snapshot []byte) []byte
}

func (r *reading) Read(ctx context.Context, entity stream.Entity, after uint64) iter.Seq2[stream.Record, error] {
	return func(yield func(stream.Record, error) bool) {
		for rec, err := range r.ports.Read(ctx, entity, after) {
			r.mu.Lock()
			r.read++
			r.mu.Unlock()
			if !yield(rec, err) {
				return
			}
		}
	}
}

func (r *reading) Load(ctx context.Context, key string) ([]byte, error) {
	snapshot, err := r.ports.Load(ctx, key)
	if err == nil && r.spoil != nil {
		snapshot = r.spoil(snapshot)
	}
	return snapshot, err
}

func (r *reading) reset() { r.mu.Lock(); r.read = 0; r.mu.Unlock() }

func (r *reading) count() int { r.mu.Lock(); defer r.mu.Unlock(); return r.read }

// frozen gives the bytes of a session's whole state.
func (w *world) frozen(t *testing.T, session string) string {
	t.Helper()
	got, err := w.View(t.Context(), session, func(s *workflows.State, _ sessions.World) (any, error) {
		raw, err := freeze.Freeze(s)
		return string(raw), err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got.(string)
}

func longText(steps int) string {
	var b strings.Builder
	b.WriteString("steps:\n")
	for i := range steps {
		fmt.Fprintf(&b, "  - {id: s%d, run: {builtin: noop}, output: k%d}\n", i, i)
	}
	return b.String()
}

// TestALongSessionOpensAtTheCostOfItsTail: a process that comes later reads the commits after the snapshot and
// no others, and has the very state that all of them fold to. Whatever is wrong with a snapshot, it is
// not used, and the session is folded from its beginning.
func TestALongSessionOpensAtTheCostOfItsTail(t *testing.T) {
	t.Parallel()
	session := named("long")
	for name, spoil := range map[string]func([]byte) []byte{
		"as it was kept":      nil,
		"a byte was changed":  func(b []byte) []byte { b[len(b)-9] ^= 1; return b },
		"its end is cut off":  func(b []byte) []byte { return b[:len(b)/2] },
		"of another session":  func(b []byte) []byte { return []byte(strings.Replace(string(b), session, named("x"), 1)) },
		"of another commit":   func(b []byte) []byte { return []byte(strings.Replace(string(b), `"hash":"`, `"hash":"0`, 1)) },
		"nothing":             func([]byte) []byte { return nil },
		"at a later sequence": func(b []byte) []byte { return []byte(strings.Replace(string(b), `"sequence":`, `"sequence":9`, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log := &reading{ports: newStore(), spoil: spoil}
				first := newBubbled(t, worldConfig{store: log, slots: 1})
				first.start(t, session, longText(60))
				first.await(t, session)
				synctest.Wait()
				first.stop()
				first.Close()
				commits := len(frames(t, log, session))
				log.reset()
				second := newBubbled(t, worldConfig{store: log, process: "s2", unattended: true})
				got := second.frozen(t, session)
				read := log.count()
				if spoil == nil && read > commits/8 || spoil != nil && read < commits {
					t.Errorf("%d of %d commits were read", read, commits)
				}
				whole := newBubbled(t, worldConfig{store: &reading{ports: log, spoil: func([]byte) []byte { return nil }}, process: "s3", unattended: true})
				if diff := cmp.Diff(whole.frozen(t, session), got); diff != "" {
					t.Errorf("the state is another than that of all commits: %s", diff)
				}
			})
		})
	}
}

// TestFoldsAreBounded: of many sessions those asked last stay in memory, and the others are read again
// when somebody asks.
func TestFoldsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const sessions = 12
		log := &reading{ports: newStore()}
		w := newBubbled(t, worldConfig{store: log, slots: 1, folds: 200 << 10, unattended: true})
		size := 0
		for i := range sessions {
			id := named(fmt.Sprint("many ", i))
			w.start(t, id, longText(20))
			w.await(t, id)
			for _, f := range frames(t, log, id) {
				size += len(f.Bytes())
			}
		}
		time.Sleep(time.Second)
		read := func(i int) int {
			log.reset()
			w.view(t, named(fmt.Sprint("many ", i)))
			time.Sleep(time.Second)
			return log.count()
		}
		if size < 150<<10 {
			t.Fatalf("only %d bytes of commits: nothing is tried", size)
		}
		if n := read(sessions - 1); n > 0 {
			t.Errorf("the session asked last was read again, %d commits", n)
		}
		if n := read(0); n == 0 {
			t.Error("the session asked first was never let go")
		}
		if n := read(0); n > 0 {
			t.Errorf("now that it was asked last it was read again, %d commits", n)
		}
	})
}

var errNoBucket = errors.New("the bucket is gone")

type bucketless struct{ ports }

func (bucketless) Load(context.Context, string) ([]byte, error) { return nil, errNoBucket }
func (bucketless) Save(context.Context, string, []byte) error   { return errNoBucket }

// TestNothingNeedsSnapshots: without a place for them everything goes on as if there were none.
func TestNothingNeedsSnapshots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newBubbled(t, worldConfig{store: bucketless{newStore()}, slots: 1})
		w.start(t, named("s"), longText(30))
		if v := w.await(t, named("s")); v.Status != workflows.Completed {
			t.Errorf("the run is %s", v.Status)
		}
	})
}
