package intent

import "slices"

// made are the types whose result can be published, reviewed or turned into something else.
var made = []string{"structure", "analyze", "write", "visualize", "code", "translate", "image", "video", "plan", "extract", "convert", "test", "debug"}

// turning are the types that turn what there is into something else: said to come after an action, they
// work on what it made.
var turning = []string{"structure", "analyze", "translate", "extract", "convert", "review", "publish", "test", "debug"}

// need is why an action waits for an earlier one.
type need int

const (
	nothing need = iota
	inOrder      // the words put it later
	itsData      // it works on what the other makes
)

// handled are types that work on what was downloaded right before them.
var handled = []string{"structure", "analyze", "translate", "video", "extract", "convert", "install"}

// depend gives, per action, the earlier ones it waits for.
func (v *vocabulary) depend(list []action) [][]int {
	out := make([][]int, len(list))
	for i := range list {
		for j := range i {
			if v.need(list, i, j) != nothing {
				out[i] = append(out[i], j)
			}
		}
	}
	return out
}

// need says why action i waits for the earlier action j.
func (v *vocabulary) need(list []action, i, j int) need {
	a, b, previous := list[i], list[j], j == i-1
	if v.uses(list, i, j) || !a.object && previous && !begins(a) && !(illustrates(a, b) && condensed(list[:j])) {
		return itsData
	}
	switch {
	case a.after && previous && (slices.Contains(turning, a.kind) || a.kind == "plan" && b.kind == "brainstorm"):
		return itsData
	case a.after && previous:
		return inOrder
	}
	return nothing
}

// uses says whether action i works on what the earlier action j makes.
func (v *vocabulary) uses(list []action, i, j int) bool {
	a, b := list[i], list[j]
	switch {
	case slices.Contains(v.byType[a.kind].Needs, b.kind):
		return true
	case b.kind == "download" && j == i-1 && slices.Contains(handled, a.kind):
		return true
	case a.kind == "publish" || a.kind == "review":
		return slices.Contains(made, b.kind)
	case a.kind == "visualize" && slices.Contains([]string{"collect", "structure", "analyze"}, b.kind):
		return a.generic || !b.object
	}
	return false
}

// begins says that an action works on nothing that came before: its verb says what it makes.
func begins(a action) bool {
	return a.alone && slices.Contains([]string{"collect", "code", "plan", "brainstorm", "image", "video", "download", "install"}, a.kind)
}

// illustrates says that a picture goes with a text. It shows what the text is about, so where that has
// been condensed before, it need not wait for the wording.
func illustrates(a, b action) bool { return a.kind == "visualize" && b.kind == "write" }

func condensed(list []action) bool {
	return slices.ContainsFunc(list, func(a action) bool { return a.kind == "structure" || a.kind == "analyze" })
}

// layers gives each action the number of its layer: 0 when it waits for nothing.
func layers(deps [][]int) []int {
	out := make([]int, len(deps))
	for i, before := range deps {
		for _, j := range before {
			out[i] = max(out[i], out[j]+1)
		}
	}
	return out
}

// groups lists the types by layer, in the fixed order inside one.
func (v *vocabulary) groups(list []action, deps [][]int) [][]string {
	out := [][]string{}
	for i, layer := range layers(deps) {
		for len(out) <= layer {
			out = append(out, []string{})
		}
		out[layer] = append(out[layer], list[i].kind)
	}
	for _, group := range out {
		slices.SortStableFunc(group, func(a, b string) int { return v.byType[a].order - v.byType[b].order })
	}
	return out
}
