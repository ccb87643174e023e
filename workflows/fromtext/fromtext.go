// Package fromtext makes a workflow template of a sentence.
//
// The actions of the sentence become steps; what each works on becomes its input, from however far
// back; steps that do not need each other run side by side. Which skill does a step is the caller's to
// say, since only he knows what is installed. A step that cannot be taken back asks a person first.
//
// The package is pure: the same sentence and the same choices give the same template to the byte.
package fromtext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/skill"
)

// Workflow is a template to be written down. Its JSON and its YAML mean the same.
type Workflow struct {
	Name        string `json:"name" yaml:"name"`
	Description string `json:"description,omitempty" yaml:"description,omitempty"`
	Order       string `json:"order,omitempty" yaml:"order,omitempty"`
	Steps       []Step `json:"steps" yaml:"steps"`

	Named bool `json:"-" yaml:"-"` // its maker gave the name: it is to be kept under it
}

// Step is one step of it.
type Step struct {
	ID      string   `json:"id,omitempty" yaml:"id,omitempty"`
	Skill   string   `json:"skill" yaml:"skill"`
	Intent  string   `json:"intent" yaml:"intent"`
	Input   Keys     `json:"input,omitempty" yaml:"input,omitempty"` // context keys that it works on
	Output  string   `json:"output,omitempty" yaml:"output,omitempty"`
	Needs   []string `json:"needs,omitempty" yaml:"needs,omitempty,flow"` // what only has to come first
	Confirm bool     `json:"confirm,omitempty" yaml:"confirm,omitempty"`
}

// NewStep is a step as a person says it. One that cannot be taken back asks first.
func NewStep(name, goal string, input []string, output string) Step {
	s := Step{Skill: name, Intent: literal(goal), Input: input, Output: output}
	s.Confirm = skill.HighRisk(goal) != ""
	return s
}

// Choose names the skill that does an action. kind is the action's type, target the words that ask for
// it.
type Choose func(kind, target string) (string, error)

// Make reads a sentence. Without an action in it there is no step, and no error.
func Make(reader intent.Reader, text string, choose Choose) (Workflow, error) {
	steps := withRisks(text, reader.Steps(text))
	w := Workflow{Name: reader.Parse(text).Intent + "_workflow", Description: literal(strings.TrimSpace(text)), Order: "dataflow", Steps: []Step{}}
	ids := names(steps)
	for i, s := range steps {
		chosen, err := choose(s.Type, s.Target)
		if err != nil {
			return Workflow{}, fmt.Errorf("choose a skill for %q: %w", s.Target, err)
		}
		step := Step{ID: ids[i], Skill: chosen, Intent: literal(s.Target), Output: result(ids[i]), Confirm: risky(s)}
		for _, j := range s.Uses {
			step.Input = append(step.Input, result(ids[j]))
		}
		for _, j := range s.Then {
			step.Needs = append(step.Needs, result(ids[j]))
		}
		w.Steps = append(w.Steps, step)
	}
	return w, nil
}

func result(id string) string { return id + ".result" }

// literal keeps a text from being read as an expression of the template language.
func literal(text string) string { return strings.ReplaceAll(text, "${", "$${") }

// names gives each step an id: its type, numbered where it comes again.
func names(steps []intent.Step) []string {
	seen := map[string]int{}
	var out []string
	for _, s := range steps {
		id := s.Type
		if seen[s.Type]++; seen[s.Type] > 1 {
			id = fmt.Sprintf("%s-%d", s.Type, seen[s.Type])
		}
		out = append(out, id)
	}
	return out
}

// risky says that what a step does cannot be taken back.
func risky(s intent.Step) bool { return s.Type == "publish" || skill.HighRisk(s.Target) != "" }

// withRisks adds the actions that the intent reader has no type for and that must not be lost: to
// delete, pay or send something. Each works on whatever was made before it.
func withRisks(text string, steps []intent.Step) []intent.Step {
	for _, part := range parts(text) {
		kind := skill.HighRisk(part.text)
		covered := slices.ContainsFunc(steps, func(s intent.Step) bool {
			return s.At < part.at+len(part.text) && s.At+len(s.Target) > part.at
		})
		if kind == "" || covered || negated(part.text) {
			continue
		}
		at, found := slices.BinarySearchFunc(steps, part.at, func(s intent.Step, at int) int { return s.At - at })
		if found {
			continue
		}
		added := intent.Step{SubTask: intent.SubTask{Type: kind, Target: part.text}, At: part.at, Uses: unspent(steps[:at])}
		steps = slices.Insert(steps, at, added)
		for i := at + 1; i < len(steps); i++ {
			steps[i].Uses, steps[i].Then = shifted(steps[i].Uses, at), shifted(steps[i].Then, at)
		}
	}
	return steps
}

// unspent are the steps whose results no other works on.
func unspent(steps []intent.Step) []int {
	var out []int
	for j := range steps {
		if !slices.ContainsFunc(steps, func(s intent.Step) bool { return slices.Contains(s.Uses, j) }) {
			out = append(out, j)
		}
	}
	return out
}

// shifted counts steps on from where one was put in.
func shifted(list []int, at int) []int {
	var out []int
	for _, i := range list {
		if i >= at {
			i++
		}
		out = append(out, i)
	}
	return out
}
