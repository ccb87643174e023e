package web

import "slices"

// The parts of an answer, in their order; the last only when something is missing.
var sections = []string{"result", "evidence_and_sources", "limits_and_uncertainty"}

const nextStep = "optional_next_step"

// noDate is the limit of what had to be fresh and does not say when it is from.
const noDate = "no_date_context"

// truncated is the limit of a page that was longer than what is read of one.
const truncated = "truncated"

var statusOf = map[ending]Status{blocked: Blocked, failed: Failed, aborted: Failed}

// stop ends the task at a target: it was cancelled there, or a person has to step in.
func (t *Task) stop() {
	if l := first(t.lanes, aborted); l != nil {
		t.final = &Final{Status: Failed, Reason: l.reason}
		if l.reason == writeUnknown {
			t.final.Status = Blocked
		}
		return
	}
	l := first(t.lanes, halted)
	status := NeedsUser
	if t.asks(l) {
		status = NeedsConfirmation
	}
	t.final = &Final{Status: status, Reason: l.reason, ResumeAt: &l.target}
}

// asks says whether a lane waits for a yes rather than for somebody's hands.
func (t *Task) asks(l *lane) bool {
	return len(l.notes) > 0 && l.notes[len(l.notes)-1].Kind == NoteAuthorisation
}

// finish verifies what was found and ends the task.
func (t *Task) finish() {
	if t.good() == 0 {
		l := first(t.lanes, blocked)
		if l == nil {
			l = first(t.lanes, failed)
		}
		t.final = &Final{Status: statusOf[l.end], Reason: l.reason}
		return
	}
	f := Final{Status: Completed, Sections: slices.Clone(sections), Sources: []string{}, Limitations: []string{}}
	undated := false
	for _, l := range t.lanes {
		if l.end != good {
			f.Limitations = append(f.Limitations, l.reason+":"+l.target)
			continue
		}
		f.Sources = append(f.Sources, l.target)
		if l.found.Truncated {
			f.Limitations = append(f.Limitations, truncated+":"+l.target)
		}
		undated = undated || l.found.Date == ""
	}
	if t.request.Need.Fresh && undated {
		f.Limitations = append(f.Limitations, noDate)
	}
	if len(f.Limitations) > 0 {
		f.Status = Partial
		f.Sections = append(f.Sections, nextStep)
	}
	t.newPage().add(Event{Event: "verified", Sources: f.Sources})
	t.final = &f
}
