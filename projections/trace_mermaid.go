package projections

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/batonflow/baton/events"
)

// Mermaid writes the trace as a flow chart: calls and routes as boxes, runs as frames around their
// steps, a solid arrow from a call to what it opened, a dotted one along a context value from its
// writer to its reader and from a signal to the call that waited for it, a thick one for a switch. A
// question to a person is a diamond. Of a long list the first items are drawn.
func (t *Trace) Mermaid(w io.Writer) error {
	d := &drawing{
		trace: t, names: map[*node]string{}, calls: map[string]string{}, writers: map[events.Read]string{}, dotted: map[string]bool{},
	}
	d.line(0, "flowchart TD")
	d.line(1, `s([%s])`, box(short(t.head.Goal, 60), t.head.Mode+" · "+t.head.Status))
	for _, n := range t.roots {
		d.node(n, "s", 1)
	}
	d.arrows()
	for _, class := range classes {
		d.line(1, "classDef %s", class)
	}
	out := bufio.NewWriter(w)
	out.WriteString(d.text.String())
	return out.Flush()
}

// classes colour the boxes by what became of the call.
var classes = []string{
	"good fill:#dff5e1,stroke:#2e7d32", "bad fill:#fde0e0,stroke:#c62828",
	"busy fill:#e3f0fd,stroke:#1565c0", "still fill:#f3f3f3,stroke:#757575",
}

type drawing struct {
	trace   *Trace
	text    strings.Builder
	names   map[*node]string
	calls   map[string]string      // call id → name in the chart
	writers map[events.Read]string // key and revision → name of the call or list that wrote it
	dotted  map[string]bool        // arrows that are there
}

func (d *drawing) line(depth int, format string, args ...any) {
	d.text.WriteString(strings.Repeat(indent, depth))
	fmt.Fprintf(&d.text, format, args...)
	d.text.WriteByte('\n')
}

// node draws a call, run or route and what is below it. Steps need no arrow from their run, whose
// frame they stand in.
func (d *drawing) node(n *node, above string, depth int) {
	name := above
	switch {
	case n.Call != nil:
		name = d.name(n, "c")
		d.calls[n.Call.ID] = name
		d.line(depth, `%s[%s]:::%s`, name, callBox(n.Call), class(n.Call.Status))
		d.link(above, name, depth)
	case n.Run != nil:
		name = d.name(n, "r")
		d.line(depth, `subgraph %s [%s]`, name, box(n.Run.Name, n.Run.ID, n.Run.Status))
		for _, below := range n.Nodes {
			d.node(below, "", depth+1)
		}
		d.line(depth, "end")
		d.link(above, name, depth)
		return
	case n.List != nil:
		d.list(n, above, depth)
		return
	case n.Context != nil:
		d.wrote(n.Context, d.calls[n.Context.Call])
	case n.Join != nil:
		for _, below := range n.Nodes { // the step's value
			d.wrote(below.Context, d.calls[listOf(n.Join.Run, n.Join.Step)])
		}
		return
	default:
		name = d.leaf(n, above, depth)
	}
	for _, below := range n.Nodes {
		d.node(below, name, depth)
	}
}

// leaf draws what stands beside the calls; anything else has no box, and what is below it hangs above.
func (d *drawing) leaf(n *node, above string, depth int) string {
	name := above
	switch {
	case n.Route != nil:
		name = d.name(n, "q")
		d.line(depth, `%s{{%s}}`, name, routeBox(n.Route))
	case n.Blocked != nil:
		name = d.name(n, "q")
		d.line(depth, `%s{{%s}}:::bad`, name, box(short(n.Blocked.Task, 60), "blocked", n.Blocked.Reason))
	case n.Approval != nil:
		name = d.name(n, "a")
		d.line(depth, `%s{%s}:::%s`, name, approvalBox(n.Approval), class(n.Approval.Status))
	case n.Signal != nil:
		name = d.name(n, "g")
		d.line(depth, `%s>%s]`, name, box("signal "+n.Signal.Signal, short(n.Signal.Preview, 60), n.Signal.By))
		return name // nothing led to it
	default:
		return above
	}
	d.link(above, name, depth)
	return name
}

