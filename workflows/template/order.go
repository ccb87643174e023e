package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sort gives the steps in an order in which each comes after all it needs. It is not ok when some
// wait for each other.
func (w *wiring) sort() (order []int, ok bool) {
	waits := make([]int, len(w.t.Steps))
	later := w.dependents()
	for i := range w.t.Steps {
		if waits[i] = len(w.t.Steps[i].Needs); waits[i] == 0 {
			order = append(order, i)
		}
	}
	for done := 0; done < len(order); done++ {
		for _, next := range later[order[done]] {
			if waits[next]--; waits[next] == 0 {
				order = append(order, next)
			}
		}
	}
	return order, len(order) == len(w.t.Steps)
}

// cycles reports one shortest cycle of each group of steps that wait for each other.
func (w *wiring) cycles() {
	groups := &components{needs: func(i int) []int { return w.t.Steps[i].Needs }, index: map[int]int{}, low: map[int]int{}}
	for i := range w.t.Steps {
		if groups.index[i] == 0 {
			groups.visit(i)
		}
	}
	for _, group := range groups.found {
		first := slices.Min(group)
		if len(group) == 1 && !slices.Contains(w.t.Steps[first].Needs, first) {
			continue
		}
		path := w.roundTrip(first, group)
		names := make([]string, len(path))
		for i, step := range path {
			names[i] = w.t.Steps[step].ID
		}
		at := w.places[first].needs
		if at.absent() {
			at = w.places[first].step
		}
		w.fail(at, CodeCycle, "steps wait for each other, each for the next: "+strings.Join(names, " → "), "take out one of these needs")
	}
}

// roundTrip gives a shortest way from a step over needs of its group back to itself.
func (w *wiring) roundTrip(first int, group []int) []int {
	in := make(map[int]bool, len(group))
	for _, i := range group {
		in[i] = true
	}
	from, queue := map[int]int{}, []int{first}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, need := range w.t.Steps[at].Needs {
			if _, seen := from[need]; seen || !in[need] {
				continue
			}
			from[need] = at
			if need != first {
				queue = append(queue, need)
				continue
			}
			path := []int{first}
			for at := from[first]; at != first; at = from[at] {
				path = append(path, at)
			}
			slices.Reverse(path)
			return append([]int{first}, path...)
		}
	}
	return []int{first}
}

// components finds the groups of steps that can all be come to from each other (Tarjan).
type components struct {
	needs      func(int) []int
	index, low map[int]int // from 1; low is -1 once a step's group is found
	stack      []int
	found      [][]int
}

func (c *components) visit(i int) {
	c.index[i] = len(c.index) + 1
	c.low[i] = c.index[i]
	c.stack = append(c.stack, i)
	for _, need := range c.needs(i) {
		switch {
		case c.index[need] == 0:
			if c.visit(need); c.low[need] > 0 {
				c.low[i] = min(c.low[i], c.low[need])
			}
		case c.low[need] > 0: // not yet in a group of its own
			c.low[i] = min(c.low[i], c.index[need])
		}
	}
	if c.low[i] != c.index[i] {
		return
	}
	at := slices.Index(c.stack, i)
	group := slices.Clone(c.stack[at:])
	c.stack = c.stack[:at]
	for _, member := range group {
		c.low[member] = -1
	}
	c.found = append(c.found, group)
}

// chain says whether every step simply needs the one before it.
func (w *wiring) chain() bool {
	return w.t.Order == Sequential && !slices.ContainsFunc(w.t.Steps, func(s Step) bool { return s.given })
}

