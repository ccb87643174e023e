package host

import (
	"context"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream"
)

const (
	voicesKept = 512 // attempts
	wordsKept  = 10  // of each
)

// voices remembers the last words of running attempts, for those who look later. It holds what can be
// lost: it begins empty with the process, and forgets who has been quiet for longest.
type voices struct {
	mu    sync.Mutex
	words *lru.Cache[voice, []operation.Progress]
}

type voice struct {
	session, call string
	attempt       int
}

func newVoices() (*voices, error) {
	words, err := lru.New[voice, []operation.Progress](voicesKept)
	return &voices{words: words}, err
}

func (v *voices) heard(s stream.Said) {
	v.mu.Lock()
	defer v.mu.Unlock()
	who := voice{s.Session, s.Call, s.Attempt}
	before, _ := v.words.Get(who)
	words := append([]operation.Progress{}, before[max(0, len(before)-wordsKept+1):]...)
	v.words.Add(who, append(words, operation.Progress{Time: time.Now().UTC(), Text: s.Text, Data: s.Data}))
}

// of is what the attempt said last, the oldest first.
func (v *voices) of(session, call string, attempt int) []operation.Progress {
	v.mu.Lock()
	defer v.mu.Unlock()
	words, _ := v.words.Get(voice{session, call, attempt})
	return words
}

// showCall adds to the call's row what the log does not know.
func (s *Server) showCall(ctx context.Context, session string, q engine.CallAsk) (any, error) {
	row, err := s.callOf(ctx, session, q.Call)
	out := operation.CallShown{Row: row}
	if err == nil && row.ClosedAt == nil {
		out.Progress = s.voices.of(session, row.CallID, row.Attempt)
	}
	return out, err
}
