package workflows

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Bounds of a goal.
const (
	mostCondition     = 4000 // characters
	MostContinuations = 8
	mostIdentical     = 2 // evaluations in a row that say the same
)

// EvaluationRun is the name of the runs in which an evaluator judges; they are nobody's work.
const EvaluationRun = "goal-evaluation"

// The outcomes of an evaluation: the goal is met, or what stands in the way. Only one of them is
// helped by another run.
const (
	Satisfied  = "satisfied"
	NotMetYet  = "goal_not_met_yet"
	blockNone  = "missing_evidence"
	blockInput = "needs_user_input"
	blockRun   = "run_failed"
	blockWait  = "external_wait"
)

// Outcomes lists what an evaluation may find.
func Outcomes() []string {
	return []string{Satisfied, NotMetYet, blockNone, blockInput, blockRun, blockWait}
}

// Goal is a condition that the session's runs are to meet, as it stands.
type Goal struct {
	events.GoalSet
	SetAt       time.Time
	Cleared     bool
	Evaluations []events.GoalEvaluated
}

// Open says whether the goal is still worked for.
func (g *Goal) Open() bool {
	return !g.Cleared && (len(g.Evaluations) == 0 || g.last().Continue)
}

func (g *Goal) last() events.GoalEvaluated { return g.Evaluations[len(g.Evaluations)-1] }

// continuations counts the runs that evaluations have asked for.
func (g *Goal) continuations() (n int) {
	for _, e := range g.Evaluations {
		if e.Continue {
			n++
		}
	}
	return n
}

func (s *State) foldGoal(e events.Event) {
	switch d := e.Data.(type) {
	case events.GoalSet:
		s.Sought = &Goal{GoalSet: d, SetAt: e.Time}
	case events.GoalCleared:
		if s.Sought != nil {
			s.Sought.Cleared = true
		}
	case events.GoalEvaluated:
		if s.Sought != nil {
			s.Sought.Evaluations = append(s.Sought.Evaluations, d)
		}
	}
}

// SetGoal gives the session a condition; a person's newer one replaces it.
type SetGoal struct {
	Condition string          `json:"condition"`
	By        string          `json:"by,omitempty"`
	Evaluator json.RawMessage `json:"evaluator,omitempty"`
}

// Decide refuses what is no condition, and anything while a run is in flight.
func (c SetGoal) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	if err := s.settledForGoals(); err != nil {
		return nil, err
	}
	switch n := utf8.RuneCountInString(c.Condition); {
	case strings.TrimSpace(c.Condition) == "":
		return nil, sessions.Refuse(sessions.Usage, "goal_empty", "say what is to be the case in the end", "the goal is blank")
	case n > mostCondition:
		return nil, sessions.Refuse(sessions.Usage, "goal_too_long", "make it shorter", "the goal has %d characters, at most %d are taken", n, mostCondition)
	}
	return []events.Data{events.GoalSet{Condition: c.Condition, By: c.By, Evaluator: c.Evaluator}}, nil
}

// Answer shows the goal.
func (c SetGoal) Answer(s *State, _ sessions.Ref, _ sessions.World) (any, error) { return s.ShowGoal() }

// ClearGoal takes the condition back.
type ClearGoal struct {
	By string `json:"by,omitempty"`
}

// Decide says nothing where there is no goal, and refuses while a run is in flight.
func (c ClearGoal) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	if err := s.settledForGoals(); err != nil {
		return nil, err
	}
	if s.Sought == nil || s.Sought.Cleared {
		return nil, nil
	}
	return []events.Data{events.GoalCleared{By: c.By}}, nil
}

// Answer shows that there is no goal.
func (c ClearGoal) Answer(s *State, _ sessions.Ref, _ sessions.World) (any, error) {
	return s.ShowGoal()
}

// EvaluateGoal says what was found after a run.
type EvaluateGoal struct {
	Run      string `json:"run,omitempty"` // "": the newest
	Outcome  string `json:"outcome"`
	Evidence string `json:"evidence"`
	By       string `json:"by,omitempty"`
}

// Decide records what was found and whether the session goes on by itself: only when the goal is not
// met yet, nothing newer was started by a person, the last evaluations did not say the same, and there
// were not too many continuations.
func (c EvaluateGoal) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	if err := s.settledForGoals(); err != nil {
		return nil, err
	}
	if s.Sought == nil || s.Sought.Cleared {
		return nil, sessions.Refuse(sessions.NotFound, "goal_not_found", "set one with `baton session goal TEXT`", "session %s has no goal", s.ID)
	}
	if !slices.Contains(Outcomes(), c.Outcome) {
		return nil, sessions.Refuse(sessions.Usage, "bad_outcome", "use "+strings.Join(Outcomes(), ", "), "%q is no outcome of an evaluation", c.Outcome)
	}
	run, err := s.evaluated(c.Run)
	if err != nil {
		return nil, err
	}
	out := events.GoalEvaluated{Run: run, Outcome: c.Outcome, Evidence: c.Evidence, By: c.By}
	out.Reason, out.Continue = s.goesOn(out)
	return []events.Data{out}, nil
}

