package timeline

import (
	"fmt"
	"slices"
)

// Lane says how the lines of a run's branches pass by a step: where its dot is, which lines go through,
// which come down to it and which leave it. Lines are counted from the left.
type Lane struct {
	Dot     int   `json:"dot"`               // -1: the row is no step of its own
	Through []int `json:"through,omitempty"` // from the row's top to its bottom
	In      []int `json:"in,omitempty"`      // from the top to the dot
	Out     []int `json:"out,omitempty"`     // from the dot to the bottom
	Width   int   `json:"width"`
}

// mostLanes bounds how many lines are drawn side by side; those beyond lie on the last one.
const mostLanes = 6

// below is what passes by the rows under a step.
func (l Lane) below() Lane {
	through := slices.Concat(l.Through, l.Out)
	slices.Sort(through)
	return Lane{Dot: -1, Through: slices.Compact(through), Width: l.Width}
}

// line is what has left a step and waits for those who need it.
type line struct {
	lane int
	key  string // those who need it
	left int    // how many of them have not come yet
	from []int  // the steps it comes from
}

// lanesOf lays the lines of steps that need one another. A step's line goes down until the last of those
// who need it; steps that are needed by the same ones share a line, so that branches are seen to join.
func lanesOf(steps []*step) []Lane {
	dependents := make([][]int, len(steps))
	for i, s := range steps {
		if s.plan == nil {
			return nil
		}
		for _, need := range s.plan.Needs {
			if need < i { // what stands below is not drawn upwards
				dependents[need] = append(dependents[need], i)
			}
		}
	}
	out := make([]Lane, len(steps))
	var lines []*line
	for i, s := range steps {
		out[i], lines = pass(i, s.plan.Needs, dependents[i], lines)
	}
	return out
}

// pass draws one step and gives the lines that go on below it.
func pass(i int, needs, dependents []int, lines []*line) (Lane, []*line) {
	l := Lane{Dot: -1}
	var on []*line
	for _, ln := range lines {
		if slices.ContainsFunc(ln.from, func(from int) bool { return slices.Contains(needs, from) }) {
			l.In = append(l.In, ln.lane)
			ln.left--
		}
		if ln.left > 0 {
			on = append(on, ln)
			l.Through = append(l.Through, ln.lane)
		} else if l.Dot < 0 {
			l.Dot = ln.lane
		}
	}
	if l.Dot < 0 {
		l.Dot = free(on)
	}
	if len(dependents) > 0 {
		key := fmt.Sprint(dependents)
		at := slices.IndexFunc(on, func(ln *line) bool { return ln.key == key })
		if at < 0 {
			on = append(on, &line{lane: l.Dot, key: key, left: len(dependents)})
			at = len(on) - 1
		}
		on[at].from = append(on[at].from, i)
		l.Out = append(l.Out, on[at].lane)
	}
	slices.SortFunc(on, func(a, b *line) int { return a.lane - b.lane })
	return l.drawn(), on
}

// free is the first place where no line is.
func free(lines []*line) int {
	for lane := 0; ; lane++ {
		if !slices.ContainsFunc(lines, func(ln *line) bool { return ln.lane == lane }) {
			return lane
		}
	}
}

// drawn keeps the lane within what is drawn.
func (l Lane) drawn() Lane {
	within := func(lanes []int) []int {
		for i := range lanes {
			lanes[i] = min(lanes[i], mostLanes-1)
		}
		slices.Sort(lanes)
		return slices.Compact(lanes)
	}
	l.Dot = min(l.Dot, mostLanes-1)
	l.Through, l.In, l.Out = within(l.Through), within(l.In), within(l.Out)
	l.Width = 1 + slices.Max(slices.Concat([]int{l.Dot}, l.Through, l.In, l.Out))
	return l
}
