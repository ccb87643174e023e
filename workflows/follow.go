package workflows

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Actor is the actor of every event that Follow decides; it tells them from those of commands.
const Actor = "engine"

// SkillsPath is the variable that names more places of skills; a run keeps it as it was where it was typed.
const SkillsPath = "BATON_SKILLS_PATH"

// Queues that steps are opened on when nothing else is said.
const (
	DefaultQueue = "default" // executed by Baton's own workers
	SkillsQueue  = "skills"  // taken by agents outside, by `call claim`
)

// Follow gives the next consequence of the state as it stands: a few events that belong together, or
// none when all has been said. Whoever commits folds them and asks again, within the same commit.
func Follow(s *State, w sessions.World) []events.Data {
	if len(s.Newer) > 0 || s.Status != sessions.Active {
		return nil
	}
	if len(s.resting) > 0 {
		t := s.resting[0]
		return []events.Data{events.TimerSet{Timer: t.ID, Kind: t.Kind, At: t.At.UTC().Format(time.RFC3339Nano), Run: t.Run, Call: t.Call}}
	}
	for _, next := range []func(sessions.World) []events.Data{s.followWaits, s.followDoubts, s.followBirths} {
		if facts := next(w); facts != nil {
			return facts
		}
	}
	for _, id := range s.RunOrder {
		if facts := s.followRun(s.Runs[id], w); facts != nil {
			return facts
		}
	}
	return nil
}

// followRun gives what follows for one run: its open calls end with it, a foreach step goes on, a step
// starts, what failed is amended, the run ends.
func (s *State) followRun(r *Run, w sessions.World) []events.Data {
	switch {
	case r.Status == Cancelled && r.open > 0:
		return s.dropCalls(r)
	case r.Over():
		return nil
	case s.orphaned(r):
		return []events.Data{events.RunCancelled{Run: r.Run, Reason: "the step that it ran for is over"}}
	}
	if r.pilot != nil {
		return s.steer(r, w)
	}
	if facts := s.fan(r, w); facts != nil {
		return facts
	}
	if i, ok := r.next(); ok && !s.budgetAsked(r) {
		return s.start(r, i, w)
	}
	if r.open > 0 || slices.ContainsFunc(r.fanning, r.may) {
		return nil
	}
	if facts := s.amend(r, w); facts != nil {
		return facts
	}
	return s.ending(r)
}

// start decides what becomes of a step that is ready: it opens, is skipped, or fails for want of a
// condition, a value or a skill.
func (s *State) start(r *Run, i int, w sessions.World) []events.Data {
	step := &r.Template.Steps[i]
	env, err := s.env(r, step.Reads, w)
	if err != nil {
		return giveUp(r, step, "value_missing", err)
	}
	holds, err := step.Holds(env)
	if err != nil {
		return giveUp(r, step, "condition_failed", err)
	}
	if !holds {
		return []events.Data{events.StepSkipped{Run: r.Run, Step: step.ID, Reason: "its condition is false: " + step.When}}
	}
	if step.Foreach != nil {
		return s.list(r, step, env, w)
	}
	return s.openStep(r, step, opening{r.CallID(step.ID), step.Reads}, env, w)
}

func giveUp(r *Run, step *template.Step, code string, err error) []events.Data {
	return []events.Data{events.StepFailed{Run: r.Run, Step: step.ID, Failure: events.Failure{Class: "terminal", Code: code, Message: err.Error()}}}
}

// env is what the step's expressions see: the run's inputs, and the context keys the step reads.
func (s *State) env(r *Run, reads []string, w sessions.World) (template.Env, error) {
	env := template.Env{Inputs: map[string]any{}, Ctx: map[string]any{}}
	for name, value := range r.Inputs {
		v, err := decoded(value, w)
		if err != nil {
			return env, fmt.Errorf("input %s: %w", name, err)
		}
		env.Inputs[name] = v
	}
	for _, key := range reads {
		rev, ok := s.Context[r.key(key)].Current()
		if !ok {
			continue
		}
		v, err := decoded(rev.Value, w)
		if err != nil {
			return env, fmt.Errorf("context key %s: %w", key, err)
		}
		env.Ctx[key] = v
	}
	return env, nil
}

func decoded(value events.Value, w sessions.World) (any, error) {
	raw, err := w.Value(value)
	if err != nil {
		return nil, err
	}
	return template.Value(raw)
}

// opening names a call of a step and what it reads.
type opening struct {
	call  string
	reads []string
}

// openStep opens a call of the step, its only one or that of an item, with the limits that it counts
// against.
func (s *State) openStep(r *Run, step *template.Step, as opening, env template.Env, w sessions.World) []events.Data {
	facts := s.opens(r, step, as, env, w)
	for i, fact := range facts {
		if opened, ok := fact.(events.CallOpened); ok && opened.Queue != "" {
			opened.Limits = slices.Concat(step.Limit, w.Limited(opened.Queue))
			facts[i] = opened
		}
	}
	return facts
}

