package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// TestRestart: a server that stops in order and starts again has every commit, baton, alarm and
// payload that it had, and the installation is the same one.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx := t.Context()
	entity := stream.SessionEntity("s")

	server, err := Start(ctx, ServerConfig{StoreDir: dir, Token: testToken, Logger: testLogger(t)})
	if err != nil {
		t.Fatal(err)
	}
	s := testStore(t, server, Config{})
	link := events.Genesis(s.Installation(), "s")
	var after uint64
	for range 5 {
		frame := testFrame(t, link)
		if after, err = s.Append(ctx, entity, after, frame); err != nil {
			t.Fatal(err)
		}
		link = frame.Link()
	}
	hash, err := s.Put(ctx, make([]byte, 300_000))
	_, err2 := s.Publish(ctx, "q", stream.Baton{Session: "s", Call: "c001"})
	err3 := s.Arm(ctx, stream.Alarm{Session: "s", Timer: "t", At: time.Now().Add(300 * time.Millisecond)})
	if err := errors.Join(err, err2, err3, server.Close()); err != nil {
		t.Fatal(err)
	}

	server = testServer(t, dir)
	if err := server.Healthy(); err != nil {
		t.Error(err)
	}
	s = testStore(t, server, Config{Installation: "01TESTINSTALLATION"})
	var n uint64
	for record, err := range s.Read(ctx, entity, 0) {
		if n++; err != nil || record.Frame.N != n {
			t.Fatalf("commit %d is %d, %v", n, record.Frame.N, err)
		}
	}
	if n != 5 {
		t.Errorf("%d commits are there, want 5", n)
	}
	if _, err := s.Append(ctx, entity, after, testFrame(t, link)); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(ctx, hash); err != nil {
		t.Error(err)
	}
	if d, err := s.Pull(ctx, "q"); err != nil || d.Baton().Call != "c001" {
		t.Errorf("pulled %v, %v", d, err)
	}
	if alarm, _, err := s.Due(ctx); err != nil || alarm.Timer != "t" {
		t.Errorf("alarm %v, %v", alarm, err)
	}
}

// TestReconnect: a store whose server goes away says so, and goes on by itself when it is back.
func TestReconnect(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), freePort(t)
	ctx := t.Context()
	start := func() *Server {
		server, err := Start(ctx, ServerConfig{StoreDir: dir, Token: testToken, Port: port, Logger: testLogger(t)})
		if err != nil {
			t.Fatal(err)
		}
		return server
	}
	server := start()
	s := testStore(t, nil, Config{URL: server.URL()})
	first := testFrame(t, events.Genesis(s.Installation(), "s"))
	if _, err := s.Append(ctx, "session.s", 0, first); err != nil {
		t.Fatal(err)
	}
	tailed := make(chan uint64, 8)
	go func() {
		for record := range s.Tail(ctx, 0) {
			tailed <- record.Frame.N
		}
	}()
	pulled := make(chan error, 1)
	go func() {
		for {
			_, err := s.Pull(ctx, "q")
			if !errors.Is(err, stream.ErrUnavailable) {
				pulled <- err
				return
			}
		}
	}()
	<-tailed
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := s.Append(short, "session.s", 1, testFrame(t, first.Link())); !errors.Is(err, stream.ErrUnavailable) {
		t.Errorf("append without a server: %v, want %v", err, stream.ErrUnavailable)
	}
	again := start()
	t.Cleanup(func() { // the store first: it has words to send
		if err := errors.Join(s.Close(), again.Close()); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Append(ctx, "session.s", 1, testFrame(t, first.Link())); err != nil {
		t.Errorf("append to the server that is back: %v", err)
	}
	if _, err := s.Publish(ctx, "q", stream.Baton{Session: "s"}); err != nil {
		t.Error(err)
	}
	if n := <-tailed; n != 2 {
		t.Errorf("tail goes on with commit %d, want 2", n)
	}
	if err := <-pulled; err != nil {
		t.Error(err)
	}
}

func TestSecondServerIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := testServer(t, dir)
	_, err := Start(t.Context(), ServerConfig{StoreDir: dir, Token: testToken, Logger: testLogger(t)})
	if !errors.Is(err, ErrLocked) {
		t.Fatalf("second server: %v, want %v", err, ErrLocked)
	}
	address := strings.TrimPrefix(first.URL(), "nats://")
	for _, want := range []string{fmt.Sprint(os.Getpid()), address} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %q", err, want)
		}
	}
}

func TestTakenPort(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	port := taken.Addr().(*net.TCPAddr).Port
	_, err = Start(t.Context(), ServerConfig{StoreDir: dir, Token: testToken, Port: port, Logger: testLogger(t)})
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("start on a taken port: %v", err)
	}
	testServer(t, dir) // the directory is free again
}

func TestTokenIsAsked(t *testing.T) {
	t.Parallel()
	server := testServer(t, t.TempDir())
	for _, cfg := range []Config{{URL: server.URL()}, {Server: server}, {URL: server.URL(), Token: "guess"}} {
		cfg.Logger, cfg.New = testLogger(t), "01X"
		if s, err := Open(t.Context(), cfg); err == nil {
			s.Close()
			t.Errorf("connected with token %q", cfg.Token)
		}
	}
	if _, err := Start(t.Context(), ServerConfig{StoreDir: t.TempDir()}); err == nil {
		t.Error("a server without a token started")
	}
}

func TestFullStoreRefuses(t *testing.T) {
	t.Parallel()
	s := testStore(t, testServer(t, t.TempDir()), Config{MaxBytes: 20_000})
	link := events.Genesis(s.Installation(), "s")
	var after uint64
	for range 100 {
		frame := testFrame(t, link)
		sequence, err := s.Append(t.Context(), "session.s", after, frame)
		if errors.Is(err, stream.ErrFull) {
			if head, err := s.Head(t.Context()); err != nil || head != after {
				t.Errorf("head is %d, %v, want %d: a refused commit is stored", head, err, after)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		after, link = sequence, frame.Link()
	}
	t.Errorf("100 commits went into 20,000 bytes")
}

func testFrame(t testing.TB, last events.Link) events.Frame {
	t.Helper()
	e := events.New(events.SessionStarted{Goal: strings.Repeat("g", 200)})
	e.ID, e.Time = fmt.Sprintf("01EVENT%019d", last.N+1), time.Unix(1_800_000_000, 0).UTC()
	frame, err := events.Seal("s", last, "test", []events.Event{e})
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
