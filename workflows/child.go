package workflows

import (
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// A child run lives in the session of the run that starts it, and has the id of the call that it runs
// for. Its context keys are its own: in the session they stand behind its id. See own.go for those with a
// session of their own.

// maxDepth is how deep runs may start runs.
const maxDepth = 8

// parent is the run whose step started r; nil when nothing did.
func (s *State) parent(r *Run) *Run {
	call := s.Calls[r.Parent]
	if r.Parent == "" || call == nil {
		return nil
	}
	return s.Runs[call.Run]
}

// line is a run and those above it, up to the one that a person started.
func (s *State) line(r *Run) iter.Seq[*Run] {
	return func(yield func(*Run) bool) {
		for depth := 0; r != nil && depth <= maxDepth && yield(r); depth++ {
			r = s.parent(r)
		}
	}
}

// root is the run that a person started.
func (s *State) root(r *Run) *Run {
	for r = range s.line(r) {
	}
	return r
}

// inherit gives a child run what it shares with the run that started it.
func (s *State) inherit(r, parent *Run) {
	source := s.root(parent).Templates[r.Source]
	r.Text, r.Folder, r.Path = source.Text, source.Folder, source.Path
	r.Env, r.Workspace = parent.Env, parent.Workspace
}

// key is where a context key of the run's template stands in the session.
func (r *Run) key(key string) string {
	if r.Parent == "" {
		return key
	}
	return r.Run + ":" + key
}

func (r *Run) keys(keys []string) []string {
	if r.Parent == "" {
		return keys
	}
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = r.key(key)
	}
	return out
}

// scoped puts what a call writes where the keys of its run stand.
func (s *State) scoped(call *sessions.Call, outputs map[string]events.Value) map[string]events.Value {
	r := s.Runs[call.Run]
	if r == nil || r.Parent == "" || len(outputs) == 0 {
		return outputs
	}
	out := make(map[string]events.Value, len(outputs))
	for key, value := range outputs {
		out[r.key(key)] = value
	}
	return out
}

// local puts an envelope into the run's own words: context keys as its template has them.
func (r *Run) local(e *sessions.Envelope) {
	if r.Parent == "" {
		return
	}
	own := func(key string) string { return strings.TrimPrefix(key, r.Run+":") }
	context := make(map[string]json.RawMessage, len(e.ContextIn))
	for key, value := range e.ContextIn {
		context[own(key)] = value
	}
	e.ContextIn = context
	for _, list := range [][]string{e.Missing, e.MustWrite} {
		for i, key := range list {
			list[i] = own(key)
		}
	}
}

// SourceOf is the name by which a step's child template is kept with the run: its name, or the path of
// its file.
func SourceOf(folder string, w *template.Workflow) string {
	switch {
	case w.Path == "":
		return w.Name
	case filepath.IsAbs(w.Path):
		return filepath.Clean(w.Path)
	}
	return filepath.Join(folder, w.Path)
}

// orphaned says whether the call that a child run is for has ended, or waits for another attempt.
func (s *State) orphaned(r *Run) bool {
	call := s.Calls[r.Parent]
	return call != nil && call.Live() == 0
}

// followBirths starts the child run of a call that is ready, or takes up again the one it has.
func (s *State) followBirths(w sessions.World) []events.Data {
	at := slices.IndexFunc(s.births, func(id string) bool { return s.Calls[id].Phase == sessions.Queued })
	if at < 0 {
		return nil
	}
	call := s.Calls[s.births[at]]
	started := events.CallStarted{Call: call.ID(), Attempt: call.Attempt + 1}
	if child := s.Runs[call.ID()]; child != nil {
		return []events.Data{started, events.RunResumed{Run: child.Run, By: Actor, Redo: child.again()}}
	}
	run, err := s.birth(call, w)
	if err == nil && call.Child != "" {
		return []events.Data{started} // whoever commits it calls the child run
	}
	if err != nil {
		failed := events.CallFailed{Call: call.ID(), Failure: events.Failure{Class: "terminal", Code: "child_not_started", Message: err.Error()}, Final: true}
		return []events.Data{failed}
	}
	return []events.Data{started, run}
}

