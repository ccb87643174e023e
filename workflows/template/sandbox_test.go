package template

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSandbox(t *testing.T) {
	t.Parallel()
	const common = "defaults: {sandbox: {write: [out], memory: 1GiB}}\n"
	for name, test := range map[string]struct {
		text string
		want *Sandbox
	}{
		"not said":            {"steps: [{run: {exec: [a]}}]", nil},
		"on":                  {"steps: [{run: {exec: [a]}, sandbox: on}]", &Sandbox{Confined: true}},
		"yes in JSON":         {`{"steps": [{"run": {"exec": ["a"]}, "sandbox": true}]}`, &Sandbox{Confined: true}},
		"off":                 {"steps: [{run: {exec: [a]}, sandbox: off}]", &Sandbox{}},
		"empty":               {"steps: [{run: {exec: [a]}, sandbox: {}}]", &Sandbox{Confined: true}},
		"for a skill":         {"steps: [{skill: a, sandbox: on}]", &Sandbox{Confined: true}},
		"all of it":           {"steps: [{run: {exec: [a]}, sandbox: {write: [~/.cache, /srv/x], memory: 512 MiB, cpu: 1m30s, output: 1.5kB}}]", &Sandbox{Confined: true, Write: []string{"~/.cache", "/srv/x"}, Memory: 512 << 20, CPU: 90 * time.Second, Output: 1500}},
		"of all steps":        {common + "steps: [{run: {exec: [a]}}]", &Sandbox{Confined: true, Write: []string{"out"}, Memory: 1 << 30}},
		"over that of all":    {common + "steps: [{run: {exec: [a]}, sandbox: {write: [b], cpu: 5s}}]", &Sandbox{Confined: true, Write: []string{"out", "b"}, Memory: 1 << 30, CPU: 5 * time.Second}},
		"lifted for one":      {common + "steps: [{run: {exec: [a]}, sandbox: off}]", &Sandbox{}},
		"only other bounds":   {common + "steps: [{run: {exec: [a]}, sandbox: {write: anywhere}}]", &Sandbox{Memory: 1 << 30}},
		"nothing to bound":    {common + "steps: [{run: {builtin: route}}]", nil},
		"another does it":     {common + "steps: [{run: claim}]", nil},
		"nothing executes it": {common + "steps: [{run: {wait: {for: 1s}}}]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, parsed(t, test.text).Steps[0].Sandbox); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// sandboxFaults are faults in what bounds a program.
var sandboxFaults = []faultCase{
	{"a word", step("sandbox: maybe"), []string{"2:25 bad_type steps[0].sandbox"}},
	{"a list", step("sandbox: [a]"), []string{"2:25 bad_type steps[0].sandbox"}},
	{"unknown field", step("sandbox: {wirte: [a]}"), []string{"2:26 unknown_field steps[0].sandbox.wirte"}},
	{"no path", step("sandbox: {write: ['']}"), []string{"2:34 bad_value steps[0].sandbox.write[0]"}},
	{"an expression", step("sandbox: {write: ['${inputs.x}']}"), []string{"2:34 bad_value steps[0].sandbox.write[0]"}},
	{"memory as a word", step("sandbox: {memory: much}"), []string{"2:34 bad_type steps[0].sandbox.memory"}},
	{"too little memory", step("sandbox: {memory: 1KiB}"), []string{"2:34 bad_value steps[0].sandbox.memory"}},
	{"too large a result", step("sandbox: {output: 1GiB}"), []string{"2:34 bad_value steps[0].sandbox.output"}},
	{"no computing time", step("sandbox: {cpu: 10ms}"), []string{"2:31 bad_value steps[0].sandbox.cpu"}},
	{"no duration", step("sandbox: {cpu: soon}"), []string{"2:31 bad_duration steps[0].sandbox.cpu"}},
	{"says nothing to a request", "steps:\n  - {run: {http: {url: 'http://a'}}, sandbox: on}\n", []string{"2:47 contradiction steps[0].sandbox"}},
	{"says nothing to a claim", "steps:\n  - {run: claim, sandbox: on}\n", []string{"2:27 contradiction steps[0].sandbox"}},
}

func TestASandboxIsPartOfTheStep(t *testing.T) {
	t.Parallel()
	was := parsed(t, "steps: [{id: a, run: {exec: [a]}, sandbox: {write: [x, y]}}]")
	for text, changed := range map[string]int{
		"steps: [{id: a, run: {exec: [a]}, sandbox: {write: [y, x]}}]":            0,
		"steps: [{id: a, run: {exec: [a]}, sandbox: {write: [x]}}]":               1,
		"steps: [{id: a, run: {exec: [a]}}]":                                      1,
		"steps: [{id: a, run: {exec: [a]}, sandbox: {write: [x, y], cpu: 1h}}]":   1,
		"steps: [{id: a, run: {exec: [a]}, sandbox: {write: [x, y], output: 8}}]": 1,
	} {
		if d := Diff(was, parsed(t, text)); len(d.Changed) != changed {
			t.Errorf("%s: %+v", text, d)
		}
	}
}
