package projections

import (
	"fmt"
	"time"

	"github.com/batonflow/baton/events"
)

// listNode is a step that goes through a list; the calls of its items stand below it.
type listNode struct {
	Run     string `json:"run"`
	Step    string `json:"step"`
	Items   *items `json:"items"`
	Preview string `json:"preview,omitempty"` // of the list
}

// joinNode is the end of such a step, with what became of the items up to then.
type joinNode struct {
	Run     string `json:"run"`
	Step    string `json:"step"`
	Done    int    `json:"done"`
	Failed  int    `json:"failed"`
	Preview string `json:"preview,omitempty"` // of the step's value
}

func (t *Trace) listed(n *node, d events.ItemsListed) {
	n.List = &listNode{Run: d.Run, Step: d.Step, Items: newItems(d.Count), Preview: preview(d.Items)}
	above := t.runs[d.Run]
	if above != nil {
		*above.Run.step(d.Step) = stepNode{id: d.Step, status: "running", list: n, opened: n.Time}
	}
	t.place(n, above)
}

func (t *Trace) joined(n *node, d events.StepJoined) {
	n.Join = &joinNode{Run: d.Run, Step: d.Step, Done: d.Done, Failed: d.Failed, Preview: preview(d.Value)}
	above := t.runs[d.Run]
	if above != nil {
		s := above.Run.step(d.Step)
		s.status, s.err, s.ended = "completed", nil, n.Time
	}
	t.join = n
	t.place(n, above)
}

// joinOf finds the join that a value is of: it was decided together with it, and no call wrote it.
func (t *Trace) joinOf(n *node, c contextNode) *node {
	if t.join == nil || t.join.Sequence != n.Sequence || c.Call != "" || c.By != t.join.Join.Step {
		return nil
	}
	return t.join
}

// enlist tells a step of its call: its only one, or that of an item, which stands below the list.
func (t *Trace) enlist(c *callNode) (list *node) {
	run := t.runs[c.Run]
	if run == nil {
		return nil
	}
	s := run.Run.step(c.Step)
	if s.list == nil || !isItem(c.Run, c.Step, c.ID) {
		s.call, s.list, c.list = c, nil, nil
		return nil
	}
	s.status, s.err, s.ended = "running", nil, time.Time{}
	c.list = s.list.List.Items
	c.list.move(c.ID, "")
	return s.list
}

func listText(l *listNode, w *words) string {
	return fmt.Sprintf(w.lists, Escape(l.Step), l.Items.Total) + " [" + fmt.Sprintf(w.done, l.Items.Done, l.Items.Failed, l.Items.Running) + "]"
}

func joinText(j *joinNode, w *words) string {
	return fmt.Sprintf(w.joins, Escape(j.Step), j.Done, j.Failed)
}
