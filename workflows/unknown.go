package workflows

import (
	"fmt"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// unknownClass is the class of a failure of which nobody knows whether the effect happened.
const unknownClass = "unknown"

// notHappened is the exit status by which a probe says that the effect did not happen.
const notHappened = 1

// doubt is a call whose at-most-once attempt never reported: before another one, its template's policy
// has a say.
type doubt struct {
	call string
	ask  bool // a person, whatever the policy says: the probe did not know
}

// doubtful says whether an attempt of the call that never reports is not simply made up for.
func (s *State) doubtful(call *sessions.Call) bool {
	r, i, ok := s.stepOf(call)
	if !ok || call.Purpose != "" {
		return false
	}
	step := &r.Template.Steps[i]
	return step.Effects == template.AtMostOnce && step.Unknown != template.RetryUnknown
}

// unreported says whether a failure tells nothing of the effect: the program was ended in the middle.
func unreported(f events.Failure) bool { return f.Class == "timeout" || f.Code == "exec_signal" }

// suspect notes that nobody knows whether the call's last attempt had its effect.
func (s *State) suspect(call *sessions.Call) {
	s.Hold(call.ID())
	s.doubts = append(s.doubts, doubt{call: call.ID()})
}

// trust forgets the doubts about a call.
func (s *State) trust(call string) {
	s.doubts = slices.DeleteFunc(s.doubts, func(d doubt) bool { return d.call == call })
}

// followDoubts asks what became of an effect: a probe, or a person.
func (s *State) followDoubts(w sessions.World) []events.Data {
	if len(s.doubts) == 0 {
		return nil
	}
	d := s.doubts[0]
	call := s.Calls[d.call]
	r, i, _ := s.stepOf(call)
	step := &r.Template.Steps[i]
	if step.Unknown == template.ProbeUnknown && !d.ask {
		opened, err := s.beside(call, events.Probe, probeSuffix, step.Probe, w)
		if err == nil {
			return []events.Data{opened}
		}
	}
	question := fmt.Sprintf("attempt %d of step %s never reported, so its effect may have happened; run it again?", call.Attempt, step.ID)
	asked, err := s.ask(call.CallOpened, question)
	if err != nil {
		return s.end(ending{call: call.ID(), failure: effectUnknown(err.Error())}, w)
	}
	asked.About = events.AboutUnknown
	return []events.Data{asked}
}

func effectUnknown(message string) *events.Failure {
	return &events.Failure{Class: unknownClass, Code: "effect_unknown", Message: message}
}

// probed takes what a probe found: it happened, so its output is the step's value; it did not, so
// another attempt may be made; or the probe does not know, so a person is asked.
func (s *State) probed(of, probe *sessions.Call, phase StepPhase, failure *events.Failure) {
	switch {
	case phase == StepDone:
		s.endings = append(s.endings, ending{call: of.ID(), value: probe.Closed.Value})
	case phase == StepFailed && failure != nil && failure.Exit == notHappened:
		s.ready(of.ID())
	case of.Phase != sessions.Over:
		s.doubts = append(s.doubts, doubt{of.ID(), true})
	}
}
