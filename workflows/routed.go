package workflows

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// machine decides the steps of a run one after another, as it is told how they end: a router on its
// way. Only Fold drives it, so the same events make the same run anywhere.
type machine interface {
	// moves gives what follows from what the machine was told last, in order. It is asked once.
	moves(at time.Time) []move
	// read says what the end of a step's call is taken for. It changes nothing.
	read(step string, call *sessions.Call, value json.RawMessage) any
	// tell takes in what was read.
	tell(step string, outcome json.RawMessage, at time.Time)
	// ended says how it ended, and whether anything came of it; "" while it goes on.
	ended() (status string, good bool)
	// show describes the run, for people and programs.
	show(tried []Tried) any
}

// machines lists the routers that can take a run along. Adding one is a machine and a line.
var machines = map[string]func(run, document string, at time.Time) (machine, error){
	"source": newSearching,
	"web":    newErrand,
}

// move is one thing that follows: a fact, or a step's call.
type move struct {
	said    events.Data // a fact; the other fields are for calls
	step    string
	intent  string
	inputs  map[string]any
	execute json.RawMessage
	timeout time.Duration
	due     time.Time // not before; zero: at once
	ask     string    // a question to a person in place of work
}

// pilot is a machine with what Follow has still to say of it.
type pilot struct {
	machine
	pending []move
	flying  []move                     // calls that were made and not read
	unread  []string                   // steps that are over, in that order
	read    map[string]json.RawMessage // what each was taken for
}

// askedWithin is how long a person has for an answer; the yes is for that one action, at once.
const askedWithin = 10 * time.Minute

// maxDocument is how long the text may be that a routed run goes by: parts of it stand in its calls.
const maxDocument = 40 << 10

// checkRouted refuses a run that no router can take along.
func checkRouted(router, document string) error {
	begin, ok := machines[router]
	switch {
	case !ok:
		return sessions.Refuse(sessions.Usage, "unknown_router", "use "+strings.Join(slices.Sorted(maps.Keys(machines)), " or "), "no run goes by a router %q", router)
	case len(document) > maxDocument:
		return sessions.Refuse(sessions.Usage, "document_too_large", "ask for less at once", "what the %s router is to go by has %d bytes, the limit is %d", router, len(document), maxDocument)
	}
	if _, err := begin("", document, time.Time{}); err != nil {
		return sessions.Refuse(sessions.Usage, "bad_"+router+"_input", "see `baton "+router+" run -h`", "%v", err)
	}
	return nil
}

// beginRouted starts a run without steps; its machine adds them.
func (s *State) beginRouted(d events.RunStarted, at time.Time) {
	begin, ok := machines[d.Router]
	if !ok {
		s.Newer = append(s.Newer, "run.started of router "+d.Router)
		return
	}
	m, err := begin(d.Run, d.Text, at)
	if err != nil {
		s.Newer = append(s.Newer, "run.started of "+d.Name)
		return
	}
	r := &Run{RunStarted: d, Status: Running, StartedAt: at, Template: &template.Template{Name: d.Name, OnFailure: template.Continue}}
	r.plan(nil)
	r.pilot = &pilot{machine: m, pending: m.moves(at), read: map[string]json.RawMessage{}}
	s.Runs[d.Run] = r
	s.RunOrder = append(s.RunOrder, d.Run)
}

// steer says what a routed run does next: it reads what is over, makes what is pending, or ends.
func (s *State) steer(r *Run, w sessions.World) []events.Data {
	p := r.pilot
	switch status, good := p.ended(); {
	case len(p.unread) > 0:
		return s.judge(r, p.unread[0], w)
	case len(p.pending) > 0:
		return s.carryOut(r, p.pending[0])
	case status == "" || r.open > 0:
		return nil
	case good:
		return []events.Data{events.RunCompleted{Run: r.Run}}
	default:
		return []events.Data{events.RunFailed{Run: r.Run, Steps: r.failed, Reason: status}}
	}
}

// judge reads how a step ended. A value that cannot be looked up is none.
func (s *State) judge(r *Run, step string, w sessions.World) []events.Data {
	call := s.Calls[r.CallID(step)]
	var value json.RawMessage
	if call.Status == "ok" {
		value, _ = w.Value(call.Closed.Value)
	}
	outcome, err := events.Marshal(r.pilot.machine.read(step, call, value))
	if err != nil {
		outcome = json.RawMessage("null")
	}
	return []events.Data{events.StepJudged{Run: r.Run, Step: step, Call: call.ID(), Outcome: outcome}}
}

