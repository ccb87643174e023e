package projections

import (
	"time"

	"github.com/batonflow/baton/events"
)

// FeedbackRow is one piece of feedback that counts.
type FeedbackRow struct {
	Sequence uint64    `json:"sequence"`
	Session  string    `json:"session,omitempty"` // "": it was given outside of sessions
	Feedback string    `json:"feedback"`
	Text     string    `json:"text"` // SHA-256 of the payload that holds the request
	Chosen   string    `json:"chosen,omitempty"`
	Excluded []string  `json:"excluded,omitempty"`
	Weight   float64   `json:"weight"`
	Source   string    `json:"source"`
	Route    string    `json:"route,omitempty"`
	Call     string    `json:"call,omitempty"`
	Time     time.Time `json:"time"`
}

// feedback is everything that was given since it was last cleared, in the order of the log.
type feedback struct {
	Rows    []FeedbackRow `json:"rows,omitempty"`
	Clears  int           `json:"clears,omitempty"`
	Cleared []string      `json:"cleared,omitempty"` // texts that the last clearing forgets
}

func (f *feedback) given(sequence uint64, session string, at time.Time, d events.FeedbackGiven) {
	f.Rows = append(f.Rows, FeedbackRow{
		Sequence: sequence, Session: session, Feedback: d.Feedback, Text: d.Text.SHA256, Chosen: d.Chosen, Excluded: d.Excluded,
		Weight: d.Weight, Source: d.Source, Route: d.Route, Call: d.Call, Time: at,
	})
}

func (f *feedback) clear() {
	f.Cleared = nil
	for _, row := range f.Rows {
		f.Cleared = append(f.Cleared, row.Text)
	}
	f.Rows = nil
	f.Clears++
}

// Feedback lists what counts, the oldest first, and how often feedback was cleared before: as long as
// that stays, a longer list goes on where a shorter one ended. The rows must not be changed.
func (x *Index) Feedback() (rows []FeedbackRow, clears int) {
	return x.feedback.Rows[:len(x.feedback.Rows):len(x.feedback.Rows)], x.feedback.Clears
}

// ClearedTexts lists the payloads that the last clearing of feedback forgets: whoever follows the log
// deletes them.
func (x *Index) ClearedTexts() []string { return x.feedback.Cleared }
