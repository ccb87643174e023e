package intent

import "slices"

// made are the types whose result can be published, reviewed or turned into something else.
var made = []string{"structure", "analyze", "write", "visualize", "code", "translate", "image", "video", "plan", "extract", "convert", "test", "debug"}

// depend gives, per action, the earlier ones it waits for.
func (v *vocabulary) depend(list []action) [][]int {
	out := make([][]int, len(list))
	for i, a := range list {
		for j := range i {
			if v.waits(list, a, i, j) {
				out[i] = append(out[i], j)
			}
		}
	}
	return out
}

// waits says whether action i uses what the earlier action j gives.
func (v *vocabulary) waits(list []action, a action, i, j int) bool {
	b, previous := list[j], j == i-1
	switch {
	case a.after && previous, !a.object && previous:
		return true
	case slices.Contains(v.byType[a.kind].Needs, b.kind):
		return true
	case a.kind == "publish" || a.kind == "review":
		return slices.Contains(made, b.kind)
	case a.kind == "visualize" && slices.Contains([]string{"collect", "structure", "analyze"}, b.kind):
		return a.generic || !b.object
	}
	return false
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
