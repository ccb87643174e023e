package timeline

import (
	"cmp"
	"fmt"
	"slices"
)

// Graph is a run's template as boxes in layers, with the state of each; and what the calls by hand handed
// to one another.
type Graph struct {
	Nodes   []Node `json:"nodes"`
	Edges   []Edge `json:"edges"`
	Columns int    `json:"columns"`
	Rows    int    `json:"rows"`
	Left    int    `json:"left,omitempty"` // steps that are not drawn: there are too many
}

// Node is a step, or several that need the same and are needed by the same.
type Node struct {
	ID     string         `json:"id"`
	Name   string         `json:"name"`
	Call   string         `json:"call,omitempty"`
	Run    string         `json:"run,omitempty"` // the run that it started
	Skill  string         `json:"skill,omitempty"`
	Kind   string         `json:"kind,omitempty"` // executor
	Status string         `json:"status"`
	Count  int            `json:"count"`            // steps, or items of its list
	States map[string]int `json:"states,omitempty"` // of those, where there are several
	After  bool           `json:"after,omitempty"`  // only when the run has failed
	Column int            `json:"column"`
	Row    float64        `json:"row"`
}

// Edge says that one node needs another.
type Edge struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// mostAlike is how many steps that stand alike are drawn one by one.
const mostAlike = 12

// mostNodes is how many boxes a picture has room for.
const mostNodes = 400

// Graph lays out a run's steps; of a run without a template, one after the other.
func (t *Timeline) Graph(id string) Graph {
	r := t.runs[id]
	if r == nil {
		return Graph{Nodes: []Node{}, Edges: []Edge{}}
	}
	needs := make([][]int, len(r.steps))
	for i, s := range r.steps {
		switch {
		case s.plan != nil:
			needs[i] = s.plan.Needs
		case i > 0:
			needs[i] = []int{i - 1}
		}
	}
	group := alike(needs)
	g := Graph{Nodes: []Node{}, Edges: []Edge{}}
	at := map[int]int{} // group -> node
	for i, s := range r.steps {
		n, ok := at[group[i]]
		if !ok && len(g.Nodes) == mostNodes {
			g.Left++
			continue
		}
		if !ok {
			n = len(g.Nodes)
			at[group[i]] = n
			g.Nodes = append(g.Nodes, t.node(r, s))
			continue
		}
		g.Nodes[n].join(s)
	}
	seen := map[Edge]bool{}
	for i := range r.steps {
		for _, need := range needs[i] {
			from, drawn := at[group[need]]
			to, too := at[group[i]]
			if e := (Edge{from, to}); drawn && too && !seen[e] && from != to {
				seen[e] = true
				g.Edges = append(g.Edges, e)
			}
		}
	}
	g.lay()
	return g
}

func (t *Timeline) node(r *run, s *step) Node {
	n := Node{ID: r.Run + "/" + s.id, Name: s.id, Status: s.standing(), Count: 1}
	if s.plan != nil {
		n.Skill, n.Kind, n.After = s.plan.Skill, s.plan.Executor, s.plan.AfterFailure
	}
	if s.call != nil {
		n.Call, n.Skill = s.call.Call, cmp.Or(n.Skill, s.call.Skill)
		if child := t.runs[s.call.Call]; child != nil {
			n.Run = child.Run
		}
	}
	if s.list != nil {
		n.Count, n.States = s.list.total, map[string]int{}
		for _, c := range s.list.calls {
			status, _ := c.standing()
			n.States[status]++
		}
	}
	return n
}

// join makes a node stand for one more step.
func (n *Node) join(s *step) {
	if n.States == nil {
		n.States, n.Skill, n.Call = map[string]int{n.Status: 1}, "", ""
	}
	n.Count++
	n.States[s.standing()]++
	n.Name = fmt.Sprintf("%s × %d", n.ID[len(n.ID)-len(shortest(n.ID)):], n.Count)
	for _, status := range []string{"failed", "running", "queued", "waiting", "backoff", "pending", "ok"} {
		if n.States[status] > 0 {
			n.Status = status
			return
		}
	}
}

// shortest is the step's own name in a node's id.
func shortest(id string) string {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == '/' {
			return id[i+1:]
		}
	}
	return id
}

// alike puts steps into groups: those with the same needs and the same dependents, when they are many.
func alike(needs [][]int) []int {
	dependents := make([][]int, len(needs))
	for i := range needs {
		for _, need := range needs[i] {
			dependents[need] = append(dependents[need], i)
		}
	}
	first, size := map[string]int{}, map[int]int{}
	group := make([]int, len(needs))
	for i := range needs {
		key := fmt.Sprint(needs[i], dependents[i])
		if _, ok := first[key]; !ok {
			first[key] = i
		}
		group[i] = first[key]
		size[group[i]]++
	}
	for i := range group {
		if size[group[i]] <= mostAlike {
			group[i] = i
		}
	}
	return group
}

// column is the first one behind all that a node needs.
func (g *Graph) column(i int, above [][]int, done []bool) int {
	if !done[i] {
		done[i] = true
		for _, from := range above[i] {
			g.Nodes[i].Column = max(g.Nodes[i].Column, g.column(from, above, done)+1)
		}
	}
	return g.Nodes[i].Column
}

// lay gives each node a column behind all it needs, and a row near those.
func (g *Graph) lay() {
	above := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		above[e.To] = append(above[e.To], e.From)
	}
	done := make([]bool, len(g.Nodes))
	columns := [][]int{}
	for i := range g.Nodes {
		g.column(i, above, done)
		for len(columns) <= g.Nodes[i].Column {
			columns = append(columns, nil)
		}
		columns[g.Nodes[i].Column] = append(columns[g.Nodes[i].Column], i)
	}
	g.Columns = len(columns)
	for _, column := range columns {
		g.Rows = max(g.Rows, len(column))
	}
	place := make([]float64, len(g.Nodes))
	for _, column := range columns {
		wish := map[int]float64{}
		for n, i := range column {
			wish[i] = float64(n)
			for k, from := range above[i] {
				if k == 0 {
					wish[i] = 0
				}
				wish[i] += place[from] / float64(len(above[i]))
			}
		}
		slices.SortStableFunc(column, func(a, b int) int { return cmp.Compare(wish[a], wish[b]) })
		for n, i := range column {
			place[i] = float64(n) + float64(g.Rows-len(column))/2
			g.Nodes[i].Row = place[i]
		}
	}
}
