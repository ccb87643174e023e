package workflows

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Program asks sessions.World.Resolve for a program on a path instead of a skill.
const Program = "cli:"

// NeedsConfiguration is the code of a step that nothing here can do: neither a skill nor a program.
const NeedsConfiguration = "needs_configuration"

// openAtom opens a step of a research task on the first thing that can do it.
func (s *State) openAtom(r *Run, step *template.Step, opened events.CallOpened, env template.Env, w sessions.World) []events.Data {
	var tried []string
	for _, name := range step.Atom.Skills {
		tried = append(tried, name)
		how := w.Resolve(name, r.Env[SkillsPath])
		if how.Missing {
			continue
		}
		opened.Skill, opened.Execute = name, how.Execute
		opened.Queue = queueOf(step, len(how.Execute) == 0)
		return s.confirmed(r, step, opened, env, nil)
	}
	if program, _, _ := strings.Cut(step.Atom.CLI, " "); program != "" {
		tried = append(tried, Program+program)
		if how := w.Resolve(Program+program, r.Env["PATH"]); !how.Missing {
			opened.Execute = standIn(program, step.Atom.CLI, r.Folder)
			opened.Queue = queueOf(step, false)
			return s.confirmed(r, step, opened, env, nil)
		}
	}
	return giveUp(r, step, NeedsConfiguration, fmt.Errorf("nothing here does this step; looked for: %s; install one of the skills, or put the program on PATH, then `baton workflow resume %s`",
		strings.Join(tried, ", "), r.Run))
}

// standIn runs a program as a skill's entry point is run: no shell, one JSON value on stdout.
func standIn(program, cmd, folder string) json.RawMessage {
	raw, err := events.Marshal(map[string]map[string]string{"skill": {"name": program, "folder": folder, "type": "exec", "cmd": cmd}})
	if err != nil {
		return nil // texts always encode
	}
	return raw
}

// handed adds the outputs of earlier steps to a step's inputs. Inside a branch the later output wins
// on equal names; of several branches lists are put one behind the other, and children holds what each
// branch brought by itself. Its own inputs win over all.
func (s *State) handed(step *template.Step, call *sessions.Call, own map[string]json.RawMessage, w sessions.World) (map[string]json.RawMessage, error) {
	if step.Atom == nil || len(step.Atom.From) == 0 {
		return own, nil
	}
	all := map[string]json.RawMessage{}
	var children []map[string]json.RawMessage
	for _, keys := range step.Atom.From {
		branch, err := s.outputs(keys, call, w)
		if err != nil {
			return nil, err
		}
		if len(branch) > 0 {
			children = append(children, branch)
		}
		for name, value := range branch {
			all[name] = concatenated(all[name], value)
		}
	}
	if len(step.Atom.From) > 1 {
		raw, err := events.Marshal(children)
		if err != nil {
			return nil, fmt.Errorf("outputs of the branches: %w", err)
		}
		all["children"] = raw
	}
	maps.Copy(all, own)
	return all, nil
}

// bare is the envelope of a step of a research task: what it read is handed on as inputs, and its
// context is empty.
func bare(e sessions.Envelope) sessions.Envelope {
	e.ContextIn, e.Missing = map[string]json.RawMessage{}, []string{}
	return e
}

// outputs merges the objects that stand under keys, as the call read them.
func (s *State) outputs(keys []string, call *sessions.Call, w sessions.World) (map[string]json.RawMessage, error) {
	merged := map[string]json.RawMessage{}
	for _, key := range keys {
		for _, read := range call.Reads {
			rev, ok := s.Context[key].At(read.Rev)
			if read.Key != key || !ok {
				continue
			}
			raw, err := w.Value(rev.Value)
			if err != nil {
				return nil, fmt.Errorf("output %s: %w", key, err)
			}
			var object map[string]json.RawMessage
			if json.Unmarshal(raw, &object) == nil {
				maps.Copy(merged, object)
			}
		}
	}
	return merged, nil
}

// concatenated puts two lists into one; of anything else the later counts.
func concatenated(before, after json.RawMessage) json.RawMessage {
	var first, second []json.RawMessage
	if json.Unmarshal(before, &first) != nil || json.Unmarshal(after, &second) != nil || first == nil || second == nil {
		return after
	}
	raw, err := events.Marshal(append(first, second...))
	if err != nil {
		return after // it was JSON before
	}
	return raw
}

// outcomeOf makes the outputs of a step that an agent outside did its value, where it gave them one by
// one: the steps after it are handed one object.
func (s *State) outcomeOf(call *sessions.Call, outputs map[string]events.Value, w sessions.World) (events.Value, error) {
	if len(call.Writes) != 1 || len(outputs) == 0 || !outputs[call.Writes[0]].IsZero() {
		return outputs[first(call.Writes)], nil
	}
	object := map[string]json.RawMessage{}
	for name, value := range outputs {
		raw, err := w.Value(value)
		if err != nil {
			return events.Value{}, fmt.Errorf("output %s: %w", name, err)
		}
		object[name] = raw
	}
	raw, err := events.Marshal(object)
	if err != nil {
		return events.Value{}, fmt.Errorf("outputs of %s: %w", call.ID(), err)
	}
	return w.Keep(raw)
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// breach says why a value is no output of a step of a research task; nil: it is one. What a reasoning
// worker brings is an object; a program's may be any JSON value, but not nothing.
func (s *State) breach(call *sessions.Call, value events.Value, w sessions.World) *events.Failure {
	r, i, ok := s.step(call.Run, call.Step)
	atom := ok && r.Template.Steps[i].Atom != nil
	policy, bound := policyOf(call, w)
	if !atom && !bound {
		return nil
	}
	raw, err := w.Value(value)
	if err != nil {
		return nil // it cannot be looked at now; the reader of the value will say so
	}
	if bound {
		if failure := overstep(call, policy, raw); failure != nil {
			return failure
		}
	}
	if !atom {
		return nil
	}
	raw = json.RawMessage(strings.TrimSpace(string(raw)))
	switch byProgram := strings.HasPrefix(string(call.Execute), `{"skill"`); {
	case len(raw) == 0 || string(raw) == "null":
		return &events.Failure{Class: "terminal", Code: "E_OUTPUT_MISSING", Message: "the step ended well and brought nothing; it must give its output"}
	case raw[0] != '{' && !byProgram:
		return &events.Failure{Class: "terminal", Code: "E_OUTPUT_NOT_OBJECT", Message: "the output of a reasoning worker must be one JSON object"}
	}
	return nil
}
