//go:build unix

package jetstream

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream/natstest"
)

// TestEachUserDoesItsWorkAndNothingElse holds the accounts of deploy/nats against what each user needs and
// what it must not have, the way round through replies included.
func TestEachUserDoesItsWorkAndNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("runs three servers")
	}
	t.Parallel()
	c := natstest.New(t, natstest.Config{})
	server := clusterStore(t, c, "server", Config{New: "01TESTINSTALLATION"})
	serveCalls(t, server)
	for _, user := range []string{"server", "worker"} {
		works(t, clusterStore(t, c, user, Config{}), user)
	}
	for user, forbidden := range map[string][]string{
		"server": {"STREAM.DELETE.BATON_EVENTS", "STREAM.PURGE.BATON_EVENTS", "STREAM.UPDATE.BATON_EVENTS", "STREAM.MSG.DELETE.BATON_EVENTS", "STREAM.DELETE.BATON_PAYLOADS"},
		"worker": {"STREAM.DELETE.BATON_EVENTS", "STREAM.CREATE.OTHER", "STREAM.UPDATE.BATON_WORK", "STREAM.MSG.DELETE.BATON_EVENTS", "STREAM.MSG.DELETE.BATON_PAYLOADS", "CONSUMER.DELETE.BATON_WORK.default"},
	} {
		u := connectAs(t, c, user)
		for _, api := range forbidden {
			u.cannotPublish("$JS.API." + api)
		}
	}
	connectAs(t, c, "worker").cannotListen("ev.>")
	command, outside, reader := connectAs(t, c, "command"), connectAs(t, c, "outside"), connectAs(t, c, "reader")
	command.answers("baton.command", "answered")
	command.answers("baton.read", "read")
	command.nobody("call.claim")
	outside.answers("call.claim", "claimed")
	reader.answers("baton.read", "read")
	outside.nobody("baton.read")
	reader.nobody("baton.command", "baton.query", "call.claim")
	for _, u := range []*person{command, outside, reader} {
		for _, subject := range []string{"ev.session.x", "work.q", "aside.x", "live.s.c.1", "ctl.s.1", "payload.x.0"} {
			u.cannotPublish(subject)
		}
		for _, subject := range []string{"ev.>", "work.>", "baton.>", ">"} {
			u.cannotListen(subject)
		}
		// Whoever answers does so under its own rights, so a reply must not be able to go into the log.
		before := head(t, server)
		u.repliesTo("ev.session.x")
		if after := head(t, server); after != before {
			t.Errorf("a reply to %s's request was written into the log", u.name)
		}
	}
}

// serveCalls answers what the users may ask.
func serveCalls(t *testing.T, s *Store) {
	t.Helper()
	for subject, answer := range map[string]string{"call.claim": "claimed", "baton.read": "read", "baton.command": "answered", "baton.query": "answered"} {
		if err := s.Serve(t.Context(), subject, "baton", func(context.Context, []byte) []byte { return []byte(answer) }); err != nil {
			t.Fatal(err)
		}
	}
}

// works does a little of everything that a serving process does.
func works(t *testing.T, s *Store, user string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e := events.New(events.SessionStarted{Goal: "work", Mode: "auto"})
	e.ID, e.Time, e.Actor = "01"+user, time.Now().UTC(), user
	frame, err := events.Seal(user, events.Genesis(s.Installation(), user), user, []events.Event{e})
	if err == nil {
		_, err = s.Append(ctx, stream.SessionEntity(user), 0, frame)
	}
	_, err2 := s.Put(ctx, []byte("a value of "+user))
	_, err3 := s.eventLog.js.PublishMsg(ctx, &nats.Msg{Subject: workPrefix + user, Data: []byte(`{"session":"s","call":"c"}`)})
	err4 := s.Arm(ctx, stream.Alarm{Session: user, Timer: "t", At: time.Now().Add(time.Hour)})
	if err := errors.Join(err, err2, err3, err4, s.Disarm(ctx, user, "t")); err != nil {
		t.Errorf("%s cannot do its work: %v", user, err)
		return
	}
	d, err := s.Pull(ctx, user)
	if err != nil {
		t.Errorf("%s cannot pull: %v", user, err)
		return
	}
	if err := errors.Join(d.Ack(ctx), s.Beat(ctx, stream.Beat{Session: user, Call: "c", Attempt: 1, Worker: "w.1"})); err != nil {
		t.Errorf("%s: %v", user, err)
	}
	seen := 0
	for _, err := range s.Tail(ctx, 0) {
		if err != nil {
			t.Errorf("%s cannot follow the log: %v", user, err)
		}
		seen++
		break
	}
	if seen == 0 {
		t.Errorf("%s sees nothing of the log", user)
	}
}

