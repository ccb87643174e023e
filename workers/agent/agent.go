// Package agent runs a call through a coding agent's command line.
//
// The agent is given the step's intent as its goal, byte for byte, and nothing else: no context, no
// wrapping words, so that what it was asked is what the log says. What a skill needs beside that it
// finds itself: BATON_ENVELOPE names a file with {inputs, context, item, call}, BATON_SKILL the
// SKILL.md, BATON_ALLOWED_TOOLS the tools that a skill leaves it. How each agent is started is data (profiles.yaml); the process is run, limited and ended
// by the same [exec.Runner] as any program.
//
// Codes of failure beside those of package exec: agent_settings, agent_unknown, agent_no_goal,
// agent_not_installed, agent_failed.
package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
)

// Executor runs calls of the form {"agent": "claude"}, {"agent": {"profile": "claude", "args": […]}}
// or {"agent": {"argv": ["my-agent", "$goal"]}}. With {"agent": {}} it takes the first that is
// installed. The zero value works.
type Executor struct {
	exec.Runner
	Prefer string // the profile for steps that name none; empty: the first installed
}

var _ workers.Executor = Executor{}

// settings are a step's own.
type settings struct {
	Name      string         `json:"name"`       // as a template says it: the same as profile
	SkillFile string         `json:"skill_file"` // SKILL.md that the agent is to follow
	Tools     *skills.Policy `json:"tools"`      // what that skill may use; nil: anything
	Profile   string         `json:"profile"`
	Args      []string       `json:"args"`
	Argv      []string       `json:"argv"` // an agent that has no profile
}

// Execute gives the agent its goal once. The value is the agent's answer: JSON if it is JSON, else
// a text.
func (e Executor) Execute(ctx context.Context, t workers.Task, live io.Writer) workers.Outcome {
	s, err := parse(t.Execute)
	if err != nil {
		return workers.Failed(workers.Terminal, "agent_settings",
			`agent needs a name, {"profile": …, "args": […]} or {"argv": […, "$goal"]}: `+err.Error())
	}
	if t.Intent == "" {
		return workers.Failed(workers.Terminal, "agent_no_goal", "an agent needs a goal: give the step an intent")
	}
	profile, failure := e.choose(s, t.Env)
	if failure != nil {
		return workers.Outcome{Failure: failure}
	}
	offered, restricted := offer(t.Input, s.Tools)
	p := profile.program(t.Intent, slices.Concat(profile.limit(offered, restricted), s.Args), t.Input)
	p.Files = map[string][]byte{"BATON_ENVELOPE": t.Input}
	if s.SkillFile != "" {
		t.SkillFile = s.SkillFile
	}
	p.Env = map[string]string{}
	if t.SkillFile != "" {
		p.Env["BATON_SKILL"] = t.SkillFile
	}
	if restricted {
		p.Env["BATON_ALLOWED_TOOLS"] = strings.Join(offered, ",")
	}
	stdout, failure := e.Run(ctx, t, p, live)
	return profile.outcome(stdout, failure)
}

// offer gives the tools that the call may use, without what stands in parentheses; restricted false:
// any. What a skill that was called by its name says goes before what the skill that is loaded says. What an agent calls all the same fails its call, see package workflows.
func offer(input json.RawMessage, loaded *skills.Policy) (tools []string, restricted bool) {
	var doc struct {
		Inputs struct {
			Policy *skills.Policy `json:"allowed_tools"`
		} `json:"inputs"`
	}
	if json.Unmarshal(input, &doc) == nil && doc.Inputs.Policy != nil {
		loaded = doc.Inputs.Policy
	}
	if loaded == nil || !loaded.Restricted {
		return nil, false
	}
	for _, tool := range loaded.Tools {
		name, _, _ := strings.Cut(tool, "(")
		tools = append(tools, strings.TrimSpace(name))
	}
	return tools, true
}

// limit are the words that leave the agent only some tools.
func (p Profile) limit(tools []string, restricted bool) []string {
	if !restricted {
		return nil
	}
	words := make([]string, len(p.Tools))
	for i, word := range p.Tools {
		words[i] = strings.ReplaceAll(word, "$tools", strings.Join(tools, ","))
	}
	return words
}

// parse reads a step's settings: a name, an object, or nothing.
func parse(raw json.RawMessage) (settings, error) {
	var s settings
	if len(bytes.TrimSpace(raw)) == 0 || json.Unmarshal(raw, &s.Profile) == nil {
		return s, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, err
	}
	if s.Profile == "" {
		s.Profile = s.Name
	}
	if s.Profile != "" && s.Argv != nil || s.Argv != nil && len(s.Argv) == 0 {
		return s, fmt.Errorf("either profile or a non-empty argv")
	}
	return s, nil
}

// choose finds the profile that the step, or else the configuration, names, or one that is there.
func (e Executor) choose(s settings, env map[string]string) (Profile, *events.Failure) {
	if len(s.Argv) > 0 {
		return inline(s.Argv), nil
	}
	name := s.Profile
	if name == "" {
		name = e.Prefer
	}
	if name == "" {
		if found := Detect(env); len(found) > 0 {
			return found[0], nil
		}
		return Profile{}, notInstalled("no coding agent is installed", known())
	}
	i := slices.IndexFunc(known(), func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return Profile{}, workers.Failed(workers.Terminal, "agent_unknown",
			fmt.Sprintf("there is no agent profile %q: known are %s; any other runs with argv", name, names(known()))).Failure
	}
	profile := known()[i]
	if !profile.installed(env) {
		return Profile{}, notInstalled(name+" is not installed", known()[i:i+1])
	}
	return profile, nil
}

// inline makes a profile of a step's own argv. Where no word takes the goal, stdin does.
func inline(argv []string) Profile {
	p := Profile{Name: argv[0], Argv: argv, Goal: "stdin"}
	if slices.ContainsFunc(argv, func(word string) bool { return strings.Contains(word, "$goal") }) {
		p.Goal = "argv"
	}
	return p
}

func notInstalled(what string, looked []Profile) *events.Failure {
	var how []string
	for _, p := range looked {
		how = append(how, p.Name+": "+p.Install)
	}
	return workers.Failed(workers.Terminal, "agent_not_installed", fmt.Sprintf(
		"%s: looked on PATH for %s. Install one (%s), or run your own with {agent: {argv: [\"my-agent\", \"$goal\"]}}",
		what, names(looked), strings.Join(how, "; "))).Failure
}

func names(profiles []Profile) string {
	var list []string
	for _, p := range profiles {
		list = append(list, p.Name)
	}
	return strings.Join(list, ", ")
}
