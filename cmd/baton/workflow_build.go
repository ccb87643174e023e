package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/fromtext"
)

// mostBuilt bounds the steps that are asked for one by one.
const mostBuilt = 200

// workflowBuild makes a template question by question. From a pipe the answers are read without the
// questions; the end of the input answers everything that is left with its default.
func (a *app) workflowBuild() *cobra.Command {
	save := ""
	return a.verb(verb{
		use: "build [--save NAME]", short: "make a template question by question; answers may come from a pipe",
		example: `
baton workflow build --save research-publish
printf 'p\ntavily\nsearch\n\n\nn\n' | baton workflow build --save p`,
		flags: func(f *pflag.FlagSet) { f.StringVar(&save, "save", "", a.say("keep it as a template of this `NAME`")) },
		run: func(ctx context.Context, _ []string) error {
			q := questions{app: a, in: bufio.NewScanner(a.in), aloud: isTerminal(a.err) && isTerminalIn(a.in)}
			w, err := q.build()
			if err != nil {
				return err
			}
			if save != "" {
				w.Name, w.Named = save, true
			}
			return a.written(ctx, nil, w, false)
		},
	})
}

// questions asks a person, or reads what somebody answered before.
type questions struct {
	app   *app
	in    *bufio.Scanner
	aloud bool
	over  bool
}

func (q *questions) build() (fromtext.Workflow, error) {
	w := fromtext.Workflow{Name: q.ask("name of the workflow", "my-workflow"), Steps: []fromtext.Step{}}
	for len(w.Steps) < mostBuilt && !q.over {
		n := len(w.Steps) + 1
		skill := q.ask(fmt.Sprintf(q.app.say("step %d: skill"), n), "")
		if skill == "" {
			break
		}
		intent := q.ask("intent", skill)
		input := q.ask("input: context key, or several with commas", "")
		output := q.ask("output: context key", fmt.Sprintf("step%d.result", n))
		w.Steps = append(w.Steps, fromtext.NewStep(skill, intent, keys(input), output))
		if more := strings.ToLower(q.ask("another step? y/n", "n")); more != "y" && more != "yes" && more != "是" {
			break
		}
	}
	if err := q.in.Err(); err != nil {
		return w, fmt.Errorf("read the answers: %w", err)
	}
	if len(w.Steps) == 0 {
		return w, sessions.Refuse(sessions.Failed, "no_steps", "answer the question for a skill", "a workflow without steps does nothing")
	}
	return w, nil
}

// ask puts a question and gives the answer, or the default for an empty one.
func (q *questions) ask(question, otherwise string) string {
	if q.aloud {
		text := q.app.say(question)
		if otherwise != "" {
			text += " [" + otherwise + "]"
		}
		fmt.Fprint(q.app.err, text+": ")
	}
	if q.over || !q.in.Scan() {
		q.over = true
		return otherwise
	}
	if answer := strings.TrimSpace(q.in.Text()); answer != "" {
		return answer
	}
	return otherwise
}

func keys(text string) []string {
	var out []string
	for key := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",，、 ", r) }) {
		out = append(out, key)
	}
	return out
}

// isTerminalIn says whether a person types.
func isTerminalIn(in io.Reader) bool {
	w, ok := in.(io.Writer)
	return ok && isTerminal(w)
}
