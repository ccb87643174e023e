package anchor_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/anchor"
)

func open(t rapid.TB, dir string) *anchor.Anchor {
	a, err := anchor.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func entry(sequence, n uint64, entity string) anchor.Entry {
	return anchor.Entry{Entity: stream.Entity(entity), Sequence: sequence, N: n, Hash: fmt.Sprintf("%064x", sequence)}
}

// begun is an anchor that a server has begun to write.
func begun(t rapid.TB, dir string) *anchor.Anchor {
	a := open(t, dir)
	if a.State().Installation == "" {
		if err := a.Begin("i"); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Start(stream.Group); err != nil {
		t.Fatal(err)
	}
	return a
}

// Whatever was added is there when the anchor is opened again, however often that is and however the
// process before ended, in as many journals as it took.
func TestWhatWasAddedIsThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "anchor")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		want := map[stream.Entity]anchor.Entry{}
		var sequence uint64
		for range rapid.IntRange(1, 3).Draw(t, "lives") {
			a := begun(t, dir)
			for range rapid.IntRange(0, 3).Draw(t, "rounds") {
				var entries []anchor.Entry
				for range rapid.IntRange(0, 4000).Draw(t, "entries") {
					sequence++
					entity := fmt.Sprintf("session.%d", rapid.IntRange(0, 3).Draw(t, "session"))
					e := entry(sequence, want[stream.Entity(entity)].N+1, entity)
					want[e.Entity] = e
					entries = append(entries, e)
				}
				if err := a.Add(entries); err != nil {
					t.Fatal(err)
				}
			}
			if rapid.Bool().Draw(t, "in order") {
				if err := a.Stop(nil); err != nil {
					t.Fatal(err)
				}
			}
			again := open(t, dir)
			if diff := cmp.Diff(want, again.Heads()); diff != "" || again.Highest() != sequence {
				t.Fatalf("highest is %d, want %d; heads differ (-want +got):\n%s", again.Highest(), sequence, diff)
			}
		}
	})
}

// A journal that ends in a torn line counts up to it, and what an older one left behind is not read.
func TestTornJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := begun(t, dir)
	if err := a.Add([]anchor.Entry{entry(1, 1, "session.a"), entry(2, 1, "session.b"), entry(3, 2, "session.a")}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "heads-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("journals are %v, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.IndexByte(whole, 0)
	for cut := end - 1; cut > end-80; cut-- { // within the last line
		torn := append(append([]byte{}, whole[:cut]...), make([]byte, len(whole)-cut)...)
		if err := os.WriteFile(files[0], torn, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := open(t, dir).Heads(); got["session.a"].Sequence != 1 || got["session.b"].Sequence != 2 {
			t.Fatalf("cut at %d the heads are %v", cut, got)
		}
	}
	if err := os.WriteFile(files[0], whole[:10], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := anchor.Open(dir); err == nil {
		t.Error("an anchor without a whole journal is taken for an empty one")
	}
}

func TestStateIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := begun(t, dir)
	if a.State().Clean || a.State().Epoch != 1 || a.State().Durability != stream.Group {
		t.Errorf("a running server is said to be %+v", a.State())
	}
	damage := map[stream.Entity]anchor.Damage{"session.a": {Sequence: 7, Problem: "gone"}}
	err := a.Change(func(s *anchor.State) { s.Broken, s.Voids = maps.Clone(damage), []anchor.Span{{From: 5, To: 7}} })
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Stop(nil); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if got := again.State(); !got.Clean || !cmp.Equal(got.Broken, damage) || got.Voids[0].To != 7 {
		t.Errorf("it was kept as %+v", got)
	}
	if d, bad := again.Broken("session.a"); !bad || d.Sequence != 7 {
		t.Errorf("session.a is %+v, %v", d, bad)
	}
	if err := again.Reset(entry(4, 2, "session.a")); err != nil {
		t.Fatal(err)
	}
}

// What was given up is not asked for again, but its sequences are not free.
func TestResetKeepsTheSequences(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := begun(t, dir)
	if err := a.Add([]anchor.Entry{entry(8, 4, "session.a"), entry(9, 5, "session.a"), entry(7, 1, "session.b")}); err != nil {
		t.Fatal(err)
	}
	if err := a.Reset(entry(3, 2, "session.a"), anchor.Entry{Entity: "session.b"}); err != nil {
		t.Fatal(err)
	}
	for _, at := range []*anchor.Anchor{a, open(t, dir)} {
		heads := at.Heads()
		if _, there := heads["session.b"]; there || heads["session.a"].N != 2 || at.Highest() != 9 {
			t.Errorf("heads are %v, the highest sequence %d", heads, at.Highest())
		}
	}
}
