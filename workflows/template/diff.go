package template

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Difference is what has changed between two versions of a template, by what they mean: comments,
// layout and the order of fields are nothing.
type Difference struct {
	Added   []string `json:"added,omitempty"`   // ids of steps, in the order of the new text
	Removed []string `json:"removed,omitempty"` // in the order of the old text
	Changed []string `json:"changed,omitempty"` // in the order of the new text
	Header  []string `json:"header,omitempty"`  // what has changed outside of steps: "order", "inputs" …
}

// Diff compares two templates. A step is changed when what it does, needs, reads or writes is said
// differently, defaults included.
func Diff(was, is *Template) Difference {
	var d Difference
	for i := range is.Steps {
		s := &is.Steps[i]
		switch before, ok := was.Step(s.ID); {
		case !ok:
			d.Added = append(d.Added, s.ID)
		case !s.same(before):
			d.Changed = append(d.Changed, s.ID)
		}
	}
	for _, s := range was.Steps {
		if _, ok := is.Step(s.ID); !ok {
			d.Removed = append(d.Removed, s.ID)
		}
	}
	d.Header = headerChanges(was, is)
	return d
}

// None says that the two mean the same.
func (d Difference) None() bool {
	return len(d.Added)+len(d.Removed)+len(d.Changed)+len(d.Header) == 0
}

// String is a line for each kind of change.
func (d Difference) String() string {
	if d.None() {
		return "no difference"
	}
	var lines []string
	for _, part := range []struct {
		what string
		ids  []string
	}{{"steps added", d.Added}, {"steps removed", d.Removed}, {"steps changed", d.Changed}, {"also changed", d.Header}} {
		if len(part.ids) > 0 {
			lines = append(lines, part.what+": "+strings.Join(part.ids, ", "))
		}
	}
	return strings.Join(lines, "\n")
}

// same says whether two steps say the same, wherever they stand.
func (s *Step) same(o *Step) bool {
	return s.Skill == o.Skill && s.Intent == o.Intent && s.Output == o.Output && s.When == o.When &&
		s.Queue == o.Queue && s.Retry == o.Retry && s.Timeout == o.Timeout && s.Effects == o.Effects &&
		s.Executor == o.Executor && bytes.Equal(s.Run, o.Run) && sameSet(s.TerminalExits, o.TerminalExits) &&
		slices.Equal(s.Input, o.Input) && s.given == o.given && sameSet(s.explicit, o.explicit) &&
		sameValues(s.Inputs, o.Inputs) &&
		s.Unknown == o.Unknown && sameAction(s.Probe, o.Probe) && sameAction(s.Compensate, o.Compensate) &&
		sameForeach(s.Foreach, o.Foreach) && sameApproval(s.Confirm, o.Confirm) &&
		slices.Equal(s.Limit, o.Limit) && maps.Equal(s.Env, o.Env) && s.Optional == o.Optional && sameSandbox(s.Sandbox, o.Sandbox)
}

func sameSet[T string | int](a, b []T) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

func sameValues(a, b map[string]any) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// headerChanges names what has changed outside of the steps' own content.
func headerChanges(was, is *Template) []string {
	var list []string
	for _, field := range []struct {
		name    string
		changed bool
	}{
		{"name", was.Name != is.Name},
		{"description", was.Description != is.Description},
		{"order", was.Order != is.Order},
		{"inputs", !maps.EqualFunc(was.Inputs, is.Inputs, sameInput)},
		{"limits", was.Limits != is.Limits},
		{"on_failure", was.OnFailure != is.OnFailure},
		{"sequence of steps", is.Order == Sequential && was.Order == Sequential && !slices.Equal(common(was, is), common(is, was))},
	} {
		if field.changed {
			list = append(list, field.name)
		}
	}
	return list
}

func sameInput(a, b Input) bool {
	return a.Type == b.Type && a.Required == b.Required && a.Description == b.Description && bytes.Equal(a.Default, b.Default)
}

// common gives the ids of the steps of t that o has too, in the order of t.
func common(t, o *Template) []string {
	var ids []string
	for _, s := range t.Steps {
		if _, ok := o.Step(s.ID); ok {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

var _ fmt.Stringer = Difference{}
