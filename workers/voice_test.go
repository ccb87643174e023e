package workers

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/batonflow/baton/stream"
)

// ears keeps what was said.
type ears struct {
	mu   sync.Mutex
	said []stream.Said
}

func (e *ears) Say(_ context.Context, s stream.Said) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said = append(e.said, s)
	return nil
}

func (e *ears) heard() []stream.Said {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.said
}

func (e *ears) Listen(context.Context, string, func(stream.Said)) error { return nil }

func TestVoiceGathersWords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &ears{}
		v := &voice{live: e, said: stream.Said{Session: "s", Call: "c", Attempt: 2}}
		for _, word := range []string{"one\n", "two\n"} {
			if n, err := v.Write([]byte(word)); n != 4 || err != nil {
				t.Fatal(n, err)
			}
		}
		if len(e.heard()) > 0 {
			t.Fatal("it spoke before it had drawn breath")
		}
		time.Sleep(breath)
		synctest.Wait()
		if len(e.heard()) != 1 || e.heard()[0].Text != "one\ntwo\n" || e.heard()[0].Call != "c" || e.heard()[0].Attempt != 2 {
			t.Fatalf("heard %+v", e.heard())
		}
		_, _ = v.Write([]byte("the rest\xff"))
		v.close()
		_, _ = v.Write([]byte("too late"))
		time.Sleep(breath)
		synctest.Wait()
		if len(e.heard()) != 2 || e.heard()[1].Text != "the rest\uFFFD" {
			t.Fatalf("heard %+v", e.heard())
		}
	})
}

func TestVoiceSaysTheEndOfMuch(t *testing.T) {
	t.Parallel()
	e := &ears{}
	v := &voice{live: e}
	for range 1000 {
		_, _ = v.Write([]byte(strings.Repeat("é", 50)))
	}
	_, _ = v.Write([]byte("end"))
	v.close()
	if len(e.heard()) != 1 || len(e.heard()[0].Text) > stream.MaxSaid || !strings.HasSuffix(e.heard()[0].Text, "éend") || strings.ContainsRune(e.heard()[0].Text, '\uFFFD') {
		t.Errorf("heard %d times, %d bytes", len(e.heard()), len(e.heard()[0].Text))
	}
}
