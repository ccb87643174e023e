package jetstream

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// FuzzToken: any two texts give two different tokens, and each is one literal token of a subject.
func FuzzToken(f *testing.F) {
	long := strings.Repeat("x", maxToken+1)
	for _, pair := range [][2]string{
		{"c001", "c002"}, {"r/step.1[2]", "r/step%2e1[2]"}, {"", "%"}, {"a b", "a\tb"}, {"*", ">"},
		{"ü", "u"}, {long, long + "x"}, {strings.Repeat(" ", maxToken), strings.Repeat("%20", maxToken)},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if a != b && token(a) == token(b) {
			t.Errorf("%q and %q both give %q", a, b, token(a))
		}
		if subject := timerPrefix + token(a); !server.IsValidLiteralSubject(subject) || strings.Count(subject, ".") != 1 || len(subject) > 4*maxToken {
			t.Errorf("%q gives %q, which is no token", a, subject)
		}
	})
}

func TestEventSubject(t *testing.T) {
	t.Parallel()
	for _, good := range []stream.Entity{"session.0199b2c4-1111-7000-8000-000000000001", "skills", "limit.gpu_2"} {
		if got, err := eventSubject(good); err != nil || got != "ev."+string(good) {
			t.Errorf("subject of %q is %q, %v", good, got, err)
		}
	}
	for _, bad := range []stream.Entity{"", "session.", "session.*", "session.>", "session.a b", ".a", "session.a\r\nPUB x", stream.Entity("session." + strings.Repeat("x", 5000))} {
		if got, err := eventSubject(bad); !errors.Is(err, errEntity) {
			t.Errorf("subject of %q is %q, %v, want %v", bad, got, err, errEntity)
		}
	}
}

// FuzzMessages: whatever lies on a queue or a timer's subject is a baton or an alarm with a name, or refused.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"session":"s","call":"c"}`, `{"session":"s","timer":"t","at":"2026-01-02T03:04:05Z"}`, `{"session":1}`, "[", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if baton, err := parseBaton(body); err == nil && baton.Session == "" || err != nil && !errors.Is(err, errNoBaton) {
			t.Errorf("baton %+v, %v", baton, err)
		}
		if alarm, err := parseAlarm(body); err == nil && alarm.Timer == "" || err != nil && !errors.Is(err, errNoAlarm) {
			t.Errorf("alarm %+v, %v", alarm, err)
		}
	})
}

func TestTraceparent(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("ab", 32)
	tests := map[string]string{
		"0199b2c4-1111-7000-8000-000000000001": "00-0199b2c4111170008000000000000001-abababababababab-01",
		"skills":                               "",
		strings.Repeat("z", 32):                "",
	}
	for session, want := range tests {
		if got := traceparent(events.Frame{Session: session, Hash: hash}); got != want {
			t.Errorf("trace of %s is %q, want %q", session, got, want)
		}
	}
}
