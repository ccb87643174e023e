package projections

import (
	"fmt"

	"github.com/batonflow/baton/events"
)

// waitNode is what a run waits for, or what ended its waiting: an approval, a signal, a list of items.
type waitNode struct {
	Run      string `json:"run,omitempty"`
	Step     string `json:"step,omitempty"`
	Call     string `json:"call_id,omitempty"`
	Approval string `json:"approval,omitempty"`
	Question string `json:"question,omitempty"`
	Action   string `json:"action,omitempty"`
	Yes      bool   `json:"yes,omitempty"`
	By       string `json:"by,omitempty"`
	Note     string `json:"note,omitempty"`
	Signal   string `json:"signal,omitempty"`
	Preview  string `json:"preview,omitempty"`
	Items    int    `json:"items,omitempty"`
	Failed   int    `json:"failed,omitempty"`
}

func (t *Trace) foldWait(n *node, data events.Data) {
	switch d := data.(type) {
	case events.ItemsListed:
		t.listed(n, d)
	case events.StepJoined:
		t.joined(n, d)
	case events.ApprovalAsked:
		t.asked(n, d)
	case events.ApprovalAnswered:
		t.answered(n, d)
	case events.SignalReceived:
		t.signalled(n, d)
	}
}

func (t *Trace) asked(n *node, d events.ApprovalAsked) {
	n.Wait = &waitNode{Run: d.Run, Step: d.Step, Call: d.Call, Approval: d.Approval, Question: d.Question, Action: d.Action}
	t.approvals[d.Approval] = d.Call
	t.placeWait(n, d.Call, d.Run)
}

func (t *Trace) answered(n *node, d events.ApprovalAnswered) {
	n.Wait = &waitNode{Approval: d.Approval, Call: t.approvals[d.Approval], Yes: d.Yes, By: d.By, Note: d.Note}
	t.placeWait(n, n.Wait.Call, "")
}

func (t *Trace) signalled(n *node, d events.SignalReceived) {
	n.Wait = &waitNode{Run: d.Run, Signal: d.Signal, By: d.By, Preview: preview(d.Value)}
	t.placeWait(n, "", d.Run)
}

func (t *Trace) listed(n *node, d events.ItemsListed) {
	n.Wait = &waitNode{Run: d.Run, Step: d.Step, Items: d.Count, Preview: preview(d.Items)}
	t.placeWait(n, "", d.Run)
}

func (t *Trace) joined(n *node, d events.StepJoined) {
	n.Wait = &waitNode{Run: d.Run, Step: d.Step, Items: d.Done, Failed: d.Failed, Preview: preview(d.Value)}
	if above := t.inside(d.Run); above != nil {
		above.Run.step(d.Step).status = "completed"
	}
	t.placeWait(n, "", d.Run)
}

// placeWait hangs the node below its call or, without one, below its run.
func (t *Trace) placeWait(n *node, call, run string) {
	above := t.calls[call]
	if above == nil && run != "" {
		above = t.inside(run)
	}
	t.place(n, above)
}

// waitLine is the node in one line.
func waitLine(n *node, w *words) (mark, text string) {
	d := n.Wait
	switch n.Type {
	case "approval.asked":
		return "?", fmt.Sprintf(w.asks, Escape(d.Question), short(d.Action, 12))
	case "approval.answered":
		word := w.no
		if d.Yes {
			word = w.yes
		}
		return "!", fmt.Sprintf(w.answers, word, Escape(d.By)) + after(w.colon, Escape(d.Note))
	case "signal.received":
		return "~", fmt.Sprintf(w.signal, Escape(d.Signal), d.Preview)
	case "items.listed":
		return "≡", fmt.Sprintf(w.lists, Escape(d.Step), d.Items)
	}
	return "≡", fmt.Sprintf(w.joins, Escape(d.Step), d.Items, d.Failed)
}
