package page

import (
	"fmt"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections/timeline"
)

// graphView is a run's graph in pixels.
type graphView struct {
	Width, Height int
	Boxes         []boxView
	Paths         []string
	Left          int
}

type boxView struct {
	timeline.Node
	X, Y         int
	Done, Failed int // shares of the line under a box that stands for several
}

const (
	boxWidth, boxHeight = 176, 46
	gapX, gapY          = 56, 18
	margin              = 16
)

func (p *page) graph(r *request, t tracePage) (*graphView, error) {
	if t.Run == "" {
		return &graphView{}, nil
	}
	g, err := ask[timeline.Graph](r, "timeline.graph", t.Session, engine.GraphAsk{Run: t.Run, Place: t.Place})
	if err != nil {
		return nil, err
	}
	return graphOf(g), nil
}

func graphOf(g timeline.Graph) *graphView {
	v := &graphView{
		Width:  2*margin + g.Columns*boxWidth + max(g.Columns-1, 0)*gapX,
		Height: 2*margin + g.Rows*boxHeight + max(g.Rows-1, 0)*gapY, Left: g.Left,
	}
	x := func(n timeline.Node) int { return margin + n.Column*(boxWidth+gapX) }
	y := func(n timeline.Node) int { return margin + int(n.Row*(boxHeight+gapY)) }
	for _, n := range g.Nodes {
		v.Boxes = append(v.Boxes, boxView{
			Node: n, X: x(n), Y: y(n), Done: share(n, "ok", "partial", "skipped"), Failed: share(n, "failed"),
		})
	}
	for _, e := range g.Edges {
		from, to := g.Nodes[e.From], g.Nodes[e.To]
		x1, y1, x2, y2 := x(from)+boxWidth, y(from)+boxHeight/2, x(to), y(to)+boxHeight/2
		bend := (x2 - x1) / 2
		v.Paths = append(v.Paths, fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2-bend, y2, x2, y2))
	}
	return v
}

// share is how much of a box's line the states make; what there is at all is seen.
func share(n timeline.Node, states ...string) int {
	const line = boxWidth - 24
	sum := 0
	for _, s := range states {
		sum += n.States[s]
	}
	if sum == 0 || n.Count == 0 {
		return 0
	}
	if sum == n.Count {
		return line
	}
	return min(max(line*sum/n.Count, 3), line-3)
}

// Rest is where the part of the line begins that failed.
func (b boxView) Rest() int { return 12 + b.Done }
