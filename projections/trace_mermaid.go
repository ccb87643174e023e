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
// writer to its reader, a thick one for a switch.
func (t *Trace) Mermaid(w io.Writer) error {
	d := &drawing{trace: t, names: map[*node]string{}, calls: map[string]string{}, writers: map[events.Read]string{}}
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
	writers map[events.Read]string // key and revision → name of the call that wrote it
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
	case n.Route != nil:
		name = d.name(n, "q")
		d.line(depth, `%s{{%s}}`, name, routeBox(n.Route))
		d.link(above, name, depth)
	case n.Blocked != nil:
		name = d.name(n, "q")
		d.line(depth, `%s{{%s}}:::bad`, name, box(short(n.Blocked.Task, 60), "blocked", n.Blocked.Reason))
		d.link(above, name, depth)
	case n.Context != nil:
		d.writers[events.Read{Key: n.Context.Key, Rev: n.Context.Rev}] = d.calls[n.Context.Call]
	}
	for _, below := range n.Nodes {
		d.node(below, name, depth)
	}
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
	for i, n := range d.trace.order {
		switch {
		case n.Route != nil:
			routes[n.Route.Route] = d.names[n]
		case n.Call != nil:
			if from := routes[n.Call.Route]; from != "" {
				d.line(1, "%s --> %s", from, d.names[n])
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
			d.line(1, `%s -.->|%s| %s`, from, box(r.Key), d.calls[c.ID])
		}
	}
}

// handover draws a switch from the call it leaves to the next one of the skill it goes to.
func (d *drawing) handover(s *events.SwitchMade, at int) {
	from := d.calls[s.Suspended]
	for i := at - 1; i >= 0 && from == ""; i-- {
		if n := d.trace.order[i]; n.Call != nil && n.Call.Skill == s.From {
			from = d.names[n]
		}
	}
	if from == "" {
		from = "s"
	}
	to := ""
	for _, n := range d.trace.order[at:] {
		if n.Call != nil && n.Call.Skill == s.To {
			to = d.names[n]
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
	name := c.ID
	if c.Run != "" && c.Step != "" {
		name = c.Step
	}
	state := c.Status
	if len(c.Attempts) > 1 {
		state += fmt.Sprintf(", attempts %d", len(c.Attempts))
	}
	return box(strings.TrimSpace(name+" "+c.Skill), short(c.Intent, 60), state)
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
	case "ok", "partial":
		return "good"
	case "failed":
		return "bad"
	case "running", "open":
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