// born notes that the child run of a call is under way, and until when it must have ended.
func (s *State) born(d events.CallStarted, at time.Time) {
	s.births = slices.DeleteFunc(s.births, func(id string) bool { return id == d.Call })
	call := s.Calls[d.Call]
	if call == nil || !call.Starts() || call.Timeout <= 0 {
		return
	}
	until := at.Add(time.Duration(call.Timeout * float64(time.Second)))
	s.resting = append(s.resting, Timer{ID: fmt.Sprintf("%s@%s%d", d.Call, timerDeadline, d.Attempt), Kind: timerDeadline, At: until, Run: call.Run, Call: d.Call})
}

// again lists the steps to run again in a run that had completed.
func (r *Run) again() []string {
	if r.Status != Completed {
		return nil
	}
	out := make([]string, len(r.Template.Steps))
	for i, step := range r.Template.Steps {
		out[i] = step.ID
	}
	return out
}

func (s *State) birth(call *sessions.Call, w sessions.World) (events.RunStarted, error) {
	r, i, _ := s.stepOf(call)
	step := &r.Template.Steps[i]
	key := SourceOf(r.Folder, step.Workflow)
	source, ok := s.root(r).Templates[key]
	if !ok {
		return events.RunStarted{}, fmt.Errorf("template %s is not among those that the run was started with", key)
	}
	t, err := ParseTemplate(key, source.Text)
	if err != nil {
		return events.RunStarted{}, err
	}
	inputs, err := childInputs(call)
	if err != nil {
		return events.RunStarted{}, fmt.Errorf("inputs of %s: %w", key, err)
	}
	given, err := t.CheckInputs(inputs)
	if err != nil {
		return events.RunStarted{}, err
	}
	name := t.Name
	if name == "" {
		name = nameOf(source)
	}
	run := events.RunStarted{Run: call.ID(), Name: name, SHA256: digest(source.Text), Workspace: r.Workspace, Parent: call.ID(), Source: key}
	run.Inputs, err = kept(given, w)
	return run, err
}

// nameOf is what a template is called that does not say so itself.
func nameOf(source events.Source) string {
	return strings.TrimSuffix(filepath.Base(source.Path), filepath.Ext(source.Path))
}

// kept makes values of a run's inputs.
func kept(given map[string]json.RawMessage, w sessions.World) (map[string]events.Value, error) {
	if len(given) == 0 {
		return nil, nil
	}
	out := make(map[string]events.Value, len(given))
	for name, raw := range given {
		value, err := w.Keep(raw)
		if err != nil {
			return nil, fmt.Errorf("input %s could not be stored: %w", name, err)
		}
		out[name] = value
	}
	return out, nil
}

// voidDeadline lets go of the deadline of an attempt that is over.
func (s *State) voidDeadline(call string) {
	for _, id := range sortedKeys(s.Timers) {
		if t := s.Timers[id]; t.Call == call && t.Kind == timerDeadline {
			s.orphans = append(s.orphans, id)
		}
	}
}

// childOver ends the call that a child run was for.
func (s *State) childOver(r *Run) {
	call := s.Calls[r.Parent]
	if r.Parent == "" || call == nil || call.Live() == 0 {
		return
	}
	e := ending{call: r.Parent, child: r.Run, failure: childFailure(r.Status, r.Reason)}
	s.endings = append(s.endings, e)
}

// outcome is the value of a call whose child run completed: what its steps wrote, by key.
func (s *State) outcome(child *Run, w sessions.World) (events.Value, error) {
	out := map[string]json.RawMessage{}
	for i := range child.Steps {
		key := child.Template.Steps[i].Output
		rev, ok := s.Context[child.key(key)].Current()
		if key == "" || !ok || child.Steps[i].Phase != StepDone {
			continue
		}
		var err error
		if out[key], err = w.Value(rev.Value); err != nil {
			return events.Value{}, fmt.Errorf("output %s: %w", key, err)
		}
	}
	raw, err := events.Marshal(out)
	if err != nil {
		return events.Value{}, fmt.Errorf("outputs of run %s: %w", child.Run, err)
	}
	return w.Keep(raw)
}
