package projections

import (
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
)

// mostSkills bounds how many skills a run's row names.
const mostSkills = 12

// top is the row of the run that a person started, whose child run the call may be in: ids of child runs
// begin with it.
func (x *Index) top(session, run string) *RunRow {
	id, _, _ := strings.Cut(run, "/")
	return x.runs[runKey{session, id}]
}

// serves notes which skill a run uses.
func (x *Index) serves(session string, d events.CallOpened) {
	r := x.top(session, d.Run)
	if r != nil && d.Skill != "" && len(r.Skills) < mostSkills && !slices.Contains(r.Skills, d.Skill) {
		r.Skills = append(r.Skills, d.Skill)
	}
}

// spent adds what a call reports to its run.
func (x *Index) spent(session string, d events.CallClosed) {
	w := x.open[session]
	if w == nil || w.calls[d.Call] == nil {
		return
	}
	if r := x.top(session, w.calls[d.Call].Run); r != nil {
		used := d.Used()
		r.USD += used.USD
		r.Tokens += used.Tokens
	}
}
