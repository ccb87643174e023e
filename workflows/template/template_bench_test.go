package template

import (
	"fmt"
	"strings"
	"testing"
)

// large are templates of MaxSteps steps, each hard in its own way.
func large() map[string]string {
	build := func(head string, step func(i int) string) string {
		var b strings.Builder
		b.WriteString(head + "steps:\n")
		for i := range MaxSteps {
			b.WriteString("- {" + step(i) + "}\n")
		}
		return b.String()
	}
	const dataflow = "order: dataflow\n"
	return map[string]string{
		"chain": build("", func(i int) string {
			if i == 0 {
				return "skill: a, output: k0"
			}
			return fmt.Sprintf("skill: a, intent: do it, input: k%d, output: k%d", i-1, i)
		}),
		"one key": build("", func(i int) string { return "skill: a, output: k" }),
		"dataflow": build(dataflow, func(i int) string {
			if i < 100 {
				return fmt.Sprintf("skill: a, output: k%d", i)
			}
			return fmt.Sprintf("skill: a, input: k%d, output: k%d", i-100, i)
		}),
		"one key in line": build(dataflow, func(i int) string {
			if i == 0 {
				return "id: s0, skill: a, output: k"
			}
			return fmt.Sprintf("id: s%d, skill: a, output: k, needs: s%d", i, i-1)
		}),
		"far readers": build("", func(i int) string {
			if i < MaxSteps/2 {
				return fmt.Sprintf("skill: a, output: k%d", i)
			}
			need := fmt.Sprintf("r%d", i-1)
			if i == MaxSteps/2 {
				need = fmt.Sprintf("a-%d", i)
			}
			return fmt.Sprintf("id: r%d, needs: %s, skill: a, input: k%d", i, need, i-MaxSteps/2)
		}),
		"all at once": build(dataflow, func(i int) string { return "skill: a, output: k" }),
		"revisers":    build(dataflow, func(i int) string { return "skill: a, input: k, output: k" }),
		"unknown":     build("", func(i int) string { return fmt.Sprintf("id: s%d, skill: a, needs: x%d", i, i) }),
		"one cycle":   build(dataflow, func(i int) string { return fmt.Sprintf("id: s%d, skill: a, needs: s%d", i, (i+1)%MaxSteps) }),
		"expressions": build("", func(i int) string { return fmt.Sprintf(`skill: a, when: "1 < %d", intent: "x${%d}"`, i, i) }),
		"foreach": build(dataflow+"env: {A: \"${env:B}\"}\n", func(i int) string {
			return fmt.Sprintf(`skill: a, foreach: 1..%d, env: {B: "${item}"}, join: any, limit: x, output: k%d`, i+1, i)
		}),
		"undone": build(dataflow, func(i int) string {
			return fmt.Sprintf(`skill: a, effects: at-most-once, output: k%d, compensate: {exec: [b, "${ctx.k%d}"]}`, i, i)
		}),
		"after a failure": build("on_failure: a\n", func(i int) string { return fmt.Sprintf("skill: a, input: k%d, output: k%d", i, i) }),
		"common texts":    build("inputs: {n: {type: string}}\n", func(i int) string { return `skill: a, when: "inputs.n == 'x'", intent: "on ${inputs.n}"` }),
	}
}

func BenchmarkParse(b *testing.B) {
	for name, text := range large() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Parse([]byte(text), Known{})
			}
		})
	}
}

func BenchmarkHolds(b *testing.B) {
	template, faults := Parse([]byte("steps: [{skill: a, output: x}, {skill: b, when: \"len(ctx['x']) > 0\"}]"), Known{})
	if len(faults) > 0 {
		b.Fatal(faults)
	}
	env := Env{Ctx: map[string]any{"x": []any{1}}}
	for b.Loop() {
		if holds, err := template.Steps[1].Holds(env); !holds || err != nil {
			b.Fatal(holds, err)
		}
	}
}
