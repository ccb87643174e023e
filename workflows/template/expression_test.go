package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// world is what the expressions of these tests see.
func world(t testing.TB) Env {
	t.Helper()
	ctx := map[string]any{}
	for key, raw := range map[string]string{
		"research.vor": `{"papers": [{"t": "a", "n": 1}, {"t": "b", "n": 2.5}], "id": 9007199254740993}`,
		"empty":        `[]`, "null": `null`, "text": `"日本 <b> \"q\""`, "yes": `true`,
		"map": `{"b": 2, "a": 1, "c": {"z": 1, "y": 2}}`,
	} {
		v, err := Value(json.RawMessage(raw))
		if err != nil {
			t.Fatal(err)
		}
		ctx[key] = v
	}
	return Env{Inputs: map[string]any{"topic": "ai", "n": 3}, Ctx: ctx, Item: map[string]any{"k": "v"}, Index: 2}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"plain":                      "plain",
		"${inputs.n}":                3,
		"${inputs.n} ":               "3 ",
		"about ${inputs.topic}!":     "about ai!",
		"${inputs.topic}${inputs.n}": "ai3",
		"${ctx['research.vor'].id}":  9007199254740993,
		"x${ctx['research.vor'].id}": "x9007199254740993",
		"${ctx.map}":                 map[string]any{"a": 1, "b": 2, "c": map[string]any{"y": 2, "z": 1}},
		"m=${ctx.map}":               `m={"a":1,"b":2,"c":{"y":2,"z":1}}`,
		"t=${[ctx.text]}":            `t=["日本 <b> \"q\""]`,
		"${ctx['research.vor'].papers | map(.n) | sum()}": 3.5,
		"${ctx.gone}":                               nil,
		"x${ctx.gone}":                              "xnull",
		"${ctx?.gone?.x ?? 'none'}":                 "none",
		"$${inputs.n}":                              "${inputs.n}",
		"a$${x} ${inputs.n} $${y":                   "a${x} 3 ${y",
		"$$${inputs.n}":                             "$${inputs.n}",
		"$5 {x}":                                    "$5 {x}",
		"${ {'a': {'b': 1}}.a.b }":                  1,
		"${'}' + \"}\" + `}`}":                      "}}}",
		"${'it\\'s }'}":                             "it's }",
		"${item.k}":                                 "v",
		"${index + 1}":                              3,
		"${keys(ctx.map)}":                          []any{"a", "b", "c"},
		"${values(ctx.map.c)}":                      []any{2, 1},
		"${toPairs(ctx.map.c)}":                     []any{[]any{"y", 2}, []any{"z", 1}},
		"${join([1, 'b', true], '-')}":              "1-b-true",
		"${replace('aXbX', 'X', '--')}":             "a--b--",
		"${groupBy(1..4, # % 2)}":                   map[string]any{"0": []any{2, 4}, "1": []any{1, 3}},
		"${'text' in ctx}":                          true,
		"${2 in [1, 2]}":                            true,
		"${inputs.topic matches '^a'}":              true,
		"${'a' + 'b' == 'ab'}":                      true,
		"${let x = 2; x * x}":                       4,
		"${if inputs.n > 2 {'big'} else {'small'}}": "big",
	} {
		got, err := expand(text, nil, world(t))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
	deep, err := expand(map[string]any{"a": []any{"${inputs.n}", 1, nil, map[string]any{"b": "${inputs.topic}s"}}}, nil, world(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"a": []any{3, 1, nil, map[string]any{"b": "ais"}}}, deep); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestExpandFails(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"${":                                     "not closed",
		"x ${inputs.n":                           "not closed",
		"${}":                                    "empty",
		"${nope}":                                "unknown name nope",
		"${ctx.gone.x}":                          "cannot fetch x from <nil>",
		"${len(ctx.gone)}":                       "invalid argument for len",
		"${1/0}":                                 "no number that JSON can hold",
		"${timezone('UTC')}":                     "unknown name timezone",
		"${env:HOME}":                            "a reference like ${env:HOME} may not stand here",
		"x ${file:a'b}":                          "a reference like ${file:a'b} may not stand here",
		"${date('2024-01-01')}":                  "unknown name date",
		"${duration('1s')}":                      "unknown name duration",
		"${keys(1)}":                             "a mapping is needed",
		"${join(ctx.map, ',')}":                  "a list is needed",
		"${filter(1..3, 'x')}":                   "predicate should return boolean",
		"${'a' + 1}":                             "invalid operation",
		"${ctx[inputs.topic]}":                   "other than by a key",
		"${let c = ctx; c.a}":                    "other than by a key",
		"${map(['a'], ctx[#])}":                  "other than by a key",
		"${" + strings.Repeat("1+", 5000) + "1}": "at most 8192",
	} {
		got, err := expand(text, nil, world(t))
		if !errors.Is(err, ErrExpression) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: got %v, %v; want an error with %q", short(text), got, err, want)
		}
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{
		"len(ctx['research.vor'].papers) > 0": "true",
		"len(ctx['empty']) > 0":               "false",
		"ctx['gone'] == nil":                  "true",
		"ctx['null'] == nil":                  "true",
		"ctx.yes":                             "true",
		"not ctx.yes and inputs.n > 100":      "false",
		"inputs.topic":                        "neither true nor false",
		"ctx.gone":                            "neither true nor false",
		"len(ctx.gone) > 0":                   "invalid argument for len",
		"ctx.gone > 3":                        "invalid operation",
		"any(ctx['research.vor'].papers, .n > 2 and .t == 'b')": "true",
	} {
		s := Step{When: when}
		holds, err := s.Holds(world(t))
		got := fmt.Sprint(holds)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || err != nil != (want != "true" && want != "false") {
			t.Errorf("%s: got %s, want %s", when, got, want)
		}
	}
	if holds, err := (&Step{}).Holds(Env{}); !holds || err != nil {
		t.Errorf("a step without a condition: %v, %v", holds, err)
	}
}

