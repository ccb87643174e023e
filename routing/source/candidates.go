package source

import "slices"

// ranking is the sources of a task other than counter, the first to be searched first, with the
// weight in percent of each and of counter.
type ranking struct {
	in       input
	order    []Source
	weight   shares
	warnings []string
	local    string // the rule that known local material fired; "" for none
	hinted   bool   // relations were asked for
}

// rank ranks the sources that are available. What is missing hands its weight to others.
func rank(in input) ranking {
	r := ranking{in: in, weight: shares{}}
	if in.Freshness == high {
		r.webFirst()
	} else {
		r.byTable()
	}
	r.hintGraph()
	r.dropMissing()
	r.localFirst()
	return r
}

func (r *ranking) has(s Source) bool { return slices.Contains(r.in.Sources, s) }

func (r *ranking) add(list ...Source) {
	for _, s := range list {
		if s != Counter && !slices.Contains(r.order, s) {
			r.order = append(r.order, s)
		}
	}
}

func (r *ranking) remove(s Source) {
	r.order = slices.DeleteFunc(r.order, func(o Source) bool { return o == s })
	delete(r.weight, s)
}

// webFirst ranks for what must be new: the web, the combination, then all else as background.
func (r *ranking) webFirst() {
	r.add(Web)
	r.add(combinations[r.in.Task]...)
	for _, s := range []Source{LocalFile, Vector, Graph} {
		if r.has(s) {
			r.add(s)
		}
	}
	r.weight[Web], r.weight[Counter] = webWhenHigh, counterWhenHigh
	if at := slices.IndexFunc(r.order[1:], r.has); at >= 0 {
		r.weight[r.order[1+at]] = otherWhenHigh
	} else {
		r.weight[Web] += otherWhenHigh
	}
}

// byTable ranks by the combination, then by what else has a weight. When age does not matter the web
// comes last.
func (r *ranking) byTable() {
	table := weightsMedium
	if r.in.Freshness == low {
		table = weightsLow
	}
	for s, w := range table[r.in.Task] {
		r.weight[s] = w
	}
	r.add(combinations[r.in.Task]...)
	for _, s := range []Source{Vector, LocalFile, Web, Graph} {
		if r.weight[s] > 0 {
			r.add(s)
		}
	}
	if r.in.Freshness != low {
		return
	}
	web := r.weight[Web]
	r.remove(Web)
	if r.in.Task == internalKnowledge && !r.webNeeded() {
		r.weight[Vector] += web
		return
	}
	r.add(Web)
	r.weight[Web] = web
}

// webNeeded says whether internal knowledge of any age must be looked for outside as well.
func (r *ranking) webNeeded() bool {
	nothingKnown := r.in.Material == material{}
	return mentions(r.in.Gaps, recency) || r.in.Goal == investigate && nothingKnown || !r.has(Vector) && !r.has(LocalFile)
}

// hintGraph takes the graph in when relations are asked for and there is budget to spare.
func (r *ranking) hintGraph() {
	asked := mentions(append([]string{r.in.Subject}, r.in.Gaps...), relations)
	if !asked || !r.has(Graph) || slices.Contains(r.order, Graph) || r.in.Budget <= tightBudget {
		return
	}
	r.weight[r.order[0]] -= hintedGraph
	r.add(Graph)
	r.weight[Graph] = hintedGraph
	r.hinted = true
}

// dropMissing removes the sources that are not available.
func (r *ranking) dropMissing() {
	for _, s := range slices.Clone(r.order) {
		if r.has(s) {
			continue
		}
		weight := r.weight[s]
		r.remove(s)
		r.handOver(s, weight)
		if slices.Contains(combinations[r.in.Task], s) || s == Web && r.in.Freshness != low {
			r.warnings = append(r.warnings, "source_unavailable:"+string(s))
		}
	}
}

// handOver gives the weight of a missing source to those that stand in for it. With no such source
// it is left over, and what is left over goes to the first source when the budget is shared out.
func (r *ranking) handOver(s Source, weight int) {
	var heirs []Source
	for _, heir := range standIns[s] {
		if r.has(heir) {
			heirs = append(heirs, heir)
		}
	}
	if s != Web && len(heirs) > 1 {
		heirs = heirs[:1] // only the web is split
	}
	for i, heir := range heirs {
		share := weight / len(heirs)
		if i < weight%len(heirs) {
			share++
		}
		r.add(heir)
		r.weight[heir] += share
	}
}

// standIns are the sources that take over from a missing one, the best first.
var standIns = map[Source][]Source{
	Web:       {Vector, LocalFile},
	Vector:    {LocalFile},
	LocalFile: {Vector},
	Graph:     {Vector, Web},
}

// localFirst puts sources that are known to hold something on the subject in front, unless it must
// be new.
func (r *ranking) localFirst() {
	var known, others []Source
	for _, s := range r.order {
		if r.in.Material.known(s) {
			known = append(known, s)
		} else {
			others = append(others, s)
		}
	}
	switch {
	case len(known) == 0:
	case r.in.Freshness == high:
		r.local = "R3:kept_as_background"
	default:
		r.order, r.local = append(known, others...), "R3:local_first"
	}
}
