package template

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// faultCase is a text and where its faults are.
type faultCase struct {
	name string
	text string
	want []string
}

var faultCases = []faultCase{
	// the text itself
	{"empty", "", []string{"1:1 no_steps"}},
	{"comment only", "# nothing\n", []string{"1:1 no_steps"}},
	{"an empty document", "---\n", []string{"1:1 no_steps"}},
	{"an empty step", "steps:\n  -\n", []string{"2:4 bad_type steps[0]"}},
	{"a text", "hello\n", []string{"1:1 bad_type"}},
	{"a list", "- a\n", []string{"1:1 bad_type"}},
	{"tab as indentation", "steps:\n  - skill: a\n\tintent: b\n", []string{"3:1 yaml"}},
	{"tab below a key", "name: a\n\tsteps: []\n", []string{"2:1 yaml"}},
	{"colon in a text", "name: a: b\nsteps: []\n", []string{"1:8 yaml"}},
	{"colon in a later text", "name: x\nsteps:\n  - skill: a\n    intent: find: all\n", []string{"4:17 yaml"}},
	{"open bracket", "name: x\nsteps: [{skill: a}\non_failure: stop\n", []string{"2:8 yaml"}},
	{"open quote", "name: \"x\nsteps: []\n", []string{"1:7 yaml"}},
	{"reserved character", "name: @x\n", []string{"1:7 yaml"}},
	{"wrong indentation", "steps:\n  - skill: a\n intent: b\n", []string{"3:2 yaml"}},
	{"unknown alias", "name: *x\n", []string{"1:7 yaml"}},
	{"anchor and alias", "name: &x a\ndescription: *x\nsteps: [{skill: a}]\n", []string{"1:7 yaml name", "2:14 yaml description"}},
	{"merge key", "steps:\n  - <<: {skill: a}\n", []string{"2:5 yaml steps[0]"}},
	{"foreign tag", "name: !ruby x\nsteps: [{skill: a}]\n", []string{"1:7 yaml name"}},
	{"list as a key", "? [a]\n: b\n", []string{"1:3 yaml"}},
	{"two documents", "steps: [{skill: a}]\n---\nsteps: [{skill: b}]\n", []string{"2:1 yaml"}},
	{"something after the document", "0\n:", []string{"2:1 yaml"}},
	{"control character", "name: x\ndescription: é\x01\n", []string{"2:15 yaml"}},
	{"not UTF-8", "name: x\nsteps: \xff\n", []string{"2:8 yaml"}},
	{"broken JSON", "{\"steps\": [\n  {\"skill\": \"a\"\n  {\"skill\": \"b\"}]}", []string{"3:3 yaml"}},
	{"too deep", "description: " + strings.Repeat("[", 70) + strings.Repeat("]", 70), []string{"1:77 too_large description" + strings.Repeat("[0]", 63)}},
	{"too deep JSON", `{"description": ` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "}", []string{"1:1 too_large"}},
	{"too large", "name: " + strings.Repeat("a", MaxBytes), []string{"1:1 too_large"}},
	{"too many steps", "steps: [" + strings.Repeat("{skill: a},", MaxSteps+1) + "]", []string{"1:8 too_large steps"}},
	{"duplicate key", "name: a\nsteps:\n  - skill: a\n    skill: b\nname: b\n", []string{"4:5 duplicate_key steps[0].skill", "5:1 duplicate_key name"}},

	// the header
	{"no steps", "name: a\n", []string{"1:1 no_steps steps"}},
	{"empty steps", "name: a\nsteps: []\n", []string{"2:8 no_steps steps"}},
	{"steps as a mapping", "steps: {a: 1}\n", []string{"1:8 bad_type steps"}},
	{"unknown fields", "nmae: x\nsteps:\n  - skill: a\n    intnet: b\n", []string{"1:1 unknown_field nmae", "4:5 unknown_field steps[0].intnet"}},
	{"bad order", "order: parallel\nsteps: [{skill: a}]\n", []string{"1:8 bad_value order"}},
	{"bad parallel", "limits: {parallel: 0}\nsteps: [{skill: a}]\n", []string{"1:20 bad_value limits.parallel"}},
	{"parallel as a text", "limits: {parallel: many}\nsteps: [{skill: a}]\n", []string{"1:20 bad_type limits.parallel"}},
	{"on_failure is nothing", "steps: [{skill: a}]\non_failure: b\n", []string{"2:13 bad_value on_failure"}},
	{"inputs as a list", "inputs: [a]\nsteps: [{skill: a}]\n", []string{"1:9 bad_type inputs"}},
	{"input without type", "inputs:\n  a: {required: true}\nsteps: [{skill: a}]\n", []string{"2:6 missing_field inputs.a"}},
	{"input of an unknown type", "inputs:\n  a: {type: text}\nsteps: [{skill: a}]\n", []string{"2:13 bad_value inputs.a.type"}},
	{"default of another type", "inputs:\n  a: {type: integer, default: 1.5}\nsteps: [{skill: a}]\n", []string{"2:31 bad_type inputs.a.default"}},
	{"bad name of an input", "inputs:\n  a.b: {type: string}\nsteps: [{skill: a}]\n", []string{"2:3 bad_value inputs.a.b"}},
	{"required as a text", "inputs:\n  a: {type: string, required: maybe}\nsteps: [{skill: a}]\n", []string{"2:31 bad_type inputs.a.required"}},

	// a step
	{"step is a text", "steps:\n  - a\n", []string{"2:5 bad_type steps[0]"}},
	{"empty step", "steps:\n  - {}\n", []string{"2:5 missing_field steps[0]"}},
	{"nothing to do", "steps:\n  - id: a\n", []string{"2:5 missing_field steps[0]"}},
	{"bad id", "steps:\n  - {id: a/b, skill: a}\n", []string{"2:10 bad_value steps[0].id"}},
	{"id with a dot", "steps:\n  - {id: a.b, skill: a}\n", []string{"2:10 bad_value steps[0].id"}},
	{"long id", "steps:\n  - {id: " + strings.Repeat("a", 65) + ", skill: a}\n", []string{"2:10 bad_value steps[0].id"}},
	{"empty id", "steps:\n  - {id: '', skill: a}\n", []string{"2:10 bad_value steps[0].id"}},
	{"skill is a list", "steps:\n  - {skill: [a]}\n", []string{"2:13 bad_type steps[0].skill"}},
	{"duplicate id", "steps:\n  - {id: a, skill: x}\n  - {id: a, skill: y}\n", []string{"3:10 duplicate_step steps[1].id"}},
	{"bad timeout", "steps:\n  - {skill: a, timeout: 10}\n", []string{"2:25 bad_duration steps[0].timeout"}},
	{"negative timeout", "steps:\n  - {skill: a, timeout: -1s}\n", []string{"2:25 bad_duration steps[0].timeout"}},
	{"timeout of centuries", "steps:\n  - {skill: a, timeout: 99999d}\n", []string{"2:25 bad_duration steps[0].timeout"}},
	{"timeout as a list", "steps:\n  - {skill: a, timeout: [1s]}\n", []string{"2:25 bad_type steps[0].timeout"}},
	{"retry without attempts", "steps:\n  - {skill: a, retry: {backoff: 1s}}\n", []string{"2:23 missing_field steps[0].retry"}},
	{"retry as a number", "steps:\n  - {skill: a, retry: 3}\n", []string{"2:23 bad_type steps[0].retry"}},
	{"no attempts", "steps:\n  - {skill: a, retry: {attempts: 0}}\n", []string{"2:34 bad_value steps[0].retry.attempts"}},
	{"half an attempt", "steps:\n  - {skill: a, retry: {attempts: 1.5}}\n", []string{"2:34 bad_type steps[0].retry.attempts"}},
	{"factor below one", "steps:\n  - {skill: a, retry: {attempts: 2, factor: .5}}\n", []string{"2:45 bad_value steps[0].retry.factor"}},
	{"factor not a number", "steps:\n  - {skill: a, retry: {attempts: 2, factor: .nan}}\n", []string{"2:45 bad_value steps[0].retry.factor"}},
	{"max below backoff", "steps:\n  - {skill: a, retry: {attempts: 2, backoff: 5s, max: 1s}}\n", []string{"2:55 bad_value steps[0].retry.max"}},
	{"bad jitter", "steps:\n  - {skill: a, retry: {attempts: 2, jitter: 1}}\n", []string{"2:45 bad_type steps[0].retry.jitter"}},
	{"bad exits", "steps:\n  - {skill: a, terminal_exits: [0, x, 256, 2]}\n",
		[]string{"2:33 bad_value steps[0].terminal_exits[0]", "2:36 bad_type steps[0].terminal_exits[1]", "2:39 bad_value steps[0].terminal_exits[2]"}},
	{"bad queue", "steps:\n  - {skill: a, queue: My Queue}\n", []string{"2:23 bad_value steps[0].queue"}},
	{"two queues", "steps:\n  - {run: {claim: {queue: a}}, queue: b}\n", []string{"2:39 bad_value steps[0].queue"}},
	{"bad effects", "steps:\n  - {skill: a, effects: once}\n", []string{"2:25 bad_value steps[0].effects"}},
	{"values as a list", "steps:\n  - {skill: a, inputs: [b]}\n", []string{"2:24 bad_type steps[0].inputs"}},
	{"an id that is a number too long", "steps:\n  - {skill: a, inputs: {id: 123456789012345678901234567890}}\n", []string{"2:29 bad_value steps[0].inputs.id"}},
	{"infinite number", "steps:\n  - {skill: a, inputs: {id: .inf}}\n", []string{"2:29 bad_value steps[0].inputs.id"}},
	{"output is a list", "steps:\n  - {skill: a, output: [b]}\n  - {skill: b, input: b}\n", []string{"2:24 bad_type steps[0].output"}},
	{"output is an input", "steps:\n  - {skill: a, output: inputs.b}\n", []string{"2:24 bad_value steps[0].output"}},

	// run
	{"exec is a text", "steps:\n  - run: {exec: ./a.sh b}\n", []string{"2:17 bad_type steps[0].run.exec"}},
	{"exec holds a list", "steps:\n  - run: {exec: [a, [b]]}\n", []string{"2:21 bad_type steps[0].run.exec[1]"}},
	{"exec holds nothing", "steps:\n  - run: {exec: [a, ]}\n  - run: {exec: []}\n", []string{"3:17 missing_field steps[1].run.exec"}},
	{"run is a text", "steps:\n  - run: ./a.sh\n", []string{"2:10 bad_type steps[0].run"}},
	{"run is exec alone", "steps:\n  - run: exec\n", []string{"2:10 bad_type steps[0].run"}},
	{"run is a list", "steps:\n  - run: [a]\n", []string{"2:10 bad_type steps[0].run"}},
	{"run is empty", "steps:\n  - run: {}\n", []string{"2:10 missing_field steps[0].run"}},
	{"unknown executor", "steps:\n  - run: {exce: [a]}\n", []string{"2:11 unknown_field steps[0].run.exce"}},
	{"two executors", "steps:\n  - run: {exec: [a], claim: {}}\n", []string{"2:10 bad_value steps[0].run"}},
	{"unknown field of claim", "steps:\n  - run: {claim: {qeue: a}}\n", []string{"2:19 unknown_field steps[0].run.claim.qeue"}},
	{"bad queue of claim", "steps:\n  - run: {claim: {queue: A}}\n", []string{"2:26 bad_value steps[0].run.claim.queue"}},
	{"builtin without a name", "steps:\n  - run: {builtin: {a: b}}\n", []string{"2:20 missing_field steps[0].run.builtin"}},
	{"unknown builtin", "steps:\n  - run: {builtin: {name: ruote}}\n", []string{"2:27 bad_value steps[0].run.builtin.name"}},
	{"agent is a list", "steps:\n  - run: {agent: [a]}\n", []string{"2:18 bad_type steps[0].run.agent"}},

	// expressions
	{"bad condition", "steps:\n  - skill: a\n    when: 1 +\n", []string{"3:11 bad_expression steps[0].when"}},
	{"condition that is no condition", "steps:\n  - skill: a\n    when: len('abc')\n", []string{"3:11 bad_expression steps[0].when"}},
	{"empty condition", "steps:\n  - skill: a\n    when: ''\n", []string{"3:11 bad_expression steps[0].when"}},
	{"unknown name", "steps:\n  - skill: a\n    intent: x ${topic}\n", []string{"3:13 bad_expression steps[0].intent"}},
	{"unknown input", "inputs: {topic: {type: string}}\nsteps:\n  - skill: a\n    intent: x ${inputs.topik}\n", []string{"4:13 bad_expression steps[0].intent"}},
	{"not closed", "steps:\n  - skill: a\n    inputs: {a: {b: [x, '${inputs.']}}\n", []string{"3:25 bad_expression steps[0].inputs.a.b[1]"}},
	{"a shell's variable", "steps:\n  - run: {exec: [sh, -c, 'echo ${HOME}']}\n", []string{"2:26 bad_expression steps[0].run.exec[2]"}},
	{"clock", "steps:\n  - {skill: a, when: now().Year() > 2000}\n", []string{"2:22 bad_expression steps[0].when"}},
	{"computed key", "inputs: {k: {type: string}}\nsteps:\n  - {skill: a, when: 'ctx[inputs.k] == 1'}\n", []string{"3:22 bad_expression steps[0].when"}},
	{"whole context", "steps:\n  - {skill: a, when: 'len(ctx) == 1'}\n", []string{"2:22 bad_expression steps[0].when"}},
	{"whole environment", "steps:\n  - {skill: a, when: '$env.ctx.a == 1'}\n", []string{"2:22 bad_expression steps[0].when"}},

	// steps together
	{"a need by the key that a step writes", "order: dataflow\nsteps:\n  - {id: a, skill: a, output: x.y}\n  - {id: b, skill: b, needs: [x.y]}\n", nil},
	{"a need by a key that two write", "steps:\n  - {id: a, skill: a, output: x}\n  - {id: c, skill: a, output: x}\n  - {id: b, skill: b, needs: [x]}\n", []string{"4:31 unknown_step steps[2].needs[0]"}},
	{"unknown need", "steps:\n  - {id: a, skill: a}\n  - id: b\n    skill: b\n    needs: [a, c]\n", []string{"5:16 unknown_step steps[1].needs[1]"}},
	{"needs a mapping", "steps:\n  - {id: a, skill: a, needs: {a: 1}}\n", []string{"2:30 bad_type steps[0].needs"}},
	{"needs itself", "steps:\n  - {id: a, skill: a, needs: [a]}\n", []string{"2:30 cycle steps[0].needs"}},
	{"cycle", "order: dataflow\nsteps:\n  - {id: a, skill: a}\n  - {id: b, skill: b, needs: [d, a]}\n  - {id: c, skill: c, needs: [b]}\n  - {id: d, skill: d, needs: [c]}\n  - {id: e, skill: e, needs: [d]}\n",
		[]string{"4:30 cycle steps[1].needs"}},
	{"two cycles", "order: dataflow\nsteps:\n  - {id: a, skill: a, needs: b}\n  - {id: b, skill: b, needs: a}\n  - {id: c, skill: c, needs: [b, d]}\n  - {id: d, skill: d, needs: c}\n",
		[]string{"3:30 cycle steps[0].needs", "5:30 cycle steps[2].needs"}},
	{"cycle through data", "order: dataflow\nsteps:\n  - {id: a, skill: a, input: y, output: x}\n  - {id: b, skill: b, input: x, output: y}\n", []string{"3:5 cycle steps[0]"}},
	{"cycle in a sequence", "steps:\n  - {id: a, skill: a, needs: [c]}\n  - {id: b, skill: b}\n  - {id: c, skill: c}\n", []string{"2:30 cycle steps[0].needs"}},
	{"two writers at once", "order: dataflow\nsteps:\n  - {id: a, skill: a, output: x}\n  - {id: b, skill: b, output: x}\n", []string{"4:31 two_writers steps[1].output"}},
	{"two writers in line", "order: dataflow\nsteps:\n  - {id: a, skill: a, output: x}\n  - {id: m, skill: m, needs: a}\n  - {id: b, skill: b, output: x, needs: m}\n", nil},
	{"two writers, the second revises", "order: dataflow\nsteps:\n  - {id: b, skill: b, input: x, output: x}\n  - {id: a, skill: a, output: x}\n", nil},
	{"two revisers", "order: dataflow\nsteps:\n  - {id: a, skill: a, output: x}\n  - {id: b, skill: b, input: x, output: x}\n  - {id: c, skill: c, input: x, output: x, needs: b}\n  - {id: d, skill: d, input: x}\n", nil},
	{"two writers in a sequence", "steps:\n  - {id: a, skill: a, output: x}\n  - {id: b, skill: b, output: x}\n", nil},
	{"two writers beside each other", "steps:\n  - {id: a, skill: a}\n  - {id: b, skill: b, output: x, needs: a}\n  - {id: c, skill: c, output: x, needs: a}\n  - {id: d, skill: d, output: x, needs: [b, c]}\n",
		[]string{"4:31 two_writers steps[2].output"}},
	{"no writer", "steps:\n  - {skill: a, output: research.raw}\n  - skill: b\n    input: [research.raw, reserch.raw]\n", []string{"4:27 no_writer steps[1].input[1]"}},
	{"no such input", "inputs: {topic: {type: string}}\nsteps:\n  - {skill: a, input: inputs.topik}\n", []string{"3:23 no_writer steps[0].input"}},
	{"no writer of a mention", "steps:\n  - {skill: a, when: \"ctx['x'] == 1\"}\n", []string{"2:22 no_writer steps[0].when"}},
	{"mention that copes", "steps:\n  - {skill: a, when: \"(ctx['x'] ?? 1) == 1 and not ('y' in ctx) and ctx?.z?.a ?? true\"}\n", nil},
	{"writer comes later", "steps:\n  - {id: a, skill: a, input: x}\n  - {id: b, skill: b, output: x}\n", []string{"2:30 writer_not_before steps[0].input"}},
	{"writer is beside", "steps:\n  - {id: a, skill: a, output: x}\n  - {id: b, skill: b, input: x, needs: []}\n", []string{"3:30 writer_not_before steps[1].input"}},
	{"writer is itself", "order: dataflow\nsteps:\n  - {id: a, skill: a, input: x, output: x}\n", []string{"3:30 writer_not_before steps[0].input"}},
	{"writer far before", "steps:\n  - {id: a, skill: a, output: x}\n  - {id: b, skill: b, needs: a}\n  - {id: c, skill: c}\n  - {id: d, skill: d, input: x}\n", nil},
	{"no false alarm after an unknown need", "order: dataflow\nsteps:\n  - {id: a, skill: a, output: x}\n  - {id: b, skill: b, output: x, needs: aa}\n", []string{"4:41 unknown_step steps[1].needs"}},
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(faultCases, executorFaults, flowFaults, sandboxFaults) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, faults := parse([]byte(c.text), Known{Builtins: []string{"route"}, Limits: []string{"gpu", "ocr"}}, nil)
			if (got == nil) != (len(c.want) > 0) {
				t.Errorf("template is %v with faults %v", got, faults)
			}
			if diff := cmp.Diff(append([]string{}, c.want...), where(faults)); diff != "" {
				t.Errorf("(-want +got)\n%s\n%v", diff, faults)
			}
		})
	}
}

