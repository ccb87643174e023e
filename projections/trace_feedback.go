package projections

import (
	"fmt"
	"strings"

	"github.com/batonflow/baton/events"
)

// feedbackNode is what was learned, without the text of the request.
type feedbackNode struct {
	ID       string   `json:"feedback"`
	Chosen   string   `json:"chosen,omitempty"`
	Excluded []string `json:"excluded,omitempty"`
	Weight   float64  `json:"weight"`
	Source   string   `json:"source"`
	Route    string   `json:"route,omitempty"`
}

// learned places feedback beside the call that showed it, or at the route it is about.
func (t *Trace) learned(n *node, d events.FeedbackGiven) {
	n.Feedback = &feedbackNode{d.Feedback, d.Chosen, d.Excluded, d.Weight, d.Source, d.Route}
	if call := t.calls[d.Call]; call != nil {
		t.place(n, call)
		return
	}
	t.place(n, t.inside(""))
}

// feedbackText says what was learned: which skill serves the task of a route, and which does not.
func feedbackText(d *feedbackNode, w *words) string {
	var parts []string
	parts = append(parts, some(w.serves, Escape(d.Chosen))...)
	parts = append(parts, some(w.turnedDown, list(d.Excluded))...)
	text := fmt.Sprintf(w.learned, w.in(d.Source)) + w.colon + strings.Join(parts, w.separator)
	return strings.TrimSpace(text + after(" ", Escape(d.Route)))
}
