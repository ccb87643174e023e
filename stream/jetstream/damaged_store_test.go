package jetstream

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// acknowledged is what a store was told to keep: the hashes of every line's commits.
type acked struct {
	home    string
	hashes  map[string][]string
	highest uint64
}

const commits = 115

var damageOffsets = flag.Int("damage.offsets", 4, "at how many places each damage is done")

// storeOfSeveralBlocks writes sessions whose commits lie across the blocks of the log, one that lies in
// the first alone and one that lies in the last alone, and stops in order.
func storeOfSeveralBlocks(t *testing.T, r *rand.Rand) acked {
	t.Helper()
	out := acked{home: t.TempDir(), hashes: map[string][]string{}}
	server, err := Start(t.Context(), keptConfig(t, out.home, "interval=1h"))
	if err != nil {
		t.Fatal(err)
	}
	s := testStore(t, server, Config{MaxBytes: 127_000}) // which makes blocks of 32 KB
	links, lasts := map[string]events.Link{}, map[string]uint64{}
	for i := range commits {
		session := []string{"a", "b", "c", "d"}[r.IntN(4)]
		switch {
		case i < 6:
			session = "first"
		case i > commits-6:
			session = "last"
		}
		if lasts[session] == 0 {
			links[session] = events.Genesis(s.Installation(), session)
		}
		e := events.New(events.SessionStarted{Goal: strings.Repeat("g", r.IntN(400))})
		e.ID = fmt.Sprintf("01EVENT%019d", i)
		frame, err := events.Seal(session, links[session], "test", []events.Event{e})
		if err != nil {
			t.Fatal(err)
		}
		if lasts[session], err = s.Append(t.Context(), stream.SessionEntity(session), lasts[session], frame); err != nil {
			t.Fatal(err)
		}
		links[session], out.highest = frame.Link(), lasts[session]
		out.hashes[session] = append(out.hashes[session], frame.Hash)
	}
	kept{s, server}.close(t)
	return out
}

// damage changes a stopped store. at is where, from 0 to 1.
type damage struct {
	name  string
	do    func(t *testing.T, msgs string, blocks []string, at float64)
	whole bool // nothing is lost by it
}

func TestDamagedStore(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 1))
	store := storeOfSeveralBlocks(t, r)
	for _, d := range damages() {
		for _, index := range []string{"with its index", "without an index"} {
			t.Run(d.name+" "+index, func(t *testing.T) {
				t.Parallel()
				for i := range *damageOffsets {
					at := (float64(i) + 0.5) / float64(*damageOffsets)
					t.Run(fmt.Sprintf("at=%.3f", at), func(t *testing.T) {
						home := memoryDir(t)
						if err := os.CopyFS(home, os.DirFS(store.home)); err != nil {
							t.Fatal(err)
						}
						msgs := filepath.Join(streamsDir(filepath.Join(home, "store")), eventsStream, "msgs")
						blocks, err := filepath.Glob(filepath.Join(msgs, "*.blk"))
						if err != nil || len(blocks) < 4 {
							t.Fatalf("blocks are %v, %v", blocks, err)
						}
						slices.Sort(blocks)
						d.do(t, msgs, blocks, at)
						if index == "without an index" {
							_ = os.Remove(filepath.Join(msgs, "index.db"))
						}
						store.check(t, home, d.whole)
					})
				}
			})
		}
	}
}

