package baton_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	errorsPage = "docs/errors.md"
	mostTexts  = 3 // of one code that is given in several places
)

const errorsHead = `# Errors

Every code that a person or a program can meet, what is said with it, and what to do. This file is written by ` + "`make update`" + `
from the places in the source that give the codes; a test fails when it is out of date. … stands for a value.

A command that could not answer prints ` + "`error: CODE: what; where; what to do`" + ` on stderr and, with ` + "`--json`" + `,
` + "`{\"error\": {code, message, hint, details}}`" + ` on stdout. Codes never change their meaning. The exit status is that of the kind:

| exit | kind | meaning |
|---|---|---|
| 1 | failed | it did not work |
| 2 | usage | a flag, an argument or a value is not right |
| 3 | not_found | there is no such session, call, run, skill, template |
| 4 | conflict | it is closed or decided already, or was changed meanwhile |
| 5 | waits | a person must confirm |
| 6 | refused | sentinel, policy or budget say no |
| 7 | unreachable | server or cluster is out of reach; whether it took effect is not known |
| 8 | damaged | the store is full or damaged, or written by a newer Baton |
| 9 | unverified | a replay or an audit differs |

The class of a failed attempt says what follows: *retryable* is tried again while the step's ` + "`retry`" + ` lasts, *terminal* is not,
*timeout* like retryable, *lost* is made up for unasked, *cancelled* and *stale* are over.
`

// chapters groups codes by how one meets them.
var chapters = []struct{ name, intro string }{
	{"Refused commands", "The command changed nothing."},
	{"Failed attempts", "In `workflow show`, `call show`, `trace`: `error {class, code, message}` of a step or call."},
	{"Faults of templates", "From `workflow validate`, each with line and column."},
	{"Findings in skills", "From `skills validate`, each with its line."},
	{"Faults of plans and tasks", "From the source, web and task routers, as codes in their answers."},
}

// givesCodes matches the names of functions whose parameter `code` is one that people meet.
var givesCodes = regexp.MustCompile(`(?i)^(refuse|fail|failed|fault|faultAt|warn|warning|giveUp)$`)

// looksLikeCode tells a code from another text.
var looksLikeCode = regexp.MustCompile(`^([a-z][a-z0-9]*(_[a-z0-9]+)*|E_[A-Z0-9_]+|[A-Z]+_[A-Z_]+)$`)

// computed lists the places where a code is no constant, with the codes that can come of it. A place
// that only passes on what another gave has none.
var computed = map[string][]string{
	"cmd/baton/command.go verb":           {"flag_missing", "goal_missing", "skill_missing", "intent_missing", "reason_missing"},
	"cmd/baton/host/rules.go Rules":       {"lexicon", "intent_vocabulary", "sentinel_rules"},
	"cmd/baton/host/plans.go planRefusal": {"bad_source_input", "bad_web_input", "bad_task_input"},
	"workflows/routed.go checkRouted":     {"bad_source_input", "bad_web_input", "bad_task_input"},
	"cmd/baton/task_delegate.go handOut":  {"E_CONTEXT_NOT_EMPTY", "E_GOAL_NOT_VERBATIM", "E_TOO_MANY_ITEMS", "E_NESTED_DELEGATION", "E_TOOLSET"},
	"cmd/baton/task.go taskRefusal":       nil, // those of package task
	"cmd/baton/task_run.go taskOrder":     nil, // the same ones
	"cmd/baton/web.go webRefusal":         nil, // E_WEB_INPUT and E_WEB_TABLES
	"engine/runs.go found":                {"session_not_found", "run_not_found", "session_ambiguous", "run_ambiguous"},
	"skills/repair.go repair":             {"W_RESERVED_FIRST", "W_UNQUOTED_COLON"},
	"workers/fetch/fetch.go Execute":      nil, // those of package web
	"workers/skill/skill.go Execute":      nil, // those of package entrypoint
}

