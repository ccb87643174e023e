//go:build linux

package faults_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream/jetstream"
)

func damagedValue(n int) int { return 30_000 + 100*(n%97) }

// TestDamagedStore: a store of several blocks, stopped in order or killed, is damaged while no server runs,
// in every form of row 9. What is lost is told by doctor and by whoever writes there; what is whole goes on.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		ids := []string{h.session(), h.session(), h.session(), h.session(), h.session()}
		first, a, b, c, d := ids[0], ids[1], ids[2], ids[3], ids[4]
		client, w := h.client(), newWriters()
		write := func(per int, ids ...string) {
			var group sync.WaitGroup
			for _, id := range ids {
				group.Go(func() {
					if err := w.write(t.Context(), client, id, damagedValue, w.of(id)+per); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
		}
		write(70, first, a, b) // 8 MiB are a block
		write(80, a, b, c)
		write(60, b, c, d)
		var highest uint64
		for _, id := range ids {
			all := h.events(id)
			highest = max(highest, all[len(all)-1].Seq)
		}
		if ordered := r.IntN(2) == 0; ordered {
			h.must("stop", "--force")
		} else {
			h.killServer()
		}
		damages := damagesOfRow9(r)
		names := slices.Sorted(maps.Keys(damages))
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names[:3] {
			damage := damages[name]
			t.Run(name, func(t *testing.T) {
				hurt := h.copyOf(t)
				damage(t, hurt.baton("store", "jetstream", "$G", "streams", "BATON_EVENTS"))
				hurt.judge(w, highest)
			})
		}
	})
}

// copyOf is another home with what this one holds.
func (h *home) copyOf(t *testing.T) *home {
	t.Helper()
	other := newHome(t)
	if err := os.CopyFS(other.baton(), os.DirFS(h.baton())); err != nil {
		t.Fatal(err)
	}
	return other
}

