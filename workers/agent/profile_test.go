package agent

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/batonflow/baton/workers"
)

func TestProfilesAreWhole(t *testing.T) {
	t.Parallel()
	dec := yaml.NewDecoder(bytes.NewReader(profilesFile))
	dec.KnownFields(true)
	var strict []Profile
	if err := dec.Decode(&strict); err != nil {
		t.Fatal(err)
	}
	for _, p := range strict {
		goals := slices.Contains(p.Argv, "$goal")
		switch {
		case p.Name == "" || p.Install == "" || !slices.Contains(p.Argv, "$args"):
			t.Errorf("%+v lacks name, install or $args", p)
		case goals != (p.Goal == "argv") || !goals && p.Goal != "stdin":
			t.Errorf("%s: goal %q does not fit argv %q", p.Name, p.Goal, p.Argv)
		case p.Answer != nil && p.Answer.Result == "":
			t.Errorf("%s: an answer without a result", p.Name)
		}
	}
	if len(strict) == 0 {
		t.Error("there are no profiles")
	}
}

// FuzzAnswer: whatever an agent prints, the outcome is a failure or one JSON value.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"result":null}`, `{"is_error":"x"}`, `{"error":{"message":1}}`,
		`{"result":{"a":[]},"total_cost_usd":1e400,"usage":{"input_tokens":1.5}}`, `{"stats":{"models":[]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stdout []byte) {
		for _, p := range known() {
			out := p.outcome(stdout, nil)
			if out.Failure == nil && !json.Valid(out.Value) {
				t.Fatalf("%s of %q: %q", p.Name, stdout, out.Value)
			}
			if out.Usage != nil && !json.Valid(out.Usage) {
				t.Fatalf("%s of %q: usage %q", p.Name, stdout, out.Usage)
			}
			failed := workers.Failed(workers.Retryable, "exec_exit", "it failed")
			if out := p.outcome(stdout, failed.Failure); out.Failure == nil {
				t.Fatalf("%s of %q: a failure was lost", p.Name, stdout)
			}
		}
	})
}
