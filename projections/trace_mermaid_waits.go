package projections

import (
	"fmt"
	"strings"
)

// drawnItems is how many items of a list are drawn; the others are only counted.
const drawnItems = 10

// list draws a list with its first items. What is not drawn has the list's box for its own.
func (d *drawing) list(n *node, above string, depth int) {
	l := n.List
	name := d.name(n, "l")
	d.calls[listOf(l.Run, l.Step)] = name
	counts := fmt.Sprintf("%d items: %d done, %d failed, %d open", l.Items.Total, l.Items.Done, l.Items.Failed, l.Items.Running)
	d.line(depth, `%s[[%s]]`, name, box(l.Step, counts))
	d.link(above, name, depth)
	drawn := 0
	for _, below := range n.Nodes {
		switch {
		case below.Call == nil || drawn < drawnItems:
			d.node(below, name, depth)
		default:
			d.within(below, name)
		}
		if below.Call != nil {
			drawn++
		}
	}
	if drawn > drawnItems {
		d.line(depth, `%s_more[%s]:::still`, name, box(fmt.Sprintf("and %d more", drawn-drawnItems)))
		d.link(name, name+"_more", depth)
	}
}

// within gives a box to all calls that stand below a node.
func (d *drawing) within(n *node, name string) {
	if n.Call != nil {
		d.calls[n.Call.ID] = name
	}
	for _, below := range n.Nodes {
		d.within(below, name)
	}
}

// listOf is the name under which a drawing keeps the box of a step's list; no call is called so.
func listOf(run, step string) string { return run + "/" + step + "[]" }

// signals draws each signal's arrow to the call that took it. The calls of a run that wait for one name
// take its signals in the order of both.
func (d *drawing) signals() {
	type mail struct{ run, signal string }
	sent := map[mail][]string{}
	for _, n := range d.trace.order {
		if n.Signal != nil {
			m := mail{n.Signal.Run, n.Signal.Signal}
			sent[m] = append(sent[m], d.names[n])
		}
	}
	for _, n := range d.trace.order {
		if n.Call == nil || n.Call.Signal == "" || n.Call.Status != "ok" {
			continue
		}
		m := mail{n.Call.Run, n.Call.Signal}
		if to := d.calls[n.Call.ID]; to != "" && len(sent[m]) > 0 {
			d.dot(sent[m][0], box(n.Call.Signal), to)
			sent[m] = sent[m][1:]
		}
	}
}

func approvalBox(a *approvalNode) string {
	if a.Status == "expired" {
		return box(short(a.Question, 60), a.Status)
	}
	return box(short(a.Question, 60), strings.TrimSpace(a.Status+" "+a.By), short(a.Note, 60))
}