func TestMessagesAndHints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"steps:\n  - skill: a\n    intnet: b\n", `3:5: unknown_field: steps[0].intnet: a step has no field "intnet" (did you mean "intent"?)`},
		{"order: dataflow\nsteps:\n  - {id: a, skill: a, needs: b}\n  - {id: b, skill: b, needs: c}\n  - {id: c, skill: c, needs: a}\n",
			`3:30: cycle: steps[0].needs: steps wait for each other, each for the next: a → b → c → a (take out one of these needs)`},
		{"order: dataflow\nsteps:\n  - {id: a, skill: a, output: x}\n  - {id: b, skill: b, output: x}\n",
			`4:31: two_writers: steps[1].output: "x" is also written by step a (line 3), and the two may run at once (write needs: [a], or another key)`},
		{"steps:\n  - {skill: a, output: research.raw}\n  - {skill: b, when: ctx.research.raw == 1}\n",
			`3:22: no_writer: steps[1].when: "research" is read, but no step writes it and no input is called so ("research.raw" is one key: write ctx['research.raw'])`},
		{"steps:\n  - run: {exec: [sh, -c, 'echo ${HOME}']}\n",
			`2:26: bad_expression: steps[0].run.exec[2]: expression: unknown name HOME at character 1 of the expression in "HOME" (an expression reads inputs, ctx['key'], item and index; for a literal ${ write $${)`},
		{"steps:\n  - {skill: a, timeout: 10}\n",
			`2:25: bad_duration: steps[0].timeout: "10" is no duration (write 500ms, 10s, 5m, 2h, 1d or 1h30m)`},
		{"steps:\n  - {skill: a, wait: {for: 1s}}\n", `2:16: unknown_field: steps[0].wait: a step has no field "wait" (write run: {wait: ...})`},
		{"steps:\n  - {run: approve, timeout: 1h}\n",
			`2:29: contradiction: steps[0].timeout: timeout says nothing in a step with run: approve (write expires in approve)`},
		{"steps:\n  - run: {exec: [a, '${env:KEY}']}\n",
			`2:21: bad_expression: steps[0].run.exec[1]: a reference like ${env:…} may not stand here (references stand in env: and in the headers of http; name a variable there)`},
		{"steps:\n  - {skill: a, foreach: 1..2, when: item > 1}\n",
			`2:37: bad_expression: steps[0].when: item is not there (write foreach: in the step; when and foreach themselves come before the items)`},
		{"env: {A: \"${ctx['x']}\"}\nsteps: [{skill: a, output: x}]\n",
			`1:10: bad_expression: env.A: the template's env is for all steps, so it cannot read ctx['x'] (write it in the env of the steps that come later)`},
		{"steps:\n  - run: {builtin: ruote}\n", `2:20: bad_value: steps[0].run.builtin: there is no builtin "ruote" (did you mean "route"?)`},
		{"steps:\n  - {skill: a, when: now() > 1}\n",
			`2:22: bad_expression: steps[0].when: expression: unknown name now at character 1 of the expression in "now() > 1" (an expression must give the same answer in every replay; now is left out for that)`},
	} {
		_, faults := parse([]byte(c.text), Known{Builtins: []string{"route"}}, nil)
		if diff := cmp.Diff(c.want, faults.Error()); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", c.text, diff)
		}
	}
}

func TestKnownExecutors(t *testing.T) {
	t.Parallel()
	text := []byte("steps:\n  - run: claim\n")
	if _, faults := parse(text, Known{Executors: []string{Exec, Claim}}, nil); len(faults) > 0 {
		t.Errorf("claim is known: %v", faults)
	}
	_, faults := parse(text, Known{Executors: []string{Exec}}, nil)
	if diff := cmp.Diff([]string{"2:10 bad_value steps[0].run"}, where(faults)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEveryFaultIsReportedAtOnceInOrder(t *testing.T) {
	t.Parallel()
	_, faults := parse([]byte("order: x\nsteps:\n  - {id: a, needs: [z], timeout: 1}\n  - {skill: b, run: 7}\nlimits: {parallel: -1}\n"), Known{}, nil)
	want := []string{"1:8 bad_value order", "3:21 unknown_step steps[0].needs[0]", "3:34 bad_duration steps[0].timeout",
		"4:21 bad_type steps[1].run", "5:20 bad_value limits.parallel"}
	if diff := cmp.Diff(want, where(faults)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := strings.Count(faults.Error(), "\n"); n != len(want)-1 {
		t.Errorf("%d line breaks in %s", n, fmt.Sprint(faults))
	}
}
