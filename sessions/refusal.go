package sessions

import "fmt"

// Kind says what sort of refusal it is; the command line's exit status follows from it.
type Kind string

// The kinds of refusal.
const (
	Usage       Kind = "usage"       // a bad value
	NotFound    Kind = "not_found"   // no such session, call, key, skill, template
	Conflict    Kind = "conflict"    // already closed, already decided, changed meanwhile
	Waits       Kind = "waits"       // a person must confirm
	Refused     Kind = "refused"     // sentinel, policy, budget
	Unreachable Kind = "unreachable" // server or cluster out of reach
	Damaged     Kind = "damaged"     // store full or damaged, or written by a newer Baton
	Unverified  Kind = "unverified"  // replay or audit differs
	Failed      Kind = "failed"      // anything else that did not work
)

// Refusal is an answer that says no: nothing was changed. Code is stable; Message says what and
// where; Hint says what to do.
type Refusal struct {
	Kind    Kind           `json:"kind"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint"`
	Details map[string]any `json:"details,omitempty"`
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Message + "; " + r.Hint }

// Refuse makes a refusal.
func Refuse(kind Kind, code, hint, format string, args ...any) *Refusal {
	return &Refusal{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// With adds a detail that programs can read.
func (r *Refusal) With(key string, value any) *Refusal {
	if r.Details == nil {
		r.Details = map[string]any{}
	}
	r.Details[key] = value
	return r
}
