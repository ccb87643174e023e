package jetstream

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nats.go/micro"

	"github.com/batonflow/baton/stream"
)

const outsideToken = "0utside"

// offering is a server with a service that echoes, refuses, and answers at length, and a connection of
// a program outside.
func offering(t *testing.T) (*Store, *nats.Conn) {
	t.Helper()
	server, err := Start(t.Context(), ServerConfig{StoreDir: t.TempDir(), Token: testToken, Outside: outsideToken, Logger: testLogger(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	s := testStore(t, server, Config{})
	echo := func(_ context.Context, request []byte) Offered { return Offered{Body: request} }
	err = s.Offer(t.Context(), Service{Name: "baton", Version: "0.1.0", Endpoints: []Endpoint{
		{Name: "echo", Subject: "call.echo", Meaning: "says it again", Answer: echo},
		{Name: "no", Subject: "call.no", Answer: func(context.Context, []byte) Offered {
			return Offered{Body: []byte(`{"error":{}}`), Code: "stale", Why: "too\nlate"}
		}},
		{Name: "long", Subject: "call.long", Answer: func(context.Context, []byte) Offered {
			return Offered{Body: bytes.Repeat([]byte("x"), 3*partBytes+1)}
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s, dialOutside(t, server.URL())
}

func dialOutside(t *testing.T, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.Token(outsideToken), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func TestAProgramOutsideAsks(t *testing.T) {
	t.Parallel()
	s, nc := offering(t)
	m, err := nc.Request("call.echo", []byte(`{"n":1}`), 5*time.Second)
	if err != nil || string(m.Data) != `{"n":1}` {
		t.Fatalf("got %v, %v", m, err)
	}
	m, err = nc.Request("call.no", nil, 5*time.Second)
	if err != nil || m.Header.Get(micro.ErrorCodeHeader) != "stale" || m.Header.Get(micro.ErrorHeader) != "too late" || string(m.Data) != `{"error":{}}` {
		t.Fatalf("got %+v, %v", m, err)
	}
	inbox, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.PublishRequest("call.long", inbox.Subject, nil); err != nil {
		t.Fatal(err)
	}
	size := 0
	for range 4 {
		m, err := inbox.NextMsg(5 * time.Second)
		if err != nil || m.Header.Get(partsHeader) != "4" {
			t.Fatalf("after %d bytes: %+v, %v", size, m, err)
		}
		size += len(m.Data)
	}
	if size != 3*partBytes+1 {
		t.Errorf("%d bytes came", size)
	}
	// Whoever may ask everything finds the service by its name.
	m, err = s.nc.Request("$SRV.INFO.baton", nil, 5*time.Second)
	if err != nil || !strings.Contains(string(m.Data), `"meaning":"says it again"`) {
		t.Errorf("got %s, %v", m.Data, err)
	}
}

func TestAProgramOutsideReachesNothingElse(t *testing.T) {
	t.Parallel()
	s, nc := offering(t)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Stream(t.Context(), eventsStream); err == nil {
		t.Error("it sees the log's stream")
	}
	heard := make(chan *nats.Msg, 16)
	for _, subject := range []string{">", "live.>", "ev.>", "baton.>"} {
		if _, err := nc.ChanSubscribe(subject, heard); err != nil {
			t.Fatal(err)
		}
	}
	for _, subject := range []string{"ev.session.s", "work.default", "due.s.t", "baton.command", "live.s.c.1", "$JS.API.STREAM.DELETE.BATON_WORK"} {
		if err := nc.PublishRequest(subject, nc.NewInbox(), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	// A reply that names the log: the service would write there for whoever asks.
	for _, reply := range []string{"ev.session.s", "work.default", "$JS.API.STREAM.DELETE.BATON_WORK"} {
		if err := nc.PublishRequest("call.echo", reply, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := nc.Request("call.echo", nil, 5*time.Second); err != nil { // all before has been dealt with
		t.Fatal(err)
	}
	if err := s.Say(t.Context(), stream.Said{Session: "s", Call: "c", Attempt: 1, Text: "secret"}); err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Request("call.echo", nil, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if head, err := s.Head(t.Context()); err != nil || head != 0 {
		t.Errorf("the log stands at %d, %v", head, err)
	}
	if depth, err := s.Depth(t.Context(), "default"); err != nil || depth != 0 {
		t.Errorf("%d batons were sent, %v", depth, err)
	}
	if len(heard) > 0 {
		t.Errorf("it heard %+v", <-heard)
	}
}

// TestRepliesGoToInboxesOnly: on a cluster where everybody is in one account, the service must not lend
// its rights to who names another subject as the reply.
func TestRepliesGoToInboxesOnly(t *testing.T) {
	t.Parallel()
	s, _ := offering(t)
	if err := s.nc.PublishRequest("call.echo", "ev.session.s", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.nc.Request("call.echo", nil, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if head, err := s.Head(t.Context()); err != nil || head != 0 {
		t.Errorf("the log stands at %d, %v", head, err)
	}
}

func TestNobodyElseGetsIn(t *testing.T) {
	t.Parallel()
	_, nc := offering(t)
	for _, token := range []string{"", "wrong", outsideToken + "x"} {
		_, err := nats.Connect(nc.ConnectedUrl(), nats.Token(token))
		if !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("token %q: %v", token, err)
		}
	}
}
