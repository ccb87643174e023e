package stream

import (
	"context"
	"encoding/json"
	"unicode/utf8"
)

// Said is what a running attempt says while it works: some of its log, or how far it has come. It is
// in no commit, and nothing is decided on it.
type Said struct {
	Session string          `json:"session"`
	Call    string          `json:"call"`
	Attempt int             `json:"attempt"`
	Text    string          `json:"text,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"` // what programs may want of it
}

// MaxSaid is the longest text, and the most data, that is said at once, in bytes.
const MaxSaid = 8 << 10

// Empty says that nothing was said: it was a mere sign of life.
func (s Said) Empty() bool { return s.Text == "" && len(s.Data) == 0 }

// Cut gives the text's end, as much of it as may be said at once.
func (s Said) Cut() Said {
	if len(s.Text) > MaxSaid {
		from := len(s.Text) - MaxSaid
		for from < len(s.Text) && !utf8.RuneStart(s.Text[from]) {
			from++
		}
		s.Text = s.Text[from:]
	}
	return s
}

// Live carries what running attempts say, to whoever listens at that moment. It is stored nowhere and
// may be lost. Whoever speaks is alive, so [Beats] hears it as a beat too.
type Live interface {
	// Say tells everybody who listens.
	Say(ctx context.Context, said Said) error
	// Listen calls f for whatever is said in the session, in all of them when it is "", until ctx is
	// done; it returns once it is listening. f is called by one at a time.
	Listen(ctx context.Context, session string, f func(Said)) error
}
