package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// Codes of faults. They are stable: programs and people look them up.
const (
	CodeYAML            = "yaml"              // the text is no YAML or JSON that Baton takes
	CodeTooLarge        = "too_large"         // over MaxBytes, MaxSteps, MaxDepth or MaxDependencies
	CodeDuplicateKey    = "duplicate_key"     // a mapping says the same key twice
	CodeUnknownField    = "unknown_field"     // a field that Baton does not know
	CodeNotYet          = "not_yet"           // a field that comes with a later release
	CodeContradiction   = "contradiction"     // fields that do not go together
	CodeMissingField    = "missing_field"     // a field that must be there
	CodeBadType         = "bad_type"          // a text where a list belongs, and the like
	CodeBadValue        = "bad_value"         // the right type, but no value that Baton takes
	CodeBadDuration     = "bad_duration"      // no duration
	CodeBadExpression   = "bad_expression"    // does not compile, or reads what is not there
	CodeNoSteps         = "no_steps"          // nothing to do
	CodeDuplicateStep   = "duplicate_step"    // two steps with one id
	CodeUnknownStep     = "unknown_step"      // needs names no step
	CodeCycle           = "cycle"             // steps wait for each other
	CodeTwoWriters      = "two_writers"       // two writers of one key may run at once
	CodeNoWriter        = "no_writer"         // a key is read that nobody writes
	CodeWriterNotBefore = "writer_not_before" // a key is read before anybody can have written it
)

// Fault is one thing wrong with a template.
type Fault struct {
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Path    string `json:"path"`   // "steps[2].needs[0]"; empty: the text as a whole
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do
}

// String is one line: position, code, place, what and what to do.
func (f Fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d: %s: ", f.Line, f.Column, f.Code)
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Message)
	if f.Hint != "" {
		b.WriteString(" (" + f.Hint + ")")
	}
	return b.String()
}

// Faults are all things wrong with a template, in order of line and column.
type Faults []Fault

// Error lists the faults, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

func (f Faults) sort() {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code))
	})
}

// didYouMean is the hint for a word that is not among those allowed.
func didYouMean(word string, allowed []string) string {
	if near := words.Nearest(word, allowed); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	const most = 20
	if len(allowed) == 0 || len(allowed) > most {
		return ""
	}
	list := slices.Sorted(slices.Values(allowed))
	return "known are " + strings.Join(list, ", ")
}

// mostGuesses bounds how many words are compared for hints; beyond, faults have none.
const mostGuesses = 100_000

func (r *reader) didYouMean(word string, allowed []string) string {
	if r.guesses += len(allowed); r.guesses > mostGuesses {
		return ""
	}
	return didYouMean(word, allowed)
}

func (r *reader) nearest(word string, allowed []string) string {
	if r.guesses += len(allowed); r.guesses > mostGuesses {
		return ""
	}
	return words.Nearest(word, allowed)
}

// short quotes a piece of the text for a message.
func short(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return fmt.Sprintf("%q…", string(r[:most]))
	}
	return fmt.Sprintf("%q", s)
}