// said is a code with what is said of it in one place.
type said struct{ code, chapter, exit, message, hint string }

// helps says whether somebody who reads it knows what to do: there is a hint, or the message goes on after
// what is wrong.
func (s said) helps() bool {
	return s.hint != "" || s.chapter == chapters[3].name || strings.Contains(s.message, "; ") || adviceAfterColon.MatchString(s.message)
}

var adviceAfterColon = regexp.MustCompile(`: [a-z…][^…]+`)

// codeReader finds codes in the whole tree.
type codeReader struct {
	t         *testing.T
	constants map[string]string   // "folder.Name" -> text
	params    map[string][]string // "folder.name" and, for what is exported, ".Name" -> names of parameters
	found     []said
}

func TestErrorsAreListed(t *testing.T) {
	t.Parallel()
	r := &codeReader{t: t, constants: map[string]string{}, params: map[string][]string{}}
	for _, s := range tree(t) {
		if !s.test {
			r.declarations(s)
		}
	}
	for r.wrappers(tree(t)) {
	}
	for _, s := range tree(t) {
		if !s.test && !slices.Contains(forTests, s.pkg) {
			r.file(s)
		}
	}
	got := errorsHead + r.page()
	for code := range remedies {
		if !slices.ContainsFunc(r.found, func(s said) bool { return s.code == code }) {
			t.Logf("remedies has a line for %s, which nobody gives any more", code)
		}
	}
	if *update {
		if err := os.WriteFile(errorsPage, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	page, err := os.ReadFile(errorsPage)
	if err != nil {
		t.Fatal(err)
	}
	// The codes are the promise; how a text is worded may be a little behind.
	if diff := cmp.Diff(codesOn(string(page)), codesOn(got)); diff != "" {
		t.Errorf("%s is out of date, run `go test . -%s` (-file +source):\n%s", errorsPage, flag.Lookup("update").Name, diff)
	}
}

var codeRow = regexp.MustCompile("(?m)^(?:## .*|\\| `[^`]+`)")

// codesOn lists the chapters of a page and the codes in each.
func codesOn(page string) []string { return codeRow.FindAllString(page, -1) }

// page writes the chapters, a line a code.
func (r *codeReader) page() string {
	var b strings.Builder
	for _, chapter := range chapters {
		rows := map[string][]said{}
		for _, s := range r.found {
			if s.chapter == chapter.name {
				rows[s.code] = append(rows[s.code], s)
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| code | %s | says | do |\n|---|---|---|---|\n", chapter.name, chapter.intro, columnOf(chapter.name))
		for _, code := range slices.Sorted(maps.Keys(rows)) {
			list := rows[code]
			if do, ok := remedies[code]; ok {
				list = append(list, said{hint: do})
			}
			if !slices.ContainsFunc(list, said.helps) {
				r.t.Errorf("nobody says what to do about %s: give it a hint, or a line in remedies", code)
			}
			column := func(of func(said) string) string { return several(list, of) }
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", code, column(func(s said) string { return s.exit }),
				column(func(s said) string { return s.message }), column(func(s said) string { return s.hint }))
		}
	}
	return b.String()
}

func columnOf(chapter string) string {
	switch chapter {
	case chapters[0].name:
		return "exit"
	case chapters[1].name:
		return "class"
	}
	return " "
}

// several joins what is said of a code in its places.
func several(list []said, of func(said) string) string {
	var texts []string
	for _, s := range list {
		if text := tidy(of(s)); text != "" && text != "…" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	if len(texts) > mostTexts {
		texts = append(texts[:mostTexts], "…")
	}
	return strings.Join(texts, "<br>")
}

var manyValues = regexp.MustCompile(`…(\s*…)+`)

func tidy(text string) string {
	text = manyValues.ReplaceAllString(strings.Join(strings.Fields(text), " "), "…")
	return strings.NewReplacer("|", "\\|", "<", "&lt;").Replace(text)
}
