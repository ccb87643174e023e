package jetstream

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

func TestInstallation(t *testing.T) {
	t.Parallel()
	server := testServer(t, t.TempDir())
	cfg := Config{Server: server, Token: testToken, Logger: testLogger(t)}

	if _, err := Open(t.Context(), cfg); !errors.Is(err, ErrNoInstallation) {
		t.Fatalf("open an empty server: %v, want %v", err, ErrNoInstallation)
	}
	cfg.Installation = "01GONE"
	if _, err := Open(t.Context(), cfg); !errors.Is(err, stream.ErrDamaged) {
		t.Fatalf("open what should be there: %v, want %v", err, stream.ErrDamaged)
	}
	if s := testStore(t, server, Config{New: "01FIRST"}); s.Installation() != "01FIRST" {
		t.Fatalf("installation is %s", s.Installation())
	}
	if s := testStore(t, server, Config{New: "01SECOND"}); s.Installation() != "01FIRST" {
		t.Errorf("a second process made installation %s", s.Installation())
	}
	cfg.Installation = "01OTHER"
	if _, err := Open(t.Context(), cfg); !errors.Is(err, stream.ErrDamaged) {
		t.Errorf("open another installation: %v, want %v", err, stream.ErrDamaged)
	}
}

// TestInstallationRace: processes that find an empty server at once make one installation.
func TestInstallationRace(t *testing.T) {
	t.Parallel()
	server := testServer(t, t.TempDir())
	ids := make([]string, 6)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			s, err := Open(t.Context(), Config{Server: server, Token: testToken, New: string(rune('A' + i)), Logger: testLogger(t)})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			ids[i] = s.Installation()
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("installations are %v, want one", ids)
		}
	}
}

func TestForeignConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stream string
		change func(*jetstream.StreamConfig)
		field  string
	}{
		"log limit":       {eventsStream, func(c *jetstream.StreamConfig) { c.MaxMsgs = 77 }, "max_msgs is 77, not -1"},
		"log discard":     {eventsStream, func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld }, "discard"},
		"log window":      {eventsStream, func(c *jetstream.StreamConfig) { c.Duplicates *= 2 }, "duplicate_window"},
		"work subjects":   {workStream, func(c *jetstream.StreamConfig) { c.Subjects = append(c.Subjects, "more") }, "subjects"},
		"payloads' owner": {payloadsStream, func(c *jetstream.StreamConfig) { c.Metadata = nil }, "metadata"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testServer(t, t.TempDir())
			s := testStore(t, server, Config{})
			info, err := s.queue.js.Stream(t.Context(), test.stream)
			if err != nil {
				t.Fatal(err)
			}
			config := info.CachedInfo().Config
			test.change(&config)
			if _, err := s.queue.js.UpdateStream(t.Context(), config); err != nil {
				t.Fatal(err)
			}
			_, err = Open(t.Context(), Config{Server: server, Token: testToken, Logger: testLogger(t)})
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), test.field) || !strings.Contains(err.Error(), test.stream) {
				t.Errorf("open: %v, want %v naming %s of %s", err, ErrConfig, test.field, test.stream)
			}
		})
	}
}

// TestAskedDifferently: what this process asks for and does not stand there is an error as well.
func TestAskedDifferently(t *testing.T) {
	t.Parallel()
	server := testServer(t, t.TempDir())
	testStore(t, server, Config{MaxBytes: 1 << 20})
	testStore(t, server, Config{})
	_, err := Open(t.Context(), Config{Server: server, Token: testToken, MaxBytes: 2 << 20, Logger: testLogger(t)})
	if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "max_bytes is 1048576, not 2097152") {
		t.Errorf("open with another bound: %v", err)
	}
}

func TestMissingLogIsNotMadeAnew(t *testing.T) {
	t.Parallel()
	server := testServer(t, t.TempDir())
	s := testStore(t, server, Config{})
	if err := s.queue.js.DeleteStream(t.Context(), eventsStream); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Config{Server: server, Token: testToken, New: "01NEW", Logger: testLogger(t)})
	if !errors.Is(err, stream.ErrDamaged) {
		t.Errorf("open without the log: %v, want %v", err, stream.ErrDamaged)
	}
}

// TestMissingStreams: what can be made from the log is made anew, payloads are not.
func TestMissingStreams(t *testing.T) {
	t.Parallel()
	server := testServer(t, t.TempDir())
	s := testStore(t, server, Config{})
	if _, err := s.Append(t.Context(), "session.s", 0, testFrame(t, events.Genesis(s.Installation(), "s"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{workStream, timersStream, asideStream} {
		if err := s.queue.js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	testStore(t, server, Config{})
	if err := s.queue.js.DeleteStream(t.Context(), payloadsStream); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Config{Server: server, Token: testToken, Logger: testLogger(t)})
	if !errors.Is(err, stream.ErrDamaged) || !strings.Contains(err.Error(), payloadsStream) {
		t.Errorf("open without payloads: %v, want %v", err, stream.ErrDamaged)
	}
}

// TestLogCannotBeCut: neither a message nor the whole can be taken out of the log.
func TestLogCannotBeCut(t *testing.T) {
	t.Parallel()
	s := testStore(t, testServer(t, t.TempDir()), Config{})
	sequence, err := s.Append(t.Context(), "session.s", 0, testFrame(t, events.Genesis(s.Installation(), "s")))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.eventLog.stream.DeleteMsg(t.Context(), sequence); err == nil {
		t.Error("a commit was deleted")
	}
	if err := s.eventLog.stream.Purge(t.Context()); err == nil {
		t.Error("the log was purged")
	}
}

func TestTailOfARewoundLog(t *testing.T) {
	t.Parallel()
	s := testStore(t, testServer(t, t.TempDir()), Config{})
	n := 0
	for _, err := range s.Tail(t.Context(), 9) {
		if n++; !errors.Is(err, stream.ErrDamaged) {
			t.Errorf("tail past the end of the log: %v, want %v", err, stream.ErrDamaged)
		}
	}
	if n != 1 {
		t.Errorf("tail gave %d records, want 1", n)
	}
}

func TestSetAside(t *testing.T) {
	t.Parallel()
	s := testStore(t, testServer(t, t.TempDir()), Config{})
	at := inject(t, s, workPrefix+"q", []byte("no baton"), nil)
	if _, err := s.Publish(t.Context(), "q", stream.Baton{Session: "s"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pull(t.Context(), "q"); err != nil {
		t.Fatal(err)
	}
	kept, err := s.queue.js.Stream(t.Context(), asideStream)
	if err != nil {
		t.Fatal(err)
	}
	m, err := kept.GetLastMsgForSubject(t.Context(), asidePrefix+workStream)
	if err != nil {
		t.Fatal(err)
	}
	if string(m.Data) != "no baton" || m.Header.Get("Baton-Subject") != workPrefix+"q" || m.Header.Get("Baton-Reason") == "" || at != 1 {
		t.Errorf("kept %q with %v", m.Data, m.Header)
	}
}
