package template

// step puts fields into a step that runs a skill; they begin in line 2, column 16.
func step(fields string) string { return "steps:\n  - {skill: a, " + fields + "}\n" }

// flowFaults are faults in when, how often and after what a step runs.
var flowFaults = []faultCase{
	// foreach
	{"foreach is a list", step("foreach: [a]"), []string{"2:25 bad_type steps[0].foreach"}},
	{"foreach is no expression", step("foreach: '1 +'"), []string{"2:25 bad_expression steps[0].foreach"}},
	{"foreach gives a number", step("foreach: len('abc')"), []string{"2:25 bad_expression steps[0].foreach"}},
	{"foreach is a text with an expression", step("foreach: '${1..2} and'"), []string{"2:25 bad_expression steps[0].foreach"}},
	{"foreach is not closed", step("foreach: '${1..2'"), []string{"2:25 bad_expression steps[0].foreach"}},
	{"foreach is empty text", step("foreach: ''"), []string{"2:25 bad_expression steps[0].foreach"}},
	{"foreach reads what nobody writes", step(`foreach: "ctx['x'].list"`), []string{"2:25 no_writer steps[0].foreach"}},
	{"foreach reads too early", "steps:\n  - {id: a, skill: a, foreach: \"ctx['x']\"}\n  - {id: b, skill: b, output: x}\n", []string{"2:32 writer_not_before steps[0].foreach"}},
	{"foreach through itself", step("foreach: item.list"), []string{"2:25 bad_expression steps[0].foreach"}},
	{"item without foreach", step("intent: '${item.a}'"), []string{"2:24 bad_expression steps[0].intent"}},
	{"index without foreach", step("inputs: {n: '${index}'}"), []string{"2:28 bad_expression steps[0].inputs.n"}},
	{"item in a condition", step("foreach: 1..2, when: item > 1"), []string{"2:37 bad_expression steps[0].when"}},
	{"no concurrency", step("foreach: 1..2, concurrency: 0"), []string{"2:44 bad_value steps[0].concurrency"}},
	{"concurrency is a text", step("foreach: 1..2, concurrency: many"), []string{"2:44 bad_type steps[0].concurrency"}},
	{"fields that belong to foreach", step("concurrency: 2, join: any, quorum: 0.5"),
		[]string{"2:29 contradiction steps[0].concurrency", "2:38 contradiction steps[0].join", "2:51 contradiction steps[0].quorum"}},
	{"unknown join", step("foreach: 1..2, join: most"), []string{"2:37 bad_value steps[0].join"}},
	{"join is a list", step("foreach: 1..2, join: [any]"), []string{"2:37 bad_type steps[0].join"}},
	{"unknown field of join", step("foreach: 1..2, join: {qorum: 1}"), []string{"2:38 unknown_field steps[0].join.qorum"}},
	{"join of no field", step("foreach: 1..2, join: {}"), []string{"2:37 missing_field steps[0].join"}},
	{"quorum without a share", step("foreach: 1..2, join: quorum"), []string{"2:37 missing_field steps[0].join"}},
	{"quorum of nothing", step("foreach: 1..2, join: {quorum: 0}"), []string{"2:46 bad_value steps[0].join.quorum"}},
	{"quorum of more than all", step("foreach: 1..2, join: 'quorum: 1.5'"), []string{"2:37 bad_value steps[0].join"}},
	{"quorum is a text", step("foreach: 1..2, quorum: half"), []string{"2:39 bad_type steps[0].quorum"}},
	{"join and quorum", step("foreach: 1..2, join: any, quorum: 0.5"), []string{"2:50 contradiction steps[0].quorum"}},
	{"join: quorum and quorum", step("foreach: 1..2, join: quorum, quorum: 0.5"), nil},

	// confirm
	{"confirm is a text", step("confirm: sure"), []string{"2:25 bad_type steps[0].confirm"}},
	{"confirm is false", step("confirm: false"), nil},
	{"unknown field of confirm", step("confirm: {ask: a}"), []string{"2:26 unknown_field steps[0].confirm.ask"}},
	{"confirm names nothing", step("confirm: {question: '${a}'}"), []string{"2:36 bad_expression steps[0].confirm.question"}},
	{"confirm expires badly", step("confirm: {expires: 1}"), []string{"2:35 bad_duration steps[0].confirm.expires"}},

	// effects
	{"unknown without at-most-once", step("unknown: ask"), []string{"2:25 contradiction steps[0].unknown"}},
	{"unknown of at-least-once", step("effects: at-least-once, unknown: ask"), []string{"2:49 contradiction steps[0].unknown"}},
	{"unknown of bad effects", step("effects: once, unknown: ask"), []string{"2:25 bad_value steps[0].effects"}},
	{"unknown is another word", step("effects: at-most-once, unknown: skip"), []string{"2:48 bad_value steps[0].unknown"}},
	{"unknown is probe alone", step("effects: at-most-once, unknown: probe"), []string{"2:48 missing_field steps[0].unknown"}},
	{"unknown is an empty mapping", step("effects: at-most-once, unknown: {}"), []string{"2:48 missing_field steps[0].unknown"}},
	{"unknown field of unknown", step("effects: at-most-once, unknown: {prob: a}"), []string{"2:49 unknown_field steps[0].unknown.prob"}},
	{"probe is a list", step("effects: at-most-once, unknown: {probe: [a]}"), []string{"2:56 bad_type steps[0].unknown.probe"}},
	{"probe of another executor", step("effects: at-most-once, unknown: {probe: {agent: a}}"), []string{"2:57 unknown_field steps[0].unknown.probe.agent"}},
	{"probe without a program", step("effects: at-most-once, unknown: {probe: {exec: []}}"), []string{"2:63 missing_field steps[0].unknown.probe.exec"}},
	{"probe reads what nobody writes", step("effects: at-most-once, unknown: {probe: {exec: [a, '${ctx.x}']}}"), []string{"2:67 no_writer steps[0].unknown.probe.exec[1]"}},

	// compensate
	{"compensate is a text", step("compensate: ./undo.sh"), []string{"2:28 bad_type steps[0].compensate"}},
	{"compensate is a person", step("compensate: {claim: {}}"), []string{"2:29 unknown_field steps[0].compensate.claim"}},
	{"compensate is an approval", step("compensate: {approve: {}}"), []string{"2:29 unknown_field steps[0].compensate.approve"}},
	{"compensate is nothing", step("compensate: {}"), []string{"2:28 missing_field steps[0].compensate"}},
	{"compensate by two", step("compensate: {exec: [a], agent: b}"), []string{"2:28 bad_value steps[0].compensate"}},
	{"compensate names nothing", step("compensate: {exec: [a, '${b}']}"), []string{"2:39 bad_expression steps[0].compensate.exec[1]"}},
	{"compensate reads what nobody writes", step("compensate: {exec: [a, '${ctx.x}']}"), []string{"2:39 no_writer steps[0].compensate.exec[1]"}},
	{"compensate reads what the step writes", step("output: x, compensate: {exec: [a, '${ctx.x}']}"), nil},
	{"compensate reads what a later step writes", "steps:\n  - {skill: a, compensate: {exec: [a, '${ctx.x}']}}\n  - {skill: b, output: x}\n",
		[]string{"2:39 writer_not_before steps[0].compensate.exec[1]"}},

	// on_failure
	{"on_failure of a step", step("on_failure: continue"), []string{"2:16 unknown_field steps[0].on_failure"}},
	{"on_failure is the only step", "steps: [{id: a, skill: a}]\non_failure: a\n", []string{"2:13 contradiction on_failure"}},
	{"on_failure compensates nothing", "steps: [{skill: a}]\non_failure: compensate\n", []string{"2:13 contradiction on_failure"}},
	{"on_failure compensates a child", "steps: [{run: {workflow: a}}]\non_failure: compensate\n", nil},
	{"on_failure is a step with needs", "steps:\n  - {id: a, skill: a}\n  - {id: b, skill: b, needs: [a]}\non_failure: b\n", []string{"3:30 contradiction steps[1].needs"}},
	{"on_failure is a step that is needed", "order: dataflow\nsteps:\n  - {id: a, skill: a, needs: [b], output: x}\n  - {id: c, skill: c, output: x}\n  - {id: b, skill: b}\non_failure: b\n",
		[]string{"3:31 contradiction steps[0].needs[0]"}},
	{"on_failure reads what may be there", "steps:\n  - {id: a, skill: a, input: x}\n  - {id: b, skill: b, output: x}\non_failure: a\n", nil},
	{"on_failure reads what nobody writes", "steps:\n  - {id: a, skill: a, input: x}\n  - {id: b, skill: b}\non_failure: a\n", []string{"2:30 no_writer steps[0].input"}},
	{"on_failure writes what others read", "steps:\n  - {id: a, skill: a, output: x}\n  - {id: b, skill: b, input: x}\non_failure: a\n", []string{"3:30 writer_not_before steps[1].input"}},
	{"on_failure writes what others write", "order: dataflow\nsteps:\n  - {id: a, skill: a, output: x}\n  - {id: b, skill: b, output: x}\non_failure: a\n", nil},
	{"on_failure closes no cycle", "order: dataflow\nsteps:\n  - {id: a, skill: a, input: y, output: x}\n  - {id: b, skill: b, intent: '${ctx.x ?? 1}', output: y}\non_failure: a\n", nil},

	// limits
	{"unknown limit", step("limit: [gpu, gqu]"), []string{"2:29 bad_value steps[0].limit[1]"}},
	{"bad name of a limit", step("limit: My Gpu"), []string{"2:23 bad_value steps[0].limit"}},
	{"limit is a mapping", step("limit: {gpu: 1}"), []string{"2:23 bad_type steps[0].limit"}},
	{"budget is a number", "limits: {budget: 3}\nsteps: [{skill: a}]\n", []string{"1:18 bad_type limits.budget"}},
	{"budget of nothing", "limits: {budget: {}}\nsteps: [{skill: a}]\n", []string{"1:18 missing_field limits.budget"}},
	{"unknown field of budget", "limits: {budget: {eur: 3}}\nsteps: [{skill: a}]\n", []string{"1:19 unknown_field limits.budget.eur"}},
	{"budget below nothing", "limits: {budget: {usd: -1, tokens: 0, seconds: .inf}}\nsteps: [{skill: a}]\n",
		[]string{"1:24 bad_value limits.budget.usd", "1:36 bad_value limits.budget.tokens", "1:48 bad_value limits.budget.seconds"}},
	{"budget in words", "limits: {budget: {usd: two, tokens: 1.5}}\nsteps: [{skill: a}]\n", []string{"1:24 bad_type limits.budget.usd", "1:37 bad_type limits.budget.tokens"}},
}