func (d *drawing) wrote(c *contextNode, name string) {
	d.writers[events.Read{Key: c.Key, Rev: c.Rev}] = name
}

func (d *drawing) name(n *node, letter string) string {
	d.names[n] = fmt.Sprintf("%s%d", letter, len(d.names)+1)
	return d.names[n]
}

func (d *drawing) link(from, to string, depth int) {
	if from != "" {
		d.line(depth, "%s --> %s", from, to)
	}
}

// arrows draws what crosses the tree, once all names are known.
func (d *drawing) arrows() {
	routes := map[string]string{}
	d.signals()
	for i, n := range d.trace.order {
		switch {
		case n.Route != nil:
			routes[n.Route.Route] = d.names[n]
		case n.Call != nil:
			if from, to := routes[n.Call.Route], d.names[n]; from != "" && to != "" {
				d.line(1, "%s --> %s", from, to)
			}
			d.dataInto(n.Call)
		case n.Switch != nil:
			d.handover(n.Switch, i)
		}
	}
}

func (d *drawing) dataInto(c *callNode) {
	for _, r := range c.Reads {
		if from := d.writers[r]; from != "" && from != d.calls[c.ID] {
			d.dot(from, box(r.Key), d.calls[c.ID])
		}
	}
}

// dot draws a dotted arrow once: items that are not drawn share the box of their list.
func (d *drawing) dot(from, label, to string) {
	arrow := fmt.Sprintf(`%s -.->|%s| %s`, from, label, to)
	if !d.dotted[arrow] {
		d.dotted[arrow] = true
		d.line(1, "%s", arrow)
	}
}

// handover draws a switch from the call it leaves to the next one of the skill it goes to.
func (d *drawing) handover(s *events.SwitchMade, at int) {
	from := d.calls[s.Suspended]
	for i := at - 1; i >= 0 && from == ""; i-- {
		if n := d.trace.order[i]; n.Call != nil && n.Call.Skill == s.From {
			from = d.calls[n.Call.ID]
		}
	}
	if from == "" {
		from = "s"
	}
	to := ""
	for _, n := range d.trace.order[at:] {
		if n.Call != nil && n.Call.Skill == s.To {
			to = d.calls[n.Call.ID]
			break
		}
	}
	if to == "" {
		to = fmt.Sprintf("t%d", at)
		d.line(1, `%s[%s]:::still`, to, box(s.To))
	}
	d.line(1, `%s ==>|%s| %s`, from, box(s.Kind, short(s.Reason, 60)), to)
}

func callBox(c *callNode) string {
	state := c.Status
	if len(c.Attempts) > 1 {
		state += fmt.Sprintf(", attempts %d", len(c.Attempts))
	}
	return box(strings.TrimSpace(c.name()+" "+c.Skill), short(c.Intent, 60), state)
}

func routeBox(r *events.RouteDecided) string {
	chosen := r.Chosen
	for _, c := range r.Candidates {
		if c.Name == r.Chosen {
			chosen += " " + score(c.Score)
			break
		}
	}
	return box(short(r.Task, 60), strings.TrimSpace(r.Decision+" "+chosen))
}

func class(status string) string {
	switch status {
	case "ok", "partial", "yes":
		return "good"
	case "failed", "no", "expired":
		return "bad"
	case "running", "open", "asked":
		return "busy"
	}
	return "still"
}

// box is a quoted text of several lines. Whatever Mermaid or the page would read as markup becomes
// an entity.
func box(lines ...string) string {
	var shown []string
	for _, l := range lines {
		if l != "" {
			shown = append(shown, entities.Replace(Escape(l)))
		}
	}
	return `"` + strings.Join(shown, "<br/>") + `"`
}

var entities = strings.NewReplacer(
	"#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", ";", "#59;", "`", "#96;", "%", "#37;", `\`, "#92;",
)