func (s *State) opens(r *Run, step *template.Step, as opening, env template.Env, w sessions.World) []events.Data {
	intent, err := step.Goal(env)
	if err != nil {
		return giveUp(r, step, "intent_failed", err)
	}
	opened := events.CallOpened{
		Call: as.call, Skill: step.Skill, Intent: intent, Run: r.Run, Step: step.ID,
		Reads: s.State.Reads(r.keys(as.reads)), Timeout: step.Timeout.Seconds(),
	}
	if step.Output != "" && step.Foreach == nil {
		opened.Writes = []string{r.key(step.Output)}
	}
	if opened.Inputs, err = inputs(step, env); err != nil {
		return giveUp(r, step, "inputs_failed", err)
	}
	if opened.Env, err = step.Environment(env); err != nil {
		return giveUp(r, step, "env_failed", err)
	}
	if step.Executor != "" && step.Atom == nil {
		if opened.Execute, err = step.Execute(env); err != nil {
			return giveUp(r, step, "settings_failed", err)
		}
	}
	if err := checkOpening(opened); err != nil {
		return giveUp(r, step, "call_too_large", err)
	}
	switch step.Executor {
	case "":
		return s.openSkill(r, step, opened, env, w)
	case template.Approval, template.Waiting:
		return s.openWaiting(r, step, opened, env)
	case template.Research:
		return s.openAtom(r, step, opened, env, w)
	case template.Child:
		return s.confirmed(r, step, s.owned(step, opened), env, nil)
	}
	opened.Queue = queueOf(step, step.Executor == template.Claim)
	return s.confirmed(r, step, opened, env, nil)
}

// maxOpening is how many bytes of text, inputs and settings a call may be opened with, so that any
// consequence fits into a commit.
const maxOpening = 64 << 10

func checkOpening(opened events.CallOpened) error {
	size := len(opened.Intent) + len(opened.Execute)
	for _, value := range opened.Inputs {
		size += len(value.JSON)
	}
	if size <= maxOpening {
		return nil
	}
	return fmt.Errorf("its intent, inputs and settings take %d bytes, a call takes %d; name large context keys under `input` instead of putting their values into text", size, maxOpening)
}

func inputs(step *template.Step, env template.Env) (map[string]events.Value, error) {
	if step.Inputs == nil {
		return nil, nil // the run's, which need not stand in every call
	}
	filled, err := step.Values(env)
	if err != nil {
		return nil, err
	}
	out := make(map[string]events.Value, len(filled))
	for name, raw := range filled {
		out[name] = events.Value{JSON: raw}
	}
	return out, nil
}

// openSkill opens a step that a skill serves: the one it names, or the one that its intent is routed to.
func (s *State) openSkill(r *Run, step *template.Step, opened events.CallOpened, env template.Env, w sessions.World) []events.Data {
	var out []events.Data
	if opened.Skill == "" {
		decision, err := w.Route(sessions.RouteTask{Task: opened.Intent, Mode: s.Mode, Threshold: skill.DefaultThreshold, Margin: skill.DefaultMargin, Top: skill.DefaultTop, Path: r.Env[SkillsPath]})
		if err != nil {
			return giveUp(r, step, "route_failed", err)
		}
		decision = sessions.Numbered(decision, len(s.Routes)+1)
		decided, ok := decision.(events.RouteDecided)
		if !ok {
			return append([]events.Data{decision}, giveUp(r, step, "route_blocked", fmt.Errorf("the sentinel refused %q", opened.Intent))...)
		}
		decided.Run, decided.Step = r.Run, step.ID
		out = append(out, decided)
		if decided.Chosen == "" {
			return append(out, giveUp(r, step, "route_undecided", undecided(decided))...)
		}
		opened.Skill, opened.Route = decided.Chosen, decided.Route
	}
	how := w.Resolve(opened.Skill, r.Env[SkillsPath])
	opened.Execute = how.Execute
	opened.Queue = queueOf(step, len(how.Execute) == 0)
	return s.confirmed(r, step, opened, env, out)
}

func queueOf(step *template.Step, outside bool) string {
	switch {
	case step.Queue != "":
		return step.Queue
	case outside:
		return SkillsQueue
	}
	return DefaultQueue
}

func undecided(d events.RouteDecided) error {
	names := make([]string, 0, len(d.Candidates))
	for _, c := range d.Candidates {
		names = append(names, c.Name)
	}
	return fmt.Errorf("the router says %s for %q (%s); candidates: %s; name the skill in the template, or run it in a session of mode always",
		d.Decision, d.Task, d.Reason, strings.Join(names, ", "))
}
