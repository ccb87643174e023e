package jetstream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// kept is a store with an anchor, of one life of a server.
type kept struct {
	*Store
	server *Server
}

func openKept(t *testing.T, home, class string) kept {
	t.Helper()
	server, err := Start(t.Context(), keptConfig(t, home, class))
	if err != nil {
		t.Fatal(err)
	}
	return kept{testStore(t, server, Config{}), server}
}

func keptConfig(t *testing.T, home, class string) ServerConfig {
	d, err := stream.ParseDurability(class)
	if err != nil {
		t.Fatal(err)
	}
	return ServerConfig{StoreDir: filepath.Join(home, "store"), AnchorDir: filepath.Join(home, "anchor"), Token: testToken, Durability: d, Logger: testLogger(t)}
}

func (k kept) close(t *testing.T) {
	t.Helper()
	if err := errors.Join(k.Store.Close(), k.server.Close()); err != nil {
		t.Fatal(err)
	}
}

// commit appends n commits to the session's line, which goes on after what is there, and settles them.
func (k kept) commit(t *testing.T, session string, n int) (last uint64) {
	t.Helper()
	entity := stream.SessionEntity(session)
	link := events.Genesis(k.Installation(), session)
	for rec, err := range k.Read(t.Context(), entity, 0) {
		if err != nil {
			t.Fatal(err)
		}
		link, last = rec.Frame.Link(), rec.Sequence
	}
	for range n {
		frame := frameOf(t, session, link)
		sequence, err := k.Append(t.Context(), entity, last, frame)
		if err == nil {
			err = k.Settle(t.Context(), sequence)
		}
		if err != nil {
			t.Fatal(err)
		}
		link, last = frame.Link(), sequence
	}
	return last
}

func frameOf(t testing.TB, session string, link events.Link) events.Frame {
	t.Helper()
	frame, err := events.Seal(session, link, "test", testFrame(t, link).Events)
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// What is settled is anchored, in each class that promises it; the interval follows by itself.
func TestSettledIsAnchored(t *testing.T) {
	t.Parallel()
	for _, class := range []string{"group", "always", "interval=10ms"} {
		t.Run(class, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			k := openKept(t, home, class)
			last := k.commit(t, "a", 3)
			if class == "interval=10ms" {
				for tick := time.Tick(time.Millisecond); k.server.Standing().Highest < last; {
					<-tick
				}
			}
			if got := k.server.Standing(); got.Highest != last || got.Epoch != 1 || len(got.Quarantined) > 0 {
				t.Errorf("after commit %d it stands as %+v", last, got)
			}
			k.close(t)
			k = openKept(t, home, class)
			defer k.close(t)
			if got := k.server.Standing(); got.Highest != last || got.Unclean || got.Found {
				t.Errorf("after a stop in order it stands as %+v", got)
			}
			k.commit(t, "a", 1)
		})
	}
}

// A flush covers every file that was written to since the one before, and the folder when one is new.
func TestFlushFollowsTheBlocks(t *testing.T) {
	t.Parallel()
	b := &blocks{dir: t.TempDir()}
	write := func(number int, size int) {
		t.Helper()
		if err := os.WriteFile(b.path(number), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flush := func(newest int, size int64) {
		t.Helper()
		if err := b.flush(true); err != nil || b.newest != newest || b.size != size {
			t.Errorf("flushed up to block %d of %d bytes, %v; want %d of %d", b.newest, b.size, err, newest, size)
		}
	}
	flush(0, 0) // the folder is empty
	write(1, 10)
	flush(1, 10)
	write(1, 20)
	write(2, 5)
	write(3, 7)
	if got, err := b.since(); err != nil || len(got) != 3 {
		t.Errorf("blocks since the first are %v, %v", got, err)
	}
	flush(3, 7)
	if err := os.Remove(b.path(3)); err != nil {
		t.Fatal(err)
	}
	write(5, 1) // block 4 came and went
	flush(5, 1)
}

// Whoever waits is let go when the server stops, with an error and not with a promise.
func TestFlushAfterTheEnd(t *testing.T) {
	t.Parallel()
	k := openKept(t, t.TempDir(), "group")
	last := k.commit(t, "a", 1)
	k.close(t)
	if err := k.server.keeper.barrier(t.Context(), last+1); !errors.Is(err, stream.ErrUnavailable) {
		t.Errorf("after the end a flush gives %v", err)
	}
	if err := k.server.keeper.barrier(t.Context(), last); err != nil {
		t.Errorf("what was flushed gives %v", err)
	}
}

// A flush that failed is never said to have worked later: the system may have dropped what it did not write.
func TestAFailedFlushStays(t *testing.T) {
	t.Parallel()
	k := openKept(t, t.TempDir(), "group")
	k.commit(t, "a", 1)
	k.server.keeper.log.dir = filepath.Join(t.TempDir(), "gone")
	k.server.keeper.log.newest = 0
	if err := os.WriteFile(k.server.keeper.log.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := k.server.keeper.barrier(t.Context(), 99); !errors.Is(err, stream.ErrDamaged) {
			t.Errorf("a flush that cannot work gives %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = k.server.keeper.barrier(ctx, 0)
	_ = errors.Join(k.Store.Close(), k.server.Close())
	if got := k.server.keeper.anchor.State(); got.Clean {
		t.Error("the server is said to have stopped in order")
	}
}

func TestALongTailIsAnchoredAtTheNextStart(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	k := openKept(t, home, "interval=1h") // which anchors nothing meanwhile
	for i := range 30 {
		k.commit(t, "s"+strconv.Itoa(i), 50)
	}
	crashed := crash(t, home)
	k.close(t)
	k = openKept(t, crashed, "group")
	defer k.close(t)
	if got := k.server.Standing(); got.Highest != 1500 || !got.Unclean || got.Found {
		t.Errorf("after a crash it stands as %+v", got)
	}
	if heads := k.server.keeper.anchor.Heads(); len(heads) != 30 || heads["session.s7"].N != 50 {
		t.Errorf("%d lines are anchored", len(heads))
	}
}

// crash copies a home as it stands on the disk while its server runs.
func crash(t *testing.T, home string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	return to
}
