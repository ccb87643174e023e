package jetstream

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/streamtest"
)

const testToken = "s3cret"

func TestConformance(t *testing.T) {
	t.Parallel()
	streamtest.Run(t, func(t *testing.T) streamtest.Fixture {
		return fixture(t, testStore(t, testServer(t, t.TempDir()), Config{}))
	})
}

// TestConformanceThroughLeader runs the log's part as it is on replicated streams, where direct
// reads are off, and over TCP.
func TestConformanceThroughLeader(t *testing.T) {
	t.Parallel()
	streamtest.Run(t, func(t *testing.T) streamtest.Fixture {
		server := testServer(t, t.TempDir())
		testStore(t, server, Config{})
		remote := testStore(t, nil, Config{URL: server.URL()})
		remote.eventLog.direct = false
		return fixture(t, remote)
	})
}

func fixture(t *testing.T, s *Store) streamtest.Fixture {
	return streamtest.Fixture{
		Log: s, Queue: s, Timers: s, Payloads: s, Snapshots: s, Beats: s, Bus: s, Live: s,
		Lease: testLease,
		Inject: func(entity stream.Entity, message []byte) uint64 {
			return inject(t, s, eventsPrefix+string(entity), message, nil)
		},
		InjectWork: func(queue string, message []byte) { inject(t, s, workPrefix+queue, message, nil) },
		InjectPayload: func(sha256 string, bytes []byte) {
			inject(t, s, chunkSubject(sha256, 0), bytes, nats.Header{sizeHeader: {strconv.Itoa(len(bytes))}})
		},
		LoseAnswer: func(then func()) { loseAnswer(s, then) },
	}
}

// loseAnswer lets one publish through and then says that it timed out.
func loseAnswer(s *Store, then func()) {
	publish := s.eventLog.publish
	s.eventLog.publish = func(ctx context.Context, m *nats.Msg) (*jetstream.PubAck, error) {
		s.eventLog.publish = publish
		if _, err := publish(ctx, m); err != nil {
			return nil, err
		}
		then()
		return nil, nats.ErrTimeout
	}
}

func inject(t *testing.T, s *Store, subject string, message []byte, header nats.Header) uint64 {
	t.Helper()
	ack, err := s.queue.js.PublishMsg(t.Context(), &nats.Msg{Subject: subject, Data: message, Header: header})
	if err != nil {
		t.Fatal(err)
	}
	return ack.Sequence
}

const testLease = 800 * time.Millisecond

func testServer(t testing.TB, dir string) *Server {
	t.Helper()
	s, err := Start(context.Background(), ServerConfig{StoreDir: dir, Token: testToken, Logger: testLogger(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// testStore opens a store on the server, making the installation when there is none.
func testStore(t testing.TB, server *Server, cfg Config) *Store {
	t.Helper()
	cfg.Server, cfg.Token, cfg.Logger = server, testToken, testLogger(t)
	if cfg.New == "" && cfg.Installation == "" {
		cfg.New = "01TESTINSTALLATION"
	}
	if cfg.Lease == 0 {
		cfg.Lease = testLease
	}
	s, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// testLogger drops what is expected to be said while servers stop; a failing test says enough.
func testLogger(testing.TB) *slog.Logger { return slog.New(slog.DiscardHandler) }
