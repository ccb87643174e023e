package template

import (
	"slices"
	"strings"
	"testing"
)

// Each word of the release can be switched off, and is then reported where it stands, and nothing else is.
func TestEveryWordOfTheReleaseCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	texts := map[string]string{ // what is switched off stands at the start of a line
		"approve":                "steps:\n- run: {\n approve: {question: 'sure?'}}",
		"wait":                   "steps:\n- run: {\n wait: {for: 1s}}",
		"http":                   "steps:\n- run: {\n http: {url: 'https://a', headers: {A: '${env:B}'}}}",
		"mcp":                    "steps:\n- run: {\n mcp: {server: a, tool: b}}",
		"workflow":               "steps:\n- run: {\n workflow: a}",
		"session: own":           "steps:\n- run: {workflow: {name: a, session:\n own}}",
		"foreach":                "steps:\n- skill: a\n  concurrency: 2\n  intent: ${item}\n \n  foreach: 1..2",
		"concurrency":            "steps:\n- skill: a\n  foreach: 1..2\n \n  concurrency: 2",
		"join":                   "steps:\n- skill: a\n  foreach: 1..2\n \n  join: any",
		"quorum":                 "steps:\n- skill: a\n  foreach: 1..2\n \n  quorum: 0.5",
		"confirm":                "steps:\n- skill: a\n \n  confirm: true",
		"limit":                  "steps:\n- skill: a\n \n  limit: gpu",
		"limits.budget":          "steps: [{skill: a}]\nlimits: {\n budget: {usd: 1}}",
		"env":                    "steps: [{skill: a}]\n\nenv: {A: '${env:B}'}",
		"effects: at-most-once":  "steps:\n- skill: a\n  unknown: retry\n  effects:\n   at-most-once",
		"unknown":                "steps:\n- skill: a\n  effects: at-most-once\n \n  unknown: {probe: {exec: [a]}}",
		"compensate":             "steps:\n- skill: a\n \n  compensate: {exec: [a]}",
		"on_failure: compensate": "steps:\n- skill: a\n  compensate: {exec: [a]}\non_failure:\n compensate",
		"on_failure: STEP":       "steps:\n- {id: a, skill: a}\n- {id: b, skill: a}\non_failure:\n b",
	}
	for _, word := range slices.Concat(release.now, release.later) {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			text, ok := texts[word]
			if !ok {
				t.Fatal("no text says this word")
			}
			if _, faults := parse([]byte(text), Known{}, nil); len(faults) > 0 {
				t.Errorf("switched on:\n%v", faults)
			}
			got, faults := parse([]byte(text), Known{}, []string{word})
			last := strings.Count(text, "\n") + 1
			if got != nil || len(faults) != 1 || faults[0].Code != CodeNotYet || faults[0].Line != last {
				t.Errorf("switched off, want one fault in line %d:\n%v", last, faults)
			}
		})
	}
}

func TestKnownLimits(t *testing.T) {
	t.Parallel()
	text := []byte("steps:\n  - {skill: a, limit: gpu}\n")
	for _, known := range [][]string{nil, {"gpu"}} {
		if _, faults := parse(text, Known{Limits: known}, nil); len(faults) > 0 {
			t.Errorf("known are %v: %v", known, faults)
		}
	}
	for hint, known := range map[string][]string{
		"set its size in the configuration: limits: {gpu: 1}": {}, `did you mean "gpus"?`: {"gpus"}, "known are ocr": {"ocr"},
	} {
		_, faults := parse(text, Known{Limits: known}, nil)
		if len(faults) != 1 || faults[0].Hint != hint || faults[0].Code != CodeBadValue {
			t.Errorf("known are %v: %v", known, faults)
		}
	}
}