// evaluated is the run that an evaluation is about; each is evaluated once.
func (s *State) evaluated(asked string) (string, error) {
	run := s.lastWork()
	if asked != "" {
		r, err := s.FindRun(asked)
		if err != nil {
			return "", err
		}
		run = r.Run
	}
	if run == "" {
		return "", sessions.Refuse(sessions.Conflict, "goal_no_run", "start one, or `baton session goal pursue`", "nothing has run in session %s yet", s.ID)
	}
	for _, e := range s.Sought.Evaluations {
		if e.Run == run {
			return "", sessions.Refuse(sessions.Conflict, "goal_evaluated", "nothing needs to be done", "run %s was evaluated already: %s", run, e.Outcome)
		}
	}
	return run, nil
}

// goesOn says whether another run follows, and why.
func (s *State) goesOn(e events.GoalEvaluated) (reason string, yes bool) {
	identical := 1
	for _, before := range slices.Backward(s.Sought.Evaluations) {
		if before.Outcome != e.Outcome || before.Evidence != e.Evidence {
			break
		}
		identical++
	}
	switch {
	case e.Outcome != NotMetYet:
		return e.Outcome, false
	case e.Run != s.lastWork():
		return "new_input", false
	case identical >= mostIdentical:
		return "no_progress", false
	case s.Sought.continuations() >= MostContinuations:
		return "max_continuations", false
	}
	return NotMetYet, true
}

// Answer shows the goal.
func (c EvaluateGoal) Answer(s *State, _ sessions.Ref, _ sessions.World) (any, error) {
	return s.ShowGoal()
}

// settledForGoals refuses while a run is in flight: what it does would count for two goals.
func (s *State) settledForGoals() error {
	if err := s.Open(); err != nil {
		return err
	}
	for _, id := range s.RunOrder {
		if r := s.Runs[id]; !r.Over() {
			return sessions.Refuse(sessions.Conflict, "goal_run_in_flight", "wait for it, or `baton workflow cancel "+id+"`", "run %s is in flight", id)
		}
	}
	return nil
}

// lastWork is the newest run that is not an evaluator's.
func (s *State) lastWork() string {
	for _, id := range slices.Backward(s.RunOrder) {
		if s.Runs[id].Name != EvaluationRun {
			return id
		}
	}
	return ""
}

// GoalView is a goal as `session goal` gives it. Next says what is to be done now: run, evaluate,
// wait (for the run in flight) or stop.
type GoalView struct {
	Session       string                 `json:"session"`
	Goal          string                 `json:"goal"`   // empty: none
	Status        string                 `json:"status"` // none, active, satisfied, stopped
	Evaluator     json.RawMessage        `json:"evaluator"`
	Evaluations   []events.GoalEvaluated `json:"evaluations"`
	Continuations int                    `json:"continuations"`
	Run           string                 `json:"run"` // the newest that is no evaluator's
	Next          string                 `json:"next"`
}

// Judged says whether an evaluator is configured; else a person answers.
func (v GoalView) Judged() bool { return len(v.Evaluator) > 0 && string(v.Evaluator) != "null" }

// ShowGoal shows the goal, or that there is none.
func (s *State) ShowGoal() (GoalView, error) {
	v := GoalView{Session: s.ID, Status: "none", Evaluations: []events.GoalEvaluated{}, Run: s.lastWork(), Next: "stop"}
	g := s.Sought
	if g == nil || g.Cleared {
		return v, nil
	}
	v.Goal, v.Evaluator, v.Status, v.Continuations = g.Condition, g.Evaluator, "active", g.continuations()
	v.Evaluations = append(v.Evaluations, g.Evaluations...)
	seen := slices.ContainsFunc(g.Evaluations, func(e events.GoalEvaluated) bool { return e.Run == v.Run })
	switch {
	case !g.Open() && g.last().Outcome == Satisfied:
		v.Status = Satisfied
	case !g.Open():
		v.Status = "stopped"
	case s.settledForGoals() != nil:
		v.Next = "wait"
	case v.Run == "" || seen || s.Runs[v.Run].StartedAt.Before(g.SetAt):
		v.Next = "run"
	default:
		v.Next = "evaluate"
	}
	return v, nil
}
