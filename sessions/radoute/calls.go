package radoute

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/batonflow/baton/events"
)

// numbers finds calls whose ids Baton would give to later ones of its own, since it counts on from the
// number of calls there are, and gives them others.
func (r *reader) numbers(lines []line) {
	r.names = map[string]string{}
	seen := map[string]bool{}
	for _, l := range lines {
		if l.Event == "call_open" {
			seen[l.CallID] = true
		}
	}
	for id := range seen {
		var n int
		if _, err := fmt.Sscanf(id, "c%d", &n); err == nil && fmt.Sprintf("c%03d", n) == id && n > len(seen) {
			r.names[id] = "old-" + id
		}
	}
}

func (r *reader) callID(id string) string { return first(r.names[id], id) }

// opened begins a call. Two writers of the old router could take one id for two calls: the second is
// only counted, since nobody can tell what belongs to which.
func (r *reader) opened(l line) {
	id := r.callID(l.CallID)
	if id == "" || r.calls[id] != nil {
		r.skip("call id taken twice")
		return
	}
	d := events.CallOpened{Call: id, Skill: first(l.Skill, "unknown"), Intent: text(l.Intent), Reads: r.reads(l.Reads), Writes: l.Writes, Inputs: values(l.Inputs)}
	if parent := r.callID(l.Parent); r.calls[parent] != nil {
		d.Parent = parent
	}
	r.calls[id] = &call{open: true}
	r.say(d)
	r.say(events.CallStarted{Call: id, Attempt: 1})
}

// closed ends a call once; the old router let a closed call be closed again.
func (r *reader) closed(l line) {
	id := r.callID(l.CallID)
	c := r.calls[id]
	if c == nil || !c.open {
		r.skip("close of a call that is not open")
		return
	}
	c.open, c.suspended = false, false
	d := events.CallClosed{Call: id, Attempt: 1, Status: l.Status, Outputs: values(l.Outputs), Artifacts: l.Artifacts, Note: first(l.Note, l.Error)}
	if !slices.Contains([]string{"ok", "partial", "failed", "skipped"}, d.Status) {
		d.Status = "partial"
	}
	r.say(d)
}

func (r *reader) suspended(l line) {
	id := r.callID(l.CallID)
	if c := r.calls[id]; c == nil || !c.open || c.suspended {
		r.skip("suspension of a call that is not open")
		return
	}
	r.calls[id].suspended = true
	r.say(events.CallSuspended{Call: id, Reason: l.Reason})
}

func (r *reader) resumed(l line) {
	id := r.callID(l.CallID)
	if c := r.calls[id]; c == nil || !c.suspended {
		r.skip("resumption of a call that is not suspended")
		return
	}
	r.calls[id].suspended = false
	r.say(events.CallResumed{Call: id})
}

func values(of map[string]json.RawMessage) map[string]events.Value {
	if len(of) == 0 {
		return nil
	}
	out := make(map[string]events.Value, len(of))
	for name, raw := range of {
		out[name] = events.Value{JSON: compact(raw)}
	}
	return out
}