// carryOut turns a move into events.
func (s *State) carryOut(r *Run, m move) []events.Data {
	if m.said != nil {
		return []events.Data{m.said}
	}
	opened := events.CallOpened{
		Call: r.CallID(m.step), Intent: m.intent, Run: r.Run, Step: m.step, Execute: m.execute, Once: true,
		Timeout: m.timeout.Seconds(), Inputs: map[string]events.Value{},
	}
	for name, v := range m.inputs {
		if raw, err := events.Marshal(v); err == nil {
			opened.Inputs[name] = events.Value{JSON: raw}
		}
	}
	if m.ask != "" {
		return s.askPerson(opened, m.ask)
	}
	opened.Queue = DefaultQueue
	out := []events.Data{opened}
	if !m.due.IsZero() {
		out = append(out, events.TimerSet{Timer: opened.Call + "@" + timerBackoff, Kind: timerBackoff, At: m.due.UTC().Format(time.RFC3339Nano), Run: r.Run, Call: opened.Call})
	}
	return out
}

// askPerson opens a call that ends with a person's answer.
func (s *State) askPerson(opened events.CallOpened, question string) []events.Data {
	asked, err := s.ask(opened, question)
	if err != nil {
		asked = events.ApprovalAsked{Approval: opened.Call + "#1", Run: opened.Run, Step: opened.Step, Call: opened.Call, Question: question}
	}
	asked.ExpiresIn = askedWithin.Seconds()
	return []events.Data{opened, events.CallStarted{Call: opened.Call, Attempt: s.nextAttempt(opened.Call)}, asked}
}

// opened takes a step into the plan whose call was just opened.
func (p *pilot) opened(r *Run, d events.CallOpened) {
	if len(p.pending) == 0 || p.pending[0].step != d.Step {
		return
	}
	p.flying = append(p.flying, p.pending[0])
	if _, again := r.index[d.Step]; again {
		p.pending = p.pending[1:]
		return
	}
	step := template.Step{ID: d.Step, Index: len(r.Steps)}
	if p.pending[0].ask != "" {
		step.Executor, step.Approve = template.Approval, &template.Approve{Expires: askedWithin}
	}
	p.pending = p.pending[1:]
	r.index[d.Step] = len(r.Steps)
	r.Template.Steps = append(r.Template.Steps, step)
	r.Steps = append(r.Steps, Step{Phase: StepPending})
	r.dependents = append(r.dependents, nil)
	r.unfinished++
}

// again makes the calls once more that were cut off: a fork has its own of them.
func (p *pilot) again() {
	cut := slices.DeleteFunc(slices.Clone(p.flying), func(m move) bool { return slices.Contains(p.unread, m.step) })
	p.flying = slices.DeleteFunc(p.flying, func(m move) bool { return !slices.Contains(p.unread, m.step) })
	p.pending = slices.Concat(cut, p.pending)
}

// heard forgets a fact that was said.
func (s *State) heard(run string) {
	if r := s.Runs[run]; r != nil && r.pilot != nil && len(r.pilot.pending) > 0 && r.pilot.pending[0].said != nil {
		r.pilot.pending = r.pilot.pending[1:]
	}
}

// judged tells the machine how a step ended, at the time it did.
func (s *State) judged(d events.StepJudged) {
	r, call := s.Runs[d.Run], s.Calls[d.Call]
	if r == nil || r.pilot == nil || call == nil {
		return
	}
	p := r.pilot
	p.unread = slices.DeleteFunc(p.unread, func(step string) bool { return step == d.Step })
	p.flying = slices.DeleteFunc(p.flying, func(m move) bool { return m.step == d.Step })
	p.read[d.Step] = d.Outcome
	at := call.ClosedAt
	p.tell(d.Step, d.Outcome, at)
	p.pending = append(p.pending, p.moves(at)...)
}

// Tried is a step of a routed run with what it was taken for.
type Tried struct {
	Step    string
	Call    *sessions.Call
	Outcome json.RawMessage // nil while it is not over
	Value   json.RawMessage // what it gave
}

// Routed shows a run that a router took along.
func (s *State) Routed(run string, w sessions.World) (any, error) {
	r, err := s.FindRun(run)
	if err != nil {
		return nil, err
	}
	if r.pilot == nil {
		return nil, sessions.Refuse(sessions.Usage, "not_routed", "see `baton workflow show "+r.Run+"`", "run %s goes by a template, not by a router", r.Run)
	}
	tried := make([]Tried, len(r.Steps))
	for i := range r.Steps {
		call := s.Calls[r.Steps[i].Call]
		tried[i] = Tried{Step: r.Template.Steps[i].ID, Call: call, Outcome: r.pilot.read[r.Template.Steps[i].ID]}
		if call == nil || call.Closed.Value.IsZero() {
			continue
		}
		if tried[i].Value, err = w.Value(call.Closed.Value); err != nil {
			return nil, fmt.Errorf("value of %s: %w", call.ID(), err)
		}
	}
	return r.pilot.show(tried), nil
}
