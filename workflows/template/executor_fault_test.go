package template

import "strings"

// run puts what stands below run into a template; it begins in line 2, column 10.
func run(text string) string { return "steps:\n  - run: {" + text + "}\n" }

// executorFaults are faults in what executes a step.
var executorFaults = []faultCase{
	// where it stands
	{"executors as fields of a step", "steps:\n  - skill: a\n    wait: {for: 1s}\n    http: x\n    approve: {}\n",
		[]string{"3:5 unknown_field steps[0].wait", "4:5 unknown_field steps[0].http", "5:5 unknown_field steps[0].approve"}},
	{"run is wait alone", "steps:\n  - run: wait\n", []string{"2:10 bad_type steps[0].run"}},
	{"run is http alone", "steps:\n  - run: http\n", []string{"2:10 bad_type steps[0].run"}},
	{"approve and wait", run("approve: {}, wait: {for: 1s}"), []string{"2:10 bad_value steps[0].run"}},

	// approve
	{"approve alone", "steps:\n  - run: approve\n", nil},
	{"approve is empty", "steps:\n  - run: {approve: }\n", nil},
	{"approve is a text", run("approve: sure"), []string{"2:20 bad_type steps[0].run.approve"}},
	{"unknown field of approve", run("approve: {qestion: a}"), []string{"2:21 unknown_field steps[0].run.approve.qestion"}},
	{"question is a list", run("approve: {question: [a]}"), []string{"2:31 bad_type steps[0].run.approve.question"}},
	{"question names nothing", run("approve: {question: 'on ${topic}?'}"), []string{"2:31 bad_expression steps[0].run.approve.question"}},
	{"approval expires badly", run("approve: {expires: soon}"), []string{"2:30 bad_duration steps[0].run.approve.expires"}},
	{"approval expires at once", run("approve: {expires: 0s}"), []string{"2:30 bad_duration steps[0].run.approve.expires"}},
	{"what says nothing in approve", "steps:\n  - run: approve\n    retry: {attempts: 2}\n    queue: q\n    timeout: 1s\n    confirm: true\n    limit: gpu\n    env: {A: b}\n",
		[]string{"3:12 contradiction steps[0].retry", "4:12 contradiction steps[0].queue", "5:14 contradiction steps[0].timeout",
			"6:14 contradiction steps[0].confirm", "7:12 contradiction steps[0].limit", "8:10 contradiction steps[0].env"}},

	// wait
	{"wait for nothing", run("wait: {}"), []string{"2:17 missing_field steps[0].run.wait"}},
	{"wait is empty", "steps:\n  - run:\n      wait:\n", []string{"3:12 bad_type steps[0].run.wait"}},
	{"wait is a duration", run("wait: 2h"), []string{"2:17 bad_type steps[0].run.wait"}},
	{"wait for two things", run("wait: {for: 1s, signal: a}"), []string{"2:35 contradiction steps[0].run.wait.signal"}},
	{"unknown field of wait", run("wait: {fro: 1s}"), []string{"2:18 unknown_field steps[0].run.wait.fro"}},
	{"wait no time", run("wait: {for: 0}"), []string{"2:23 bad_duration steps[0].run.wait.for"}},
	{"wait until no time", run("wait: {until: tomorrow}"), []string{"2:25 bad_value steps[0].run.wait.until"}},
	{"wait until a day", run("wait: {until: 2026-12-24}"), []string{"2:25 bad_value steps[0].run.wait.until"}},
	{"wait until nothing", run("wait: {until: ''}"), []string{"2:25 missing_field steps[0].run.wait.until"}},
	{"wait until a bad expression", run("wait: {until: '${inputs.at}'}"), []string{"2:25 bad_expression steps[0].run.wait.until"}},
	{"bad name of a signal", run("wait: {signal: a b}"), []string{"2:26 bad_value steps[0].run.wait.signal"}},
	{"empty name of a signal", run("wait: {signal: ''}"), []string{"2:26 bad_value steps[0].run.wait.signal"}},
	{"a time that expires", run("wait: {for: 1s, expires: 2s}"), []string{"2:36 contradiction steps[0].run.wait.expires"}},
	{"effects of a wait", "steps:\n  - run: {wait: {for: 1s}}\n    effects: at-most-once\n    unknown: ask\n    compensate: {exec: [a]}\n",
		[]string{"3:14 contradiction steps[0].effects", "4:14 contradiction steps[0].unknown", "5:17 contradiction steps[0].compensate"}},

	// http
	{"http without a url", run("http: {method: GET}"), []string{"2:17 missing_field steps[0].run.http"}},
	{"http with an empty url", run("http: {url: ''}"), []string{"2:23 missing_field steps[0].run.http.url"}},
	{"http is a text", run("http: 'https://a'"), []string{"2:17 bad_type steps[0].run.http"}},
	{"unknown field of http", run("http: {url: 'https://a', header: {}}"), []string{"2:36 unknown_field steps[0].run.http.header"}},
	{"url of a file", run("http: {url: 'file:///etc/passwd'}"), []string{"2:23 bad_value steps[0].run.http.url"}},
	{"url without a host", run("http: {url: 'https:///a'}"), []string{"2:23 bad_value steps[0].run.http.url"}},
	{"url with a password", run("http: {url: 'https://a:b@c/d'}"), []string{"2:23 bad_value steps[0].run.http.url"}},
	{"unknown method", run("http: {url: 'https://a', method: FETCH}"), []string{"2:44 bad_value steps[0].run.http.method"}},
	{"headers are a list", run("http: {url: 'https://a', headers: [a]}"), []string{"2:45 bad_type steps[0].run.http.headers"}},
	{"bad name of a header", run("http: {url: 'https://a', headers: {a b: c}}"), []string{"2:46 bad_value steps[0].run.http.headers.a b"}},
	{"header twice", run("http: {url: 'https://a', headers: {Accept: a, accept: b}}"), []string{"2:57 duplicate_key steps[0].run.http.headers.accept"}},
	{"header is a list", run("http: {url: 'https://a', headers: {Accept: [a]}}"), []string{"2:54 bad_type steps[0].run.http.headers.Accept"}},
	{"header of two lines", run(`http: {url: 'https://a', headers: {Accept: "a\nB: c"}}`), []string{"2:54 bad_value steps[0].run.http.headers.Accept"}},
	{"header without a value", run("http: {url: 'https://a', headers: {Accept: }}"), []string{"2:46 missing_field steps[0].run.http.headers.Accept"}},
	{"secret written out", run("http: {url: 'https://a', headers: {authorization: Bearer x}}"), []string{"2:61 bad_value steps[0].run.http.headers.authorization"}},
	{"bad timeout of http", run("http: {url: 'https://a', timeout: 10}"), []string{"2:45 bad_duration steps[0].run.http.timeout"}},
	{"exits of http", "steps:\n  - run: {http: {url: 'https://a'}}\n    terminal_exits: [1]\n", []string{"3:21 contradiction steps[0].terminal_exits"}},

	// references to secrets
	{"reference in a url", run("http: {url: 'https://a/${env:KEY}'}"), []string{"2:23 bad_expression steps[0].run.http.url"}},
	{"reference in a body", run("http: {url: 'https://a', body: {k: '${file:x}'}}"), []string{"2:46 bad_expression steps[0].run.http.body.k"}},
	{"reference in an argument", run("exec: [a, '${env:KEY}']"), []string{"2:21 bad_expression steps[0].run.exec[1]"}},
	{"reference in an intent", "steps:\n  - {skill: a, intent: 'x ${env:KEY}'}\n", []string{"2:24 bad_expression steps[0].intent"}},
	{"reference in a condition", "steps:\n  - {skill: a, when: 'env:KEY'}\n", []string{"2:22 bad_expression steps[0].when"}},
	{"bad variable in a reference", run("http: {url: 'https://a', headers: {A: '${env:a-b}'}}"), []string{"2:49 bad_value steps[0].run.http.headers.A"}},
	{"no file in a reference", run("http: {url: 'https://a', headers: {A: '${file: }'}}"), []string{"2:49 bad_value steps[0].run.http.headers.A"}},
	{"reference that is not closed", run("http: {url: 'https://a', headers: {A: '${file:it'}}"), []string{"2:49 bad_expression steps[0].run.http.headers.A"}},
	{"quote in a reference", run(`http: {url: 'https://a', headers: {A: "${file:it's}"}}`), nil},

	// mcp
	{"mcp without anything", run("mcp: {}"), []string{"2:16 missing_field steps[0].run.mcp"}},
	{"mcp without a tool", run("mcp: {server: a}"), []string{"2:16 missing_field steps[0].run.mcp"}},
	{"mcp with an empty tool", run("mcp: {server: a, tool: ''}"), []string{"2:34 missing_field steps[0].run.mcp.tool"}},
	{"mcp with an empty server", run("mcp: {server: ' ', tool: a}"), []string{"2:25 missing_field steps[0].run.mcp.server"}},
	{"mcp with server and command", run("mcp: {server: a, command: [b], tool: c}"), []string{"2:37 contradiction steps[0].run.mcp.command"}},
	{"mcp with a command line", run("mcp: {command: ./a b, tool: c}"), []string{"2:26 bad_type steps[0].run.mcp.command"}},
	{"arguments are a list", run("mcp: {server: a, tool: c, arguments: [d]}"), []string{"2:48 bad_type steps[0].run.mcp.arguments"}},
	{"argument names nothing", run("mcp: {server: a, tool: c, arguments: {d: '${e}'}}"), []string{"2:52 bad_expression steps[0].run.mcp.arguments.d"}},
	{"unknown field of mcp", run("mcp: {server: a, tool: c, args: {}}"), []string{"2:37 unknown_field steps[0].run.mcp.args"}},

	// workflow
	{"workflow without a name", run("workflow: {}"), []string{"2:21 missing_field steps[0].run.workflow"}},
	{"workflow is empty", run("workflow: ''"), []string{"2:21 missing_field steps[0].run.workflow"}},
	{"workflow is a list", run("workflow: [a]"), []string{"2:21 bad_type steps[0].run.workflow"}},
	{"workflow by name and path", run("workflow: {name: a, path: b}"), []string{"2:37 contradiction steps[0].run.workflow.path"}},
	{"workflow by an expression", run("workflow: {name: 'a-${1}'}"), []string{"2:28 bad_value steps[0].run.workflow.name"}},
	{"workflow in no session", run("workflow: {name: a, session: new}"), []string{"2:40 bad_value steps[0].run.workflow.session"}},
	{"inputs of workflow are a list", run("workflow: {name: a, inputs: [b]}"), []string{"2:39 bad_type steps[0].run.workflow.inputs"}},
	{"unknown field of workflow", run("workflow: {name: a, input: b}"), []string{"2:31 unknown_field steps[0].run.workflow.input"}},
	{"what says nothing in workflow", "steps:\n  - run: {workflow: a}\n    env: {A: b}\n    limit: gpu\n    queue: q\n",
		[]string{"3:10 contradiction steps[0].env", "4:12 contradiction steps[0].limit", "5:12 contradiction steps[0].queue"}},

	// env
	{"env is a list", "steps:\n  - {skill: a, env: [A]}\n", []string{"2:21 bad_type steps[0].env"}},
	{"bad name of a variable", "steps:\n  - {skill: a, env: {a-b: c}}\n", []string{"2:22 bad_value steps[0].env.a-b"}},
	{"long name of a variable", "steps:\n  - {skill: a, env: {" + strings.Repeat("A", 129) + ": c}}\n", []string{"2:22 bad_value steps[0].env." + strings.Repeat("A", 129)}},
	{"Baton's own variable", "env: {BATON_CALL: c}\nsteps: [{skill: a}]\n", []string{"1:7 bad_value env.BATON_CALL"}},
	{"variable without a value", "steps:\n  - {skill: a, env: {A: }}\n", []string{"2:25 bad_value steps[0].env.A"}},
	{"variable is a list", "steps:\n  - {skill: a, env: {A: [b]}}\n", []string{"2:25 bad_type steps[0].env.A"}},
	{"variable of an unknown name", "steps:\n  - {skill: a, env: {A: '${HOME}'}}\n", []string{"2:25 bad_expression steps[0].env.A"}},
	{"bad reference in a variable", "env: {A: '${env:}'}\nsteps: [{skill: a}]\n", []string{"1:10 bad_value env.A"}},
	{"the template's env reads the context", "env: {A: \"${ctx['x']}\"}\nsteps: [{skill: a, output: x}]\n", []string{"1:10 bad_expression env.A"}},
}
