package page

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

// quiet is how long the stream of news rests between two of them: a browser draws no faster.
const quiet = 250 * time.Millisecond

// live tells a browser whenever the session, or the whole log, has moved on; what there is to see it asks
// for by itself. News that pile up become one, so a slow reader holds up nobody.
func (p *page) live(r *request) error {
	flusher, ok := r.w.(http.Flusher)
	if !ok {
		return sessions.Refuse(sessions.Failed, "no_stream", "reload the page instead", "the connection cannot stream")
	}
	after, err := strconv.ParseUint(r.Query("after"), 10, 64)
	if err != nil {
		after = 0
	}
	if last, err := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64); err == nil {
		after = last
	}
	r.w.Header().Set("Content-Type", "text/event-stream")
	r.w.Header().Set("X-Accel-Buffering", "no")
	fmt.Fprint(r.w, "retry: 1000\n\n")
	flusher.Flush()
	for r.Context().Err() == nil {
		moved, err := ask[engine.Moved](r, "moved", r.Query("session"), engine.MovedAsk{After: after})
		if err != nil {
			return nil // the browser comes again
		}
		text := ": still here\n\n"
		if moved.Sequence > after {
			after = moved.Sequence
			text = fmt.Sprintf("id: %d\nevent: moved\ndata: %d\n\n", after, after)
		}
		if _, err := fmt.Fprint(r.w, text); err != nil {
			return nil // it went away
		}
		flusher.Flush()
		select {
		case <-time.After(quiet):
		case <-r.Context().Done():
		}
	}
	return nil
}