// checkWriters reports writers of one key of which neither is sure to be done before the other
// starts. Sorted so that needs come first, all are in line when each comes to the next.
func (w *wiring) checkWriters(order []int) {
	if w.chain() {
		return
	}
	rank, s := ranks(order), newSweep(len(order))
	for _, key := range slices.Sorted(maps.Keys(w.writers)) {
		writers := slices.Clone(w.writers[key])
		if len(writers) < 2 {
			continue
		}
		slices.SortFunc(writers, func(a, b int) int { return rank[a] - rank[b] })
		for i, writer := range writers {
			s.number[writer] = i + 1
		}
		s.walk(w.t, order[rank[writers[0]]:rank[writers[len(writers)-1]]+1])
		for i := 1; i < len(writers); i++ {
			if s.last[writers[i]] != i {
				w.collide(key, min(writers[i-1], writers[i]), max(writers[i-1], writers[i]))
			}
		}
		s.clear(writers)
	}
}

func (w *wiring) collide(key string, a, b int) {
	w.fail(w.places[b].output, CodeTwoWriters,
		fmt.Sprintf("%s is also written by step %s (line %d), and the two may run at once",
			short(key), w.t.Steps[a].ID, w.places[a].step.node.Line),
		fmt.Sprintf("write needs: [%s], or another key", w.t.Steps[a].ID))
}

// sweep goes once over a part of the order and carries along which numbered steps have been passed.
type sweep struct {
	number []int // by step, from 1; 0: it has none
	last   []int // by step: the highest number among the steps that it needs, directly or not
	span   []int
}

func newSweep(steps int) *sweep {
	return &sweep{number: make([]int, steps), last: make([]int, steps)}
}

func (s *sweep) walk(t *Template, span []int) {
	s.span = span
	for _, i := range span {
		for _, need := range t.Steps[i].Needs {
			s.last[i] = max(s.last[i], s.last[need], s.number[need])
		}
	}
}

// clear forgets the last walk and the numbers given for it.
func (s *sweep) clear(numbered []int) {
	for _, i := range s.span {
		s.last[i] = 0
	}
	for _, i := range numbered {
		s.number[i] = 0
	}
	s.span = nil
}

// checkReaders reports steps that read a key before anybody is sure to have written it.
func (w *wiring) checkReaders(order []int) {
	rank, chain, s := ranks(order), w.chain(), newSweep(len(order))
	for _, key := range slices.Sorted(maps.Keys(w.readers)) {
		writers := w.writers[key]
		unsure := slices.DeleteFunc(slices.Clone(w.readers[key]), func(reader int) bool {
			return chain && writers[0] < reader || slices.ContainsFunc(w.t.Steps[reader].Needs, func(need int) bool {
				_, direct := slices.BinarySearch(writers, need)
				return direct
			})
		})
		if len(unsure) == 0 {
			continue
		}
		from, to := len(order), 0
		for _, writer := range writers {
			s.number[writer] = 1
			from = min(from, rank[writer])
		}
		for _, reader := range unsure {
			to = max(to, rank[reader]+1)
		}
		s.walk(w.t, order[from:max(from, to)])
		for _, reader := range unsure {
			if s.last[reader] == 0 {
				w.tooEarly(key, reader, writers)
			}
		}
		s.clear(writers)
	}
}

func (w *wiring) tooEarly(key string, reader int, writers []int) {
	at := w.places[reader].step
	for _, read := range w.places[reader].reads {
		if read.key == key {
			at = read.at
			break
		}
	}
	if len(writers) == 1 && writers[0] == reader {
		w.fail(at, CodeWriterNotBefore, short(key)+" is read here, but only this step itself writes it", "let an earlier step write it")
		return
	}
	writer := writers[0]
	w.fail(at, CodeWriterNotBefore,
		fmt.Sprintf("%s is read here, but step %s (line %d), which writes it, is not sure to be done before",
			short(key), w.t.Steps[writer].ID, w.places[writer].step.node.Line),
		fmt.Sprintf("write needs: [%s], or put that step first", w.t.Steps[writer].ID))
}

func ranks(order []int) []int {
	rank := make([]int, len(order))
	for at, i := range order {
		rank[i] = at
	}
	return rank
}
