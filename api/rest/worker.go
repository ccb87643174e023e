package rest

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/batonflow/baton/sessions"
)

// outside marks requests of workers outside in their context.
type outside struct{}

func isOutside(r *http.Request) bool {
	marked, _ := r.Context().Value(outside{}).(bool)
	return marked
}

// errands are the operations that a worker outside may ask for, as over NATS.
var errands = []string{
	"POST /v1/claims", "POST /v1/sessions/{session}/calls/{call}/beat", "POST /v1/sessions/{session}/calls/{call}/stream",
	"POST /v1/sessions/{session}/calls/{call}/close",
}

// worker says whether a worker outside asks for what it may.
func (s *Server) worker(r *http.Request) bool {
	text, ok := bearer(r)
	if !ok || !s.guard.others.is(text) {
		return false
	}
	_, pattern := s.mux.Handler(r)
	return slices.Contains(errands, pattern)
}

// ofAttempt refuses a worker outside that speaks for no attempt: the number is the fence, and what was
// opened by hand is none of its business.
func ofAttempt(input map[string]json.RawMessage) error {
	var attempt int
	if json.Unmarshal(input["attempt"], &attempt) != nil || attempt < 1 {
		return sessions.Refuse(sessions.Usage, "attempt_missing", "give it as the envelope says", "the request names no attempt")
	}
	return nil
}
