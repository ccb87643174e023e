package projections

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/batonflow/baton/events"
)

// runOf is the run that a router took along with this event.
func runOf(data events.Data) string {
	switch d := data.(type) {
	case events.StepJudged:
		return d.Run
	case events.SearchDowngraded:
		return d.Run
	case events.WebAdvanced:
		return d.Run
	}
	return ""
}

// advanced says in a line what a router did.
func (t *Trace) advanced(n *node, data events.Data) {
	switch d := data.(type) {
	case events.SearchDowngraded:
		t.searchDowngraded(n, d)
	case events.WebAdvanced:
		t.webAdvanced(n, d)
	}
}

// searchDowngraded is a line below its run: which level was left, for which, and why.
func (t *Trace) searchDowngraded(n *node, d events.SearchDowngraded) {
	to := string(d.ToLevel)
	if to == "" || to == "null" {
		to = "∅"
	}
	t.add(n, t.runs[d.Run], change{Run: d.Run, Status: "downgraded", Reason: fmt.Sprintf("%d → %s, %s: %s", d.FromLevel, to, d.Reason, d.QueryAffected)})
}

// webAdvanced is a line below its run: what the router did, a word and its object each.
func (t *Trace) webAdvanced(n *node, d events.WebAdvanced) {
	var said []struct{ Event, Tool, Code, Target, URL, Action, Reason, ID, From, To string }
	if json.Unmarshal(d.Trace, &said) != nil {
		return
	}
	var words []string
	for _, e := range said {
		object := cmp.Or(e.Code, e.Action, e.Target, e.URL, e.ID, e.Reason)
		if e.From != "" {
			object = e.From + " → " + e.To
		}
		words = append(words, strings.TrimSpace(e.Event+" "+cmp.Or(e.Tool, "")+" "+object))
	}
	t.add(n, t.runs[d.Run], change{Run: d.Run, Status: "advanced", Reason: strings.Join(words, "; ")})
}
