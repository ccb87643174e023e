package agent

import (
	_ "embed"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/batonflow/baton/workers/exec"
)

// Profile is how one kind of coding agent is run.
type Profile struct {
	Name    string   `yaml:"name"`
	Argv    []string `yaml:"argv"`    // with $goal and $args
	Goal    string   `yaml:"goal"`    // stdin or argv
	Stdin   string   `yaml:"stdin"`   // with goal argv: envelope (default) or empty
	Tools   []string `yaml:"tools"`   // how it is told which tools there are: words with $tools
	Answer  *Answer  `yaml:"answer"`  // nil: what it prints is the answer
	Install string   `yaml:"install"` // where to read how to get it
}

// Answer says where an agent's JSON keeps things, as dotted paths; * stands for any name.
type Answer struct {
	Result string   `yaml:"result"`
	Failed string   `yaml:"failed"` // true, or a text, when the agent gave up
	USD    string   `yaml:"usd"`
	Tokens []string `yaml:"tokens"` // added up
}

//go:embed profiles.yaml
var profilesFile []byte

// known is the table of profiles, in the order in which they are preferred. The file is part of the
// binary and read by the tests, so that it can only be broken by whoever builds it.
var known = sync.OnceValue(func() []Profile {
	var profiles []Profile
	if err := yaml.Unmarshal(profilesFile, &profiles); err != nil {
		panic(err)
	}
	return profiles
})

// Detect lists the known agents that are installed on the environment's PATH, best first.
func Detect(env map[string]string) []Profile {
	var found []Profile
	for _, p := range known() {
		if p.installed(env) {
			found = append(found, p)
		}
	}
	return found
}

func (p Profile) installed(env map[string]string) bool {
	_, ok := exec.Look(p.Argv[0], env["PATH"])
	return ok
}

// program makes the command line for a goal.
func (p Profile) program(goal string, args []string, envelope []byte) exec.Program {
	var argv []string
	for _, word := range p.Argv {
		if word == "$args" {
			argv = append(argv, args...)
			continue
		}
		argv = append(argv, strings.ReplaceAll(word, "$goal", goal))
	}
	switch {
	case p.Goal == "stdin":
		return exec.Program{Argv: argv, Stdin: []byte(goal)}
	case p.Stdin == "empty":
		return exec.Program{Argv: argv}
	default:
		return exec.Program{Argv: argv, Stdin: envelope}
	}
}
