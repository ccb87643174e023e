package projections

import (
	"fmt"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
)

// approvalNode is a question as it stands now.
type approvalNode struct {
	ID       string    `json:"approval"`
	Run      string    `json:"run"`
	Step     string    `json:"step"`
	Call     string    `json:"call_id"`
	Question string    `json:"question"`
	Params   string    `json:"params,omitempty"` // a preview
	Action   string    `json:"action"`           // SHA-256 of the whole parameters
	Expires  time.Time `json:"expires,omitzero"`
	Status   string    `json:"status"` // asked, yes, no, expired; void: its call ended unanswered
	By       string    `json:"by,omitempty"`
	Note     string    `json:"note,omitempty"`
	Answered time.Time `json:"answered_at,omitzero"`

	name string // of the call, inside its run
}

// answerNode is the answer where it was given.
type answerNode struct {
	Approval string `json:"approval"`
	Call     string `json:"call_id,omitempty"`
	Step     string `json:"step,omitempty"`
	Yes      bool   `json:"yes"`
	Expired  bool   `json:"expired"` // nobody answered in time
	By       string `json:"by"`
	Note     string `json:"note,omitempty"`

	name string
}

type signalNode struct {
	Run     string `json:"run"`
	Signal  string `json:"signal"`
	By      string `json:"by,omitempty"`
	Preview string `json:"preview,omitempty"`
}

// asked places a question below its call. A call that was queued waits until somebody agrees.
func (t *Trace) asked(n *node, d events.ApprovalAsked) {
	n.Approval = &approvalNode{
		ID: d.Approval, Run: d.Run, Step: d.Step, Call: d.Call, Question: d.Question, Action: d.Action,
		Params: preview(events.Value{JSON: d.Params}), Expires: expiry(n.Time, d.ExpiresIn), Status: "asked", name: d.Step,
	}
	t.approvals[d.Approval] = n.Approval
	above := t.calls[d.Call]
	if above == nil {
		t.place(n, t.runs[d.Run])
		return
	}
	above.Call.asked, n.Approval.name = n.Approval, above.Call.name()
	if above.Call.Status == "queued" {
		above.Call.Status = "waiting"
	}
	t.place(n, above)
}

// expiryName is who answers an approval that nobody answered in time.
const expiryName = "expiry"

// answered says so in the question's own line as well as in one of its own. Only the first answer counts.
func (t *Trace) answered(n *node, d events.ApprovalAnswered) {
	n.Answer = &answerNode{Approval: d.Approval, name: d.Approval, Yes: d.Yes, Expired: !d.Yes && d.By == expiryName, By: d.By, Note: d.Note}
	a := t.approvals[d.Approval]
	if a == nil {
		t.place(n, nil)
		return
	}
	n.Answer.Call, n.Answer.Step, n.Answer.name = a.Call, a.Step, a.name
	above := t.calls[a.Call]
	if a.Status == "asked" {
		a.Status, a.By, a.Note, a.Answered = n.Answer.outcome(), d.By, d.Note, n.Time
		if above != nil && d.Yes && above.Call.Status == "waiting" && !above.Call.who.nobody {
			above.Call.Status = "queued"
		}
	}
	if above == nil {
		above = t.runs[a.Run]
	}
	t.place(n, above)
}

func (a *answerNode) outcome() string {
	switch {
	case a.Yes:
		return "yes"
	case a.Expired:
		return "expired"
	}
	return "no"
}

func (t *Trace) signalled(n *node, d events.SignalReceived) {
	n.Signal = &signalNode{Run: d.Run, Signal: d.Signal, By: d.By, Preview: preview(d.Value)}
	t.place(n, t.runs[d.Run])
}

// digestLength is how much of a digest tells one action from another.
const digestLength = 12

func approvalText(a *approvalNode, w *words) string {
	text := fmt.Sprintf(w.asks, Escape(a.name), short(a.Question, previewLength))
	about := some(w.action, short(a.Action, digestLength))
	if !a.Expires.IsZero() {
		about = append(about, fmt.Sprintf(w.silence, a.Expires.Format(time.RFC3339)))
	}
	if a.Status == "void" {
		about = append(about, w.void)
	}
	return text + given(" (%s)", strings.Join(about, w.separator))
}

func answerText(a *answerNode, w *words) (mark, text string) {
	switch name := Escape(a.name); {
	case a.Expired:
		return "✗", fmt.Sprintf(w.unanswered, name)
	case a.Yes:
		return "✓", fmt.Sprintf(w.agrees, name, Escape(a.By)) + after(w.colon, Escape(a.Note))
	default:
		return "✗", fmt.Sprintf(w.denies, name, Escape(a.By)) + after(w.colon, Escape(a.Note))
	}
}

func signalText(s *signalNode, w *words) string {
	return fmt.Sprintf(w.signal, Escape(s.Signal)) + after(" = ", short(s.Preview, taskLength)) + given(" (%s)", given(w.by, Escape(s.By)))
}
