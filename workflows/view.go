package workflows

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// View is a run as `workflow show` gives it.
type View struct {
	Run       string                     `json:"run"`
	Session   string                     `json:"session"`
	Name      string                     `json:"name"`
	Status    RunStatus                  `json:"status"`
	Reason    string                     `json:"reason,omitempty"`
	StartedAt time.Time                  `json:"started_at"`
	EndedAt   *time.Time                 `json:"ended_at"`
	Steps     []StepView                 `json:"steps"`
	Outputs   map[string]json.RawMessage `json:"outputs"`
	TraceFile string                     `json:"trace_file"`
	SHA256    string                     `json:"template_sha256"`
	Router    string                     `json:"router,omitempty"` // that decides the steps
	Caller    *events.Caller             `json:"caller,omitempty"` // the call in another session that it is carried out for
}

// Asks says whether nothing moves the run but a person: all its open steps wait.
func (v View) Asks() bool {
	asks := false
	for _, step := range v.Steps {
		switch step.Status {
		case string(Waiting):
			asks = true
		case string(sessions.Queued), string(sessions.Running), string(sessions.Backoff):
			return false
		}
	}
	return asks
}

// StepView is a step of a run as people and programs see it.
type StepView struct {
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Skill     string          `json:"skill"`
	Status    string          `json:"status"`
	Attempts  int             `json:"attempts"`
	Worker    string          `json:"worker"`
	OpenedAt  *time.Time      `json:"opened_at"`
	StartedAt *time.Time      `json:"started_at"`
	ClosedAt  *time.Time      `json:"closed_at"`
	Seconds   float64         `json:"seconds"` // from the last attempt's start to its end
	Error     *events.Failure `json:"error"`
	Note      string          `json:"note,omitempty"`
	Child     string          `json:"child,omitempty"` // the session of its child run, where that has one of its own
	Items     *ItemsView      `json:"items,omitempty"`
}

// ItemsView counts the items of a foreach step.
type ItemsView struct {
	Total   int `json:"total"`
	Done    int `json:"done"`
	Failed  int `json:"failed"`
	Running int `json:"running"`
}

// View shows a run with all its steps; the outputs are the values its steps wrote.
func (s *State) View(run string, w sessions.World) (View, error) {
	r, err := s.FindRun(run)
	if err != nil {
		return View{}, err
	}
	v := View{
		Run: r.Run, Session: s.ID, Name: r.Name, Status: s.statusOf(r), Reason: r.Reason, StartedAt: r.StartedAt,
		EndedAt: sessions.Moment(r.EndedAt), Steps: make([]StepView, len(r.Steps)), Outputs: map[string]json.RawMessage{}, SHA256: r.SHA256, Router: r.Router,
	}
	if r.Caller != (events.Caller{}) {
		v.Caller = &r.Caller
	}
	for i := range r.Steps {
		v.Steps[i] = s.stepView(r, i)
		key := r.Template.Steps[i].Output
		rev, ok := s.Context[r.key(key)].Current()
		if key == "" || !ok || r.Steps[i].Phase != StepDone {
			continue
		}
		if v.Outputs[key], err = w.Value(rev.Value); err != nil {
			return View{}, fmt.Errorf("output %s: %w", key, err)
		}
	}
	return v, nil
}

func (s *State) stepView(r *Run, i int) StepView {
	step := r.Steps[i]
	v := StepView{ID: r.Template.Steps[i].ID, Skill: r.Template.Steps[i].Skill, Status: s.phaseOf(r, i), Error: step.Failure, Note: step.Note}
	if step.Phase == StepPending && r.Template.Steps[i].AfterFailure && r.Over() {
		v.Status = string(StepSkipped)
	}
	if step.Given != "" {
		v.Note = "given up by " + step.Given
	}
	if it := step.Items; it != nil {
		v.Items = &ItemsView{it.Count(), it.Done, it.Failed, it.Open}
		if step.Phase == StepOpen {
			v.Status = string(Running)
		}
		if step.Phase == StepOpen && r.Over() { // a failure stopped it in the middle of its list
			v.Status = string(StepPending)
		}
		return v
	}
	return s.callView(v, step, s.Calls[step.Call])
}

// ItemViews are the rows of a foreach step's calls, in item order, as far as they were opened.
func (s *State) ItemViews(run, step string) ([]StepView, error) {
	r, err := s.FindRun(run)
	if err != nil {
		return nil, err
	}
	i, ok := r.Position(step)
	if !ok || r.Steps[i].Items == nil {
		return nil, nil
	}
	var out []StepView
	for n, phase := range r.Steps[i].Items.Phases {
		if call := s.Calls[r.ItemCall(step, n)]; call != nil {
			v := StepView{ID: fmt.Sprintf("%s[%d]", step, n), Status: string(phase)}
			out = append(out, s.callView(v, Step{Phase: phase, Call: call.ID()}, call))
		}
	}
	return out, nil
}

// callView adds to a row what its call says.
func (s *State) callView(v StepView, step Step, call *sessions.Call) StepView {
	if call == nil {
		return v
	}
	v.CallID, v.Skill, v.Attempts, v.Worker, v.Child = call.ID(), call.Skill, call.Attempt, call.Worker, call.Child
	v.OpenedAt, v.StartedAt, v.ClosedAt = sessions.Moment(call.OpenedAt), sessions.Moment(call.StartedAt), sessions.Moment(call.ClosedAt)
	if v.ClosedAt != nil && v.StartedAt != nil {
		v.Seconds = v.ClosedAt.Sub(*v.StartedAt).Seconds()
	}
	if step.Phase == StepOpen {
		v.Status = string(call.Phase)
		if call.Phase == sessions.Queued && call.Outside() {
			v.Status = string(Waiting)
		}
	}
	if v.Error == nil {
		v.Error = call.Failure
	}
	return v
}

// within says whether a call is of a run, or of one that its steps started.
func (s *State) within(call *sessions.Call, r *Run) bool {
	return call.Run == r.Run || strings.HasPrefix(call.Run, r.Run+"/")
}

// statusOf tells a run that waits for somebody or something from one that Baton's workers move.
func (s *State) statusOf(r *Run) RunStatus {
	if r.Over() {
		return r.Status
	}
	for _, id := range s.Order {
		call := s.Calls[id]
		if s.within(call, r) && (call.Phase == sessions.Running || call.Phase == sessions.Queued && !call.Outside()) {
			return Running
		}
	}
	return Waiting
}
