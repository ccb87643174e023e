package workers

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/batonflow/baton/stream"
)

// breath is how long a voice gathers words before it says them: a program that prints line by line
// costs a few messages a second, no more.
const breath = 100 * time.Millisecond

// voice passes on what an attempt says while it works, the end of it if that is more than can be said
// at once. Nobody may be listening, and nothing is lost that the log should have: so it never fails
// and never holds up who writes.
type voice struct {
	live stream.Live
	said stream.Said // whose it is

	mu      sync.Mutex
	words   []byte
	pending *time.Timer
	closed  bool
}

var _ io.Writer = (*voice)(nil)

// Write takes the words in.
func (v *voice) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return len(p), nil
	}
	v.words = append(v.words, p...)
	if len(v.words) > 4*stream.MaxSaid {
		v.words = append(v.words[:0], v.words[len(v.words)-stream.MaxSaid:]...)
	}
	if v.pending == nil {
		v.pending = time.AfterFunc(breath, v.speak)
	}
	return len(p), nil
}

func (v *voice) speak() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pending = nil
	v.sayAll()
}

func (v *voice) sayAll() {
	if len(v.words) == 0 {
		return
	}
	said := v.said
	said.Text = strings.ToValidUTF8(string(v.words), "\uFFFD")
	v.words = v.words[:0]
	_ = v.live.Say(context.Background(), said.Cut()) // see above
}

// close says what is left.
func (v *voice) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.pending != nil {
		v.pending.Stop()
	}
	v.closed = true
	v.sayAll()
}