// What would take for ever, or all memory, ends with an error instead.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	env := world(t)
	list := make([]any, 200_000)
	for i := range list {
		list[i] = i
	}
	env.Ctx["list"], env.Ctx["long"] = list, strings.Repeat("x", 4<<20)
	for _, source := range []string{
		"count(1..1000, count(1..1000, count(1..1000, true) > 0) > 0)",
		"count(ctx.list, # in ctx.list)",
		"len(uniq(ctx.list))",
		"reduce(1..60, #acc + #acc, 'x')",
		"reduce(1..60, [#acc, #acc], 'x')",
		"reduce(1..60, {'a': #acc, 'b': #acc}, 'x')",
		"toJSON(reduce(1..60, [#acc, #acc], 'x'))",
		"string(reduce(1..60, [#acc, #acc], 'x'))",
		"flatten(reduce(1..60, [#acc, #acc], [1]))",
		"let a = reduce(1..60, [#acc, #acc], 'x'); let b = reduce(1..60, [#acc, #acc], 'x'); a == b",
		"reduce(1..60, concat(#acc, #acc), [1])",
		"replace(ctx.long, '', ctx.long)",
		"reduce(1..20, replace(#acc, 'x', 'xxxxxxxxxx'), 'x')",
		"join(map(1..100000, ctx.long), ctx.long)",
		"reduce(1..100000, [#acc], [])",
		"count(1..100000, ctx.long contains 'yy')",
		"count(1..100000, ctx.long matches 'y+z')",
		"count(1..100000, sum(ctx.list) > 0)",
		"len(0..100000000)",
	} {
		got, err := expand("${"+source+"}", nil, env)
		if !errors.Is(err, ErrExpression) {
			t.Errorf("%s: got %.40v, %v", source, got, err)
		}
	}
	for _, source := range []string{"len(ctx.list) + len(ctx.long)", "ctx.list[-1]", "'list' in ctx", "sum(ctx.list)", "count(ctx.list, # > 5)", "ctx.long != 'x'"} {
		if _, err := expand("${"+source+"}", nil, env); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	got := parsed(t, `
order: dataflow
steps:
  - {id: a, skill: a, output: a.b}
  - {id: c, skill: c, output: c}
  - {id: d, skill: d, output: d}
  - {id: e, skill: e, output: e}
  - id: z
    when: "get(ctx, 'c') != nil && ctx['a.b'].x[0] == 1"
    run: {exec: [x, "${ctx.d ?? 1}"]}
    inputs: {v: {w: ["${ctx?.e?.f}"]}}
    intent: "${let c = 'no'; ctx['a.b']}"
`)
	z, _ := got.Step("z")
	if diff := cmp.Diff([]string{"a.b", "c", "d", "e"}, z.Mentions); diff != "" {
		t.Errorf("mentions (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3}, z.Needs); diff != "" {
		t.Errorf("needs (-want +got)\n%s", diff)
	}
}

func TestAStepIsFilledIn(t *testing.T) {
	t.Parallel()
	got := parsed(t, `
inputs: {topic: {type: string}, n: {type: integer}}
steps:
  - id: a
    intent: "find ${inputs.n} on ${inputs.topic}, $${really}"
    inputs: {q: "${inputs.topic}", n: "${inputs.n}", raw: {x: [1, "<${inputs.n}>"]}}
    run: {exec: [./a.sh, "${inputs.n}", "-t=${inputs.topic}", "${ {'b': [1]} }", "${nil}"]}
  - {skill: b}
`)
	env := world(t)
	a := &got.Steps[0]
	goal, err := a.Goal(env)
	if want := "find 3 on ai, ${really}"; goal != want || err != nil {
		t.Errorf("goal %q, %v; want %q", goal, err, want)
	}
	values, err := a.Values(env)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]json.RawMessage{"q": json.RawMessage(`"ai"`), "n": json.RawMessage(`3`), "raw": json.RawMessage(`{"x":[1,"<3>"]}`)}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("values (-want +got)\n%s", diff)
	}
	run, err := a.Execute(env)
	if want := `{"exec":["./a.sh","3","-t=ai","{\"b\":[1]}","null"]}`; string(run) != want || err != nil {
		t.Errorf("run %s, %v; want %s", run, err, want)
	}
	if run, err := got.Steps[1].Execute(env); run != nil || err != nil {
		t.Errorf("a step without run: %s, %v", run, err)
	}
}

func TestEvaluatingFromManyGoroutines(t *testing.T) {
	t.Parallel()
	got := parsed(t, "inputs: {n: {type: integer}}\nsteps:\n  - {skill: a, when: 'count(1..inputs.n, # % 2 == 0) == 1', intent: 'x${inputs.n}'}\n")
	env := world(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				holds, err := got.Steps[0].Holds(env)
				goal, err2 := got.Steps[0].Goal(env)
				if !holds || goal != "x3" || err != nil || err2 != nil {
					t.Errorf("%v %q %v %v", holds, goal, err, err2)
				}
			}
		})
	}
	group.Wait()
}

func TestValue(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]any{`1`: 1, `-0`: 0, `1.0`: 1.0, `1e2`: 100.0, `"a"`: "a", `null`: nil, `[1,{"a":2}]`: []any{1, map[string]any{"a": 2}}, `18446744073709551616`: 18446744073709551616.0} {
		got, err := Value(json.RawMessage(raw))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", raw, err, diff)
		}
	}
	for _, raw := range []string{``, `{`, `1e999`, `[1e999]`} {
		if got, err := Value(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: got %v", raw, got)
		}
	}
}
