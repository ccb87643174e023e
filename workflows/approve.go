package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Approve answers what a run asks about a step. The first answer counts.
type Approve struct {
	Run  string `json:"run"`
	Step string `json:"step"`
	Yes  bool   `json:"yes"`
	By   string `json:"by"`
	Note string `json:"note,omitempty"`
}

// Decide refuses a second answer and says who gave the first, and when.
func (c Approve) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	a, err := s.approvalOf(c.Run, c.Step)
	if err != nil {
		return nil, err
	}
	r := s.Runs[a.Run]
	switch {
	case r.Status == Cancelled:
		return nil, sessions.Refuse(sessions.Conflict, "run_cancelled", "nothing needs to be done", "run %s was cancelled", r.Run)
	case a.Answer != nil:
		return nil, sessions.Refuse(sessions.Conflict, "approval_decided", "nothing needs to be done", "step %s was decided by %s at %s: %s",
			a.Step, a.Answer.By, a.AnsweredAt.Format(time.RFC3339), word(a.Answer.Yes)).
			With("by", a.Answer.By).With("at", a.AnsweredAt).With("yes", a.Answer.Yes)
	case c.By == "":
		return nil, sessions.Refuse(sessions.Usage, "by_missing", "say who answers with --by", "an approval needs an author")
	}
	return []events.Data{events.ApprovalAnswered{Approval: a.Approval, Yes: c.Yes, By: c.By, Note: c.Note}}, nil
}

func word(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// approvalOf is the newest approval of a step, or the one of an id; with an empty step the only one that
// is open.
func (s *State) approvalOf(run, step string) (*Approval, error) {
	r, err := s.FindRun(run)
	if err != nil {
		return nil, err
	}
	var found *Approval
	open := 0
	for _, id := range s.ApprovalOrder {
		a := s.Approvals[id]
		if a.Run != r.Run || step != "" && a.Step != step && a.Approval != step {
			continue
		}
		if a.Answer == nil {
			open++
		}
		if found == nil || a.Answer == nil || found.Answer != nil {
			found = a
		}
	}
	switch {
	case found == nil:
		return nil, sessions.Refuse(sessions.NotFound, "approval_not_found", "see `baton why "+r.Run+"`", "run %s asks nothing about step %q", r.Run, step)
	case step == "" && open > 1:
		return nil, sessions.Refuse(sessions.Usage, "approval_ambiguous", "name the step, see `baton why "+r.Run+"`", "run %s asks about %d steps", r.Run, open)
	}
	return found, nil
}

// Answer gives the approval as it was decided.
func (c Approve) Answer(s *State, _ sessions.Ref, _ sessions.World) (any, error) {
	a, err := s.approvalOf(c.Run, c.Step)
	if err != nil {
		return nil, err
	}
	return s.ApprovalView(a), nil
}

// ApprovalView is an approval as people and programs see it.
type ApprovalView struct {
	Approval   string          `json:"approval"`
	Session    string          `json:"session"`
	Run        string          `json:"run"`
	Step       string          `json:"step"`
	CallID     string          `json:"call_id"`
	Question   string          `json:"question"`
	Params     json.RawMessage `json:"params"`
	Action     string          `json:"action"`
	AskedAt    time.Time       `json:"asked_at"`
	Expires    *time.Time      `json:"expires"`
	Decided    bool            `json:"decided"`
	Yes        bool            `json:"yes"`
	By         string          `json:"by"`
	Note       string          `json:"note"`
	AnsweredAt *time.Time      `json:"answered_at"`
}

// ApprovalView shows an approval.
func (s *State) ApprovalView(a *Approval) ApprovalView {
	v := ApprovalView{
		Approval: a.Approval, Session: s.ID, Run: a.Run, Step: a.Step, CallID: a.Call, Question: a.Question,
		Params: a.Params, Action: a.Action, AskedAt: a.AskedAt, AnsweredAt: sessions.Moment(a.AnsweredAt),
	}
	if a.ExpiresIn > 0 {
		v.Expires = sessions.Moment(a.AskedAt.Add(time.Duration(a.ExpiresIn * float64(time.Second))))
	}
	if a.Answer != nil {
		v.Decided, v.Yes, v.By, v.Note = true, a.Answer.Yes, a.Answer.By, a.Answer.Note
	}
	return v
}

// ask makes the question about a call's exact action.
func (s *State) ask(opened events.CallOpened, question string) (events.ApprovalAsked, error) {
	params, err := events.Marshal(struct {
		Skill   string                  `json:"skill,omitempty"`
		Intent  string                  `json:"intent,omitempty"`
		Execute json.RawMessage         `json:"execute,omitempty"`
		Inputs  map[string]events.Value `json:"inputs,omitempty"`
		Reads   []events.Read           `json:"reads,omitempty"`
	}{opened.Skill, opened.Intent, opened.Execute, opened.Inputs, opened.Reads})
	if err != nil {
		return events.ApprovalAsked{}, fmt.Errorf("parameters of %s: %w", opened.Call, err)
	}
	sum := sha256.Sum256(params)
	n := 1
	for _, id := range s.ApprovalOrder {
		if s.Approvals[id].Call == opened.Call {
			n++
		}
	}
	return events.ApprovalAsked{
		Approval: fmt.Sprintf("%s#%d", opened.Call, n), Run: opened.Run, Step: opened.Step, Call: opened.Call,
		Question: question, Params: params, Action: hex.EncodeToString(sum[:]),
	}, nil
}

// SendSignal sends a message to a run.
type SendSignal struct {
	Run   string       `json:"run"`
	Name  string       `json:"name"`
	Value events.Value `json:"value,omitzero"`
	By    string       `json:"by,omitempty"`
}

// Decide refuses a run that has ended.
func (c SendSignal) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	r, err := s.FindRun(c.Run)
	if err != nil {
		return nil, err
	}
	if err := sessions.CheckKey(c.Name); err != nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_signal", "use a name without spaces", "%q is no name of a signal", c.Name)
	}
	if r.Over() {
		return nil, sessions.Refuse(sessions.Conflict, "run_over", "start a new run", "run %s is %s and takes no signal", r.Run, r.Status)
	}
	value := c.Value
	if value.IsZero() {
		value.JSON = json.RawMessage("null")
	}
	return []events.Data{events.SignalReceived{Run: r.Run, Signal: c.Name, Value: value, By: c.By}}, nil
}

// Signalled is the answer to SendSignal.
type Signalled struct {
	Run    string `json:"run"`
	Signal string `json:"signal"`
	Kept   bool   `json:"kept"` // nobody waits for it yet
}

// Answer says whether somebody waited for it.
func (c SendSignal) Answer(s *State, _ sessions.Ref, _ sessions.World) (any, error) {
	r, err := s.FindRun(c.Run)
	if err != nil {
		return nil, err
	}
	out := Signalled{Run: r.Run, Signal: c.Name}
	for _, d := range r.signals {
		out.Kept = out.Kept || d.Signal == c.Name
	}
	return out, nil
}