func head(t *testing.T, s *Store) uint64 {
	t.Helper()
	n, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// person is a plain connection of a user.
type person struct {
	t      *testing.T
	name   string
	nc     *nats.Conn
	denied chan error
}

func connectAs(t *testing.T, c *natstest.Cluster, user string) *person {
	t.Helper()
	p := &person{t: t, name: user, denied: make(chan error, 16)}
	nc, err := nats.Connect(c.URL(user), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { p.denied <- err }))
	if err != nil {
		t.Fatal(err)
	}
	p.nc = nc
	t.Cleanup(nc.Close)
	return p
}

// violation waits for the server to say that it does not allow something.
func (p *person) violation(what string) {
	p.t.Helper()
	if err := p.nc.FlushTimeout(apiTimeout); err != nil {
		p.t.Fatal(err)
	}
	select {
	case err := <-p.denied:
		if !errors.Is(err, nats.ErrPermissionViolation) {
			p.t.Errorf("%s: %s gave %v", p.name, what, err)
		}
	case <-time.After(apiTimeout):
		p.t.Errorf("%s may %s", p.name, what)
	}
}

func (p *person) cannotPublish(subject string) {
	p.t.Helper()
	if err := p.nc.Publish(subject, []byte("{}")); err != nil {
		p.t.Fatal(err)
	}
	p.violation("publish to " + subject)
}

func (p *person) cannotListen(subject string) {
	p.t.Helper()
	if _, err := p.nc.Subscribe(subject, func(*nats.Msg) {}); err != nil {
		p.t.Fatal(err)
	}
	p.violation("listen on " + subject)
}

func (p *person) answers(subject, want string) {
	p.t.Helper()
	m, err := p.nc.Request(subject, []byte("{}"), apiTimeout)
	if err != nil || string(m.Data) != want {
		p.t.Errorf("%s asks %s and gets %v, %v", p.name, subject, m, err)
	}
}

// nobody: the user may or may not ask, and nobody answers.
func (p *person) nobody(subjects ...string) {
	p.t.Helper()
	for _, subject := range subjects {
		if m, err := p.nc.Request(subject, []byte("{}"), 300*time.Millisecond); err == nil {
			p.t.Errorf("%s asks %s and gets %s", p.name, subject, m.Data)
		}
		for len(p.denied) > 0 {
			<-p.denied
		}
	}
}

// repliesTo asks everything that the user may, for the answer to go elsewhere.
func (p *person) repliesTo(subject string) {
	p.t.Helper()
	for _, ask := range []string{"call.claim", "baton.read", "baton.command"} {
		if err := p.nc.PublishRequest(ask, subject, []byte("{}")); err != nil {
			p.t.Fatal(err)
		}
	}
	js, err := jetstream.New(p.nc)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := js.Publish(ctx, subject, []byte("{}")); err == nil {
		p.t.Errorf("%s wrote to %s", p.name, subject)
	}
	for _, ask := range []string{"call.claim", "baton.read"} { // answered after what went before it
		_, _ = p.nc.Request(ask, []byte("{}"), 300*time.Millisecond) // one of them is not this user's
	}
	for len(p.denied) > 0 {
		<-p.denied
	}
}
