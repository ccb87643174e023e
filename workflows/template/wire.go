package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// wire finds what each step needs, and checks what can only be seen with all steps together.
func (r *reader) wire(t *Template, places []stepPlaces) {
	if len(t.Steps) == 0 {
		return
	}
	w := &wiring{reader: r, t: t, places: places, writers: map[string][]int{}, readers: map[string][]int{}, afterFailure: t.Handler()}
	w.explicit()
	w.keys()
	if !w.derive() {
		return
	}
	order, ok := w.sort()
	if !ok {
		w.cycles()
		return
	}
	if r.settled() && !w.unsure {
		w.checkWriters(order)
		w.checkReaders(order)
	}
}

// settled says whether the dependencies are known well enough to say what may run at once. After a
// fault that leaves one out, steps would be said to collide that do not.
func (r *reader) settled() bool {
	unsure := []string{CodeUnknownStep, CodeNotYet, CodeDuplicateStep, CodeBadExpression, CodeBadType}
	return !slices.ContainsFunc(r.faults, func(f Fault) bool { return slices.Contains(unsure, f.Code) })
}

// wiring is the template's steps on the way to a graph.
type wiring struct {
	*reader
	t       *Template
	places  []stepPlaces
	writers map[string][]int // by context key, ascending
	readers map[string][]int // those that must have a value, ascending
	broken  bool             // some output could not be read

	afterFailure *Step // that runs only then; nil: none
	unsure       bool  // some need could not be kept
}

// explicit resolves the needs that are written, or the order that stands in for them.
func (w *wiring) explicit() {
	var ids []string
	last := -1 // step of the normal flow
	for i := range w.t.Steps {
		s := &w.t.Steps[i]
		if s.AfterFailure {
			continue
		}
		if !s.given && w.t.Order == Sequential && last >= 0 {
			s.Needs = []int{last}
		}
		last = i
		for j, id := range s.explicit {
			at := w.places[i].need[j]
			need, ok := w.needed(id)
			if !ok {
				if ids == nil {
					ids = slices.Sorted(maps.Keys(w.t.byID))
				}
				w.fail(at, CodeUnknownStep, "there is no step "+short(id), w.didYouMean(id, ids))
				continue
			}
			if w.t.Steps[need].AfterFailure {
				w.fail(at, CodeContradiction, "step "+short(id)+" runs only after a failure, nothing can wait for it", "need another step")
				w.unsure = true
				continue
			}
			s.Needs = append(s.Needs, need)
		}
		s.Needs = uniqueInts(s.Needs)
	}
}

// needed finds the step of an id, or the one that alone writes a key of that name.
func (w *wiring) needed(name string) (int, bool) {
	if i, ok := w.t.byID[name]; ok {
		return i, true
	}
	found, writers := 0, 0
	for i, s := range w.t.Steps {
		if s.Output == name {
			found = i
			writers++
		}
	}
	return found, writers == 1
}

// keys finds who writes and who reads which context key.
func (w *wiring) keys() {
	for i := range w.t.Steps {
		if key := w.t.Steps[i].Output; key != "" {
			if w.t.Steps[i].AfterFailure {
				continue
			}
			w.writers[key] = append(w.writers[key], i)
		} else if !w.places[i].output.absent() {
			w.broken = true
		}
	}
	for i := range w.t.Steps {
		s := &w.t.Steps[i]
		for _, read := range w.places[i].reads {
			w.read(s, read)
		}
		s.ItemReads = sortedUnique(append(slices.Clone(s.Reads), s.itemMentions...))
		s.Reads = sortedUnique(append(s.Reads, s.Mentions...))
	}
}

func (w *wiring) read(s *Step, read reading) {
	written := len(w.writers[read.key]) > 0 || w.afterFailure != nil && w.afterFailure.Output == read.key
	if name, ok := inputOf(read.key, w.inputs, func(string) bool { return written }); ok && !read.expression {
		if _, declared := w.inputs[name]; !declared {
			w.fail(read.at, CodeNoWriter, "the template has no input "+short(name), w.inputHint(name))
		}
		return
	}
	if !read.expression {
		s.Reads = append(s.Reads, read.key)
	}
	if read.after && s.Output == read.key || w.late(s, read) {
		return
	}
	if len(w.writers[read.key]) > 0 {
		if list := w.readers[read.key]; !read.optional && (len(list) == 0 || list[len(list)-1] != s.Index) {
			w.readers[read.key] = append(list, s.Index)
		}
		return
	}
	if !read.optional && !w.broken {
		w.fail(read.at, CodeNoWriter, short(read.key)+" is read, but no step writes it and no input is called so", w.keyHint(read.key))
	}
}

func (w *wiring) keyHint(key string) string {
	known := slices.Sorted(maps.Keys(w.writers))
	for _, one := range known {
		if strings.HasPrefix(one, key+".") {
			return fmt.Sprintf("%q is one key: write ctx['%s']", one, one)
		}
	}
	if _, ok := w.inputs[key]; ok {
		return "write inputs." + key
	}
	if near := w.nearest(key, append(known, slices.Sorted(maps.Keys(w.inputs))...)); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "give a step output: " + key + ", or declare an input; an expression may say ctx['" + key + "'] ?? nil"
}

// derive adds, in a dataflow template, the writers of what a step reads to what it needs. A writer
// that itself needs the reader is left out where the key has others: such a step passes the value on.
func (w *wiring) derive() bool {
	if w.t.Order != Dataflow {
		return true
	}
	edges := 0
	for key, readers := range w.readers {
		edges += len(readers) * len(w.writers[key])
	}
	if edges > MaxDependencies {
		w.faultAt(1, 1, CodeTooLarge, fmt.Sprintf("steps and what they read make %d dependencies, at most %d are taken", edges, MaxDependencies),
			"write needs, or use order: sequential")
		return false
	}
	later := w.dependents()
	extra := make([][]int, len(w.t.Steps))
	for i := range w.t.Steps {
		if w.t.Steps[i].AfterFailure {
			continue
		}
		var after map[int]bool
		for _, key := range w.t.Steps[i].Reads {
			writers := w.writers[key]
			if len(writers) > 1 && after == nil {
				after = reach(later, i)
			}
			for _, writer := range writers {
				if writer != i && (len(writers) == 1 || !after[writer]) {
					extra[i] = append(extra[i], writer)
				}
			}
		}
	}
	for i, more := range extra {
		w.t.Steps[i].Needs = uniqueInts(append(w.t.Steps[i].Needs, more...))
	}
	return true
}

// dependents turns what steps need around.
func (w *wiring) dependents() [][]int {
	later := make([][]int, len(w.t.Steps))
	for i := range w.t.Steps {
		for _, need := range w.t.Steps[i].Needs {
			later[need] = append(later[need], i)
		}
	}
	return later
}

// reach gives all that can be come to from one step.
func reach(next [][]int, from int) map[int]bool {
	seen, todo := map[int]bool{}, []int{from}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range next[at] {
			if !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen
}

func uniqueInts(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}
