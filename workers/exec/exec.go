// Package exec runs a call as a program: argv, never a shell; one JSON document in, one value out.
//
// The program finds {inputs, context, item, call} on stdin. What it prints is the call's value: one
// JSON value as it is, other text as a string, nothing but blanks as null. Stderr is the live log,
// and its end is kept with a failure. It runs in the workspace, with exactly the environment that
// the task names and BATON_SESSION, BATON_CALL, BATON_ATTEMPT, BATON_EFFECT_KEY and BATON_TMP, a
// scratch folder that is gone afterwards. When it ends, everything it started ends with it.
//
// Codes of failure, which stay as they are: exec_settings, exec_workspace, exec_scratch,
// exec_not_found, exec_not_executable, exec_not_started, exec_exit, exec_signal, exec_timeout,
// exec_cancelled, exec_stale, exec_stopping, exec_lost, exec_not_text, result_too_large. The [Runner] beneath is
// shared with the executors that drive other programs.
package exec

import (
	"context"
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
)

// Executor runs calls of the form {"exec": ["./search.sh", "bppv"]}. The zero value works.
type Executor struct{ Runner }

var _ workers.Executor = Executor{}

// Execute runs the program once. The settings are its argv: a name without a slash is looked up on
// the task's PATH, any other is relative to the task's folder, and so is an argument that begins
// with ./ or ../ and names a file there.
func (e Executor) Execute(ctx context.Context, t workers.Task, live io.Writer) workers.Outcome {
	var argv []string
	if err := json.Unmarshal(t.Execute, &argv); err != nil || len(argv) == 0 || argv[0] == "" {
		return workers.Failed(workers.Terminal, "exec_settings",
			`exec needs a list of words with the program first, like ["./search.sh", "bppv"], not `+excerpt(t.Execute))
	}
	stdout, failure := e.Run(ctx, t, Program{Argv: argv, Stdin: t.Input}, live)
	if failure != nil {
		return workers.Outcome{Failure: failure}
	}
	if !utf8.Valid(stdout) {
		return workers.Failed(workers.Terminal, "exec_not_text", "what it printed is not UTF-8: write it to a file and print the file's path")
	}
	return workers.Outcome{Value: Value(stdout)}
}

// excerpt shortens settings for a message.
func excerpt(raw json.RawMessage) string {
	const most = 80
	if len(raw) > most {
		return text(raw[:most]) + "…"
	}
	return text(raw)
}

func failed(class, code, message string) *events.Failure {
	return workers.Failed(class, code, message).Failure
}
