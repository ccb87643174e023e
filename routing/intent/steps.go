package intent

import (
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// Step is a sub-task with what it waits for, for whoever makes a workflow of a request.
type Step struct {
	SubTask
	At   int   // where the words of the request that ask for it begin, in bytes
	Uses []int // earlier steps whose results it works on
	Then []int // earlier steps that only have to come first
}

// Steps reads a request like [Reader.Parse] and keeps the dependencies that its layers come from.
func (r Reader) Steps(text string) []Step {
	folded := words.FoldMap(text)
	marks := r.v.lex(folded.Text)
	list := acquisition(r.v.read(marks), marks)
	var out []Step
	for i, a := range list {
		step := Step{SubTask: SubTask{Type: a.kind, Target: strings.TrimSpace(folded.Original(a.start, a.end))}}
		step.At = len(folded.Original(0, a.start))
		for j := range i {
			switch r.v.need(list, i, j) {
			case itsData:
				step.Uses = append(step.Uses, j)
			case inOrder:
				step.Then = append(step.Then, j)
			case nothing:
			}
		}
		step.Uses = r.v.ends(list[i].kind, step.Uses, out)
		out = append(out, step)
	}
	return out
}

// ends leaves out what went into something else already: an article is published, not the notes that
// it was written from. What the type of action needs by itself stays.
func (v *vocabulary) ends(kind string, uses []int, before []Step) []int {
	if kind != "publish" && kind != "review" {
		return uses
	}
	return slices.DeleteFunc(uses, func(j int) bool {
		spent := slices.ContainsFunc(before, func(s Step) bool { return slices.Contains(s.Uses, j) })
		return spent && !slices.Contains(v.byType[kind].Needs, before[j].Type)
	})
}