// memoryDir is a folder that lies in memory where the system has such: thousands of flushes cost nothing there.
func memoryDir(t *testing.T) string {
	if dir, err := os.MkdirTemp("/dev/shm", "baton-test-"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	return t.TempDir()
}

func damages() []damage {
	change := func(which func([]string) string, f func(block []byte, at float64) []byte) func(*testing.T, string, []string, float64) {
		return func(t *testing.T, _ string, blocks []string, at float64) {
			path := which(blocks)
			block, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, f(block, at), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	newest := func(blocks []string) string { return blocks[len(blocks)-1] }
	middle := func(blocks []string) string { return blocks[1] }
	flip := func(block []byte, at float64) []byte { block[int(at*float64(len(block)))] ^= 1; return block }
	remove := func(which func([]string) string) func(*testing.T, string, []string, float64) {
		return func(t *testing.T, _ string, blocks []string, _ float64) {
			if err := os.Remove(which(blocks)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cut := func(file string) func(*testing.T, string, []string, float64) {
		return func(t *testing.T, msgs string, _ []string, at float64) {
			path := filepath.Join(filepath.Dir(msgs), file)
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, text[:int(at*float64(len(text)))], 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return []damage{
		{name: "last bytes torn off", do: change(newest, func(block []byte, at float64) []byte { return block[:int(at*float64(len(block)))] })},
		{name: "a byte flipped in the last block", do: change(newest, flip)},
		{name: "a byte flipped in a middle block", do: change(middle, flip)},
		{name: "the newest block gone", do: remove(newest)},
		{name: "a middle block gone", do: remove(middle)},
		{name: "nothing else", do: func(*testing.T, string, []string, float64) {}, whole: true},
		{name: "meta.inf cut", do: cut("meta.inf"), whole: true},
		{name: "meta.sum cut", do: cut("meta.sum"), whole: true},
	}
}

// check opens the damaged store and compares what is said of it with what can be read of it.
func (a acked) check(t *testing.T, home string, whole bool) {
	k := openKept(t, home, "group")
	lost := a.lost(t, k)
	if whole && len(lost) > 0 {
		t.Errorf("%v is lost", lost)
	}
	a.same(t, k, lost)
	if head, err := k.Head(t.Context()); err != nil || head < a.highest {
		t.Errorf("the log ends at %d, %v: sequences up to %d are free again", head, err, a.highest)
	}
	a.goOn(t, k, lost)
	k.close(t)

	k = openKept(t, home, "group") // it is not forgotten
	defer func() { k.close(t) }()
	a.same(t, k, lost)
	if k.server.Standing().Found {
		t.Error("what is known is told as new")
	}
	got, err := k.server.Repair(t.Context(), k.Store)
	if len(lost) == 0 {
		if !errors.Is(err, ErrWhole) {
			t.Errorf("a repair of nothing gives %+v, %v", got, err)
		}
		return
	}
	if err != nil || got.Epoch != 2 || len(got.GoOn)+len(got.GivenUp) != len(lost) {
		t.Fatalf("a repair of %v gives %+v, %v", lost, got, err)
	}
	a.repaired(t, k, got)
}

// A block whose records do not follow one another is not read through an index: the server would count
// through a sequence that is none for ever.
func TestBlocksThatAreNotSound(t *testing.T) {
	t.Parallel()
	store := storeOfSeveralBlocks(t, rand.New(rand.NewPCG(9, 2)))
	path := filepath.Join(streamsDir(filepath.Join(store.home, "store")), eventsStream, "msgs", "1.blk")
	whole, err := os.ReadFile(path)
	if err != nil || !sound(path) {
		t.Fatalf("a whole block is not sound, %v", err)
	}
	bad := filepath.Join(t.TempDir(), "1.blk")
	for name, change := range map[string]func(block []byte){
		"length":           func(block []byte) { block[1] ^= 1 },
		"length beyond it": func(block []byte) { block[2] ^= 0x7f },
		"sequence":         func(block []byte) { block[9] ^= 1 },
		"subject's length": func(block []byte) { block[21] ^= 0x40 },
	} {
		block := slices.Clone(whole)
		change(block[int(block[0])+int(block[1])<<8:]) // the second record
		if err := os.WriteFile(bad, block, 0o600); err != nil {
			t.Fatal(err)
		}
		if sound(bad) {
			t.Errorf("with another %s the block is sound", name)
		}
	}
}

// lost names the sessions of which not every commit can be read any more.
func (a acked) lost(t *testing.T, k kept) (out []string) {
	for session, hashes := range a.hashes {
		var there []string
		for m, err := range k.messages(t.Context(), eventsPrefix+"session."+session, 0) {
			if err != nil {
				break
			}
			if frame, err := events.Open(m.data); err == nil {
				there = append(there, frame.Hash)
			}
		}
		if !cmp.Equal(hashes, there) {
			out = append(out, session)
		}
	}
	slices.Sort(out)
	return out
}

func (a acked) same(t *testing.T, k kept, lost []string) {
	t.Helper()
	var named []string
	for _, q := range k.server.Standing().Quarantined {
		named = append(named, q.Entity.Session())
		if q.Problem == "" {
			t.Errorf("%s is quarantined without a reason", q.Entity)
		}
	}
	if diff := cmp.Diff(lost, named); diff != "" {
		t.Errorf("what is lost and what is quarantined (-lost +quarantined):\n%s", diff)
	}
}

// goOn appends to every session: those that are whole take it, after everything that ever was.
func (a acked) goOn(t *testing.T, k kept, lost []string) {
	for session := range a.hashes {
		entity := stream.SessionEntity(session)
		if slices.Contains(lost, session) {
			_, err := k.Append(t.Context(), entity, 0, frameOf(t, session, events.Genesis(k.Installation(), session)))
			if !errors.Is(err, stream.ErrQuarantined) {
				t.Errorf("the damaged session %s takes a commit, %v", session, err)
			}
			continue
		}
		if sequence := k.commit(t, session, 1); sequence <= a.highest {
			t.Errorf("session %s goes on at %d, which was used before", session, sequence)
		}
	}
}

// repaired: what goes on goes on from what is there, what is given up stays closed.
func (a acked) repaired(t *testing.T, k kept, got Repaired) {
	for _, q := range got.GoOn {
		if sequence := k.commit(t, q.Entity.Session(), 1); sequence <= a.highest {
			t.Errorf("%s goes on at %d, which was used before", q.Entity, sequence)
		}
	}
	for _, q := range got.GivenUp {
		frame := frameOf(t, q.Entity.Session(), events.Genesis(k.Installation(), q.Entity.Session()))
		if _, err := k.Append(t.Context(), q.Entity, 0, frame); !errors.Is(err, stream.ErrQuarantined) {
			t.Errorf("%s was given up and takes a commit, %v", q.Entity, err)
		}
	}
	if len(got.Lost) == 0 {
		t.Error("a repair does not say what is lost")
	}
}

// Whoever follows a log whose last commit cannot be read gets to its end all the same.
func TestFollowingPastADamagedEnd(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	k := openKept(t, home, "group")
	for _, session := range []string{"a", "b"} {
		k.commit(t, session, 2)
	}
	k.close(t)
	path := filepath.Join(streamsDir(filepath.Join(home, "store")), eventsStream, "msgs", "1.blk")
	block, err := os.ReadFile(path)
	if err == nil {
		block[len(block)-40] ^= 1
		err = os.WriteFile(path, block, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	k = openKept(t, home, "group")
	defer func() { k.close(t) }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var last uint64
	for rec, err := range k.Tail(ctx, 0) {
		last = rec.Sequence
		if last == 4 {
			if !errors.Is(err, stream.ErrLost) {
				t.Errorf("the damaged commit is given as %v, %v", rec.Entity, err)
			}
			break
		}
	}
	if last != 4 {
		t.Errorf("the tail ends at %d", last)
	}
}