func damagesOfRow9(r *rand.Rand) map[string]func(t *testing.T, dir string) {
	at := func(n int) int { return r.IntN(n) }
	blocks := func(t *testing.T, dir string) []string {
		list, err := filepath.Glob(filepath.Join(dir, "msgs", "*.blk"))
		if err != nil || len(list) < 3 {
			t.Fatalf("blocks are %v, %v", list, err)
		}
		slices.Sort(list)
		return list
	}
	change := func(t *testing.T, path string, f func([]byte) []byte) {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, f(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	flip := func(text []byte) []byte { text[at(len(text))] ^= 1 << at(8); return text }
	cut := func(text []byte) []byte { return text[:at(len(text))] }
	noIndex := func(dir string) { _ = os.Remove(filepath.Join(dir, "msgs", "index.db")) }
	return map[string]func(t *testing.T, dir string){
		"last bytes torn off": func(t *testing.T, dir string) { list := blocks(t, dir); change(t, list[len(list)-1], cut) },
		"last bytes torn off, no index": func(t *testing.T, dir string) {
			list := blocks(t, dir)
			change(t, list[len(list)-1], cut)
			noIndex(dir)
		},
		"a byte in the last block": func(t *testing.T, dir string) { list := blocks(t, dir); change(t, list[len(list)-1], flip) },
		"a byte in the last block, no index": func(t *testing.T, dir string) {
			list := blocks(t, dir)
			change(t, list[len(list)-1], flip)
			noIndex(dir)
		},
		"a byte in a middle block":           func(t *testing.T, dir string) { change(t, blocks(t, dir)[1], flip) },
		"a byte in a middle block, no index": func(t *testing.T, dir string) { change(t, blocks(t, dir)[1], flip); noIndex(dir) },
		"no index":                           func(_ *testing.T, dir string) { noIndex(dir) },
		"meta.inf cut":                       func(t *testing.T, dir string) { change(t, filepath.Join(dir, "meta.inf"), cut) },
		"the newest block gone": func(t *testing.T, dir string) {
			list := blocks(t, dir)
			if err := os.Remove(list[len(list)-1]); err != nil {
				t.Fatal(err)
			}
		},
	}
}

// checks is what doctor says.
type checks struct {
	Checks []struct{ Name, Level, Found, Code string }
}

func (c checks) quarantined() (out []string) {
	for _, f := range c.Checks {
		if f.Name == "quarantine" && f.Code == "session_quarantined" {
			id, _, _ := strings.Cut(strings.TrimPrefix(f.Found, "session."), " ")
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// judge compares what Baton says of the damaged store with what can be read of it.
func (h *home) judge(w *writers, highest uint64) {
	t := h.t
	t.Helper()
	doctor := h.run("doctor", "--json")
	named := answer[checks](t, doctor.stdout).quarantined()
	var lost, went []string
	all := h.found()
	for _, id := range w.sessions() {
		found := all[id]
		set := h.run("ctx", "set", "k", "another", "--session", id, "--json")
		if found == w.of(id) {
			if set.code != 0 {
				t.Errorf("the whole session %s does not go on: exit %d %s", id, set.code, set.stderr)
				continue
			}
			went = append(went, id)
			continue
		}
		lost = append(lost, id)
		if set.code != 8 || !strings.Contains(set.stdout+set.stderr, "session_quarantined") {
			t.Errorf("session %s has %d of %d values and takes another: exit %d %s%s", id, found, w.of(id), set.code, set.stdout, set.stderr)
		}
	}
	h.after(highest, went)
	slices.Sort(lost)
	if !slices.Equal(lost, named) {
		t.Errorf("%v have lost something, doctor names %v: %s", lost, named, doctor.stdout)
	}
	if want := map[bool]int{true: 8, false: 0}[len(lost) > 0]; doctor.code != want {
		t.Errorf("doctor exits with %d, want %d: %s", doctor.code, want, doctor.stdout)
	}
	t.Logf("%v lost something", lost)
	h.repaired(lost)
}

// after says whether each of the sessions has gone on behind a sequence.
func (h *home) after(highest uint64, ids []string) {
	h.t.Helper()
	page, err := engine.As[engine.EventPage](h.client().Query(h.t.Context(), "events", "", engine.EventsAsk{After: highest, Limit: 1000}))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, id := range ids {
		if !slices.ContainsFunc(page.Events, func(e engine.EventLine) bool { return e.Session == id }) {
			h.t.Errorf("session %s went on, but not behind sequence %d, which was used before", id, highest)
		}
	}
}

// repaired: a repair says what it gives up; after it doctor is content.
func (h *home) repaired(lost []string) {
	t := h.t
	t.Helper()
	r := h.run("doctor", "--repair", "--json")
	if len(lost) == 0 {
		if r.code != 4 {
			t.Errorf("a repair of nothing exits with %d: %s%s", r.code, r.stdout, r.stderr)
		}
		return
	}
	if r.code != 0 {
		t.Fatalf("the repair exits with %d: %s%s", r.code, r.stdout, r.stderr)
	}
	got := answer[jetstream.Repaired](t, r.stdout)
	if got.Epoch != 2 || len(got.GoOn)+len(got.GivenUp) != len(lost) {
		t.Errorf("of %v the repair says %s", lost, r.stdout)
	}
	for _, q := range got.GoOn {
		h.must("ctx", "set", "k", "another", "--session", q.Entity.Session())
	}
	for _, q := range got.GivenUp {
		if r := h.run("ctx", "set", "k", "another", "--session", q.Entity.Session()); r.code != 8 {
			t.Errorf("%s was given up and takes a value: exit %d", q.Entity, r.code)
		}
	}
	if r := h.run("doctor"); r.code != 0 {
		t.Errorf("after the repair doctor exits with %d: %s", r.code, r.stdout)
	}
}

// TestALogThatIsGone: where the store should be, no empty one is made.
func TestALogThatIsGone(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]string{"the log": "store/jetstream/$G/streams/BATON_EVENTS", "the store": "store", "the payloads": "store/jetstream/$G/streams/BATON_PAYLOADS"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.session()
			h.must("stop", "--force")
			if err := os.RemoveAll(h.baton(gone)); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"status", "doctor"} {
				if r := h.run(command); command == "doctor" && r.code != 8 || r.code == 0 {
					t.Errorf("%s exits with %d: %s%s", command, r.code, r.stdout, r.stderr)
				}
			}
			if r := h.run("serve", "--http", "127.0.0.1:0"); r.code != 8 || !strings.Contains(r.stderr, "store_unusable") {
				t.Errorf("serve exits with %d: %s", r.code, r.stderr)
			}
		})
	}
}
