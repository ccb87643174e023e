// Package intent reads what a request wants done: which actions, on what, and in which order.
//
// It is the cheap first reading that tells one task from several, so that a router does not give
// a three-part request to whatever skill matches best. It knows twenty types of action and reads
// Chinese and English by rules over an embedded vocabulary: an action is a verb with its object,
// what is negated is none, what is given or made by another action is none.
//
// The package is pure. The same text always gives the same [Intent].
package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// Intent is what a request asks for. Its JSON is a contract.
type Intent struct {
	Intent          string     `json:"intent"` // a label for the whole; general when no action was seen
	Domain          string     `json:"domain"`
	SubTasks        []SubTask  `json:"sub_tasks"`
	SuggestedSkills []string   `json:"suggested_skills"`
	Parallelizable  bool       `json:"parallelizable"`  // no sub-task needs another, and there is one
	ParallelGroups  [][]string `json:"parallel_groups"` // types by layer: each needs only those before
}

// SubTask is one action.
type SubTask struct {
	Type   string `json:"type"`
	Target string `json:"target"` // the words of the request that ask for it
}

// Types gives the types of the sub-tasks in order.
func (in Intent) Types() []string {
	out := make([]string, 0, len(in.SubTasks))
	for _, s := range in.SubTasks {
		out = append(out, s.Type)
	}
	return out
}

// Reader reads requests. Make one with [New] and keep it; it is safe for concurrent use.
type Reader struct{ v *vocabulary }

// New gives a reader over the embedded vocabulary. The error is for a vocabulary that does not load.
func New() (Reader, error) {
	v, err := embedded()
	if err != nil {
		return Reader{}, fmt.Errorf("intent: %w", err)
	}
	return Reader{v}, nil
}

// Read gives a reader over a vocabulary, as [Vocabulary] has it, and what is added to it. It fails with
// [ErrVocabulary].
func Read(texts ...string) (Reader, error) {
	if len(texts) == 0 {
		return New()
	}
	v, err := load(texts[0], texts[1:]...)
	return Reader{v}, err
}

// Suggested gives the skills commonly used for a type of action, nil for an unknown type.
func (r Reader) Suggested(kind string) []string { return slices.Clone(r.v.byType[kind].Skills) }

// Types lists the known types of action in their fixed order.
func (r Reader) Types() []string {
	out := make([]string, 0, len(r.v.Types))
	for _, t := range r.v.Types {
		out = append(out, t.Type)
	}
	return out
}

// Parse reads a request. Any text has an answer; empty text is general.
func (r Reader) Parse(text string) Intent {
	folded := words.FoldMap(text)
	marks := r.v.lex(folded.Text)
	list := r.v.read(marks)
	list = acquisition(list, marks)
	deps := r.v.depend(list)
	out := Intent{
		Intent:          r.v.label(list),
		Domain:          r.v.domain(folded.Text),
		SubTasks:        []SubTask{},
		SuggestedSkills: []string{},
		ParallelGroups:  r.v.groups(list, deps),
		Parallelizable:  len(list) > 0 && !slices.ContainsFunc(deps, func(d []int) bool { return len(d) > 0 }),
	}
	for _, a := range list {
		target := strings.TrimSpace(folded.Original(a.start, a.end))
		out.SubTasks = append(out.SubTasks, SubTask{Type: a.kind, Target: target})
		for _, s := range r.v.byType[a.kind].Skills {
			if !slices.Contains(out.SuggestedSkills, s) {
				out.SuggestedSkills = append(out.SuggestedSkills, s)
			}
		}
	}
	return out
}

// read gives the actions of a request in the order of mention. A verb named twice for one object is
// one action.
func (v *vocabulary) read(marks []mark) []action {
	var all, list []action
	for _, c := range clauses(marks) {
		all = append(all, v.actions(c)...)
	}
	all = referring(all)
	firm := slices.ContainsFunc(all, func(a action) bool { return !a.loose })
	for _, a := range all {
		if a.loose && firm {
			continue
		}
		if n := len(list); n > 0 && list[n-1].kind == a.kind && (!list[n-1].object || !a.object || list[n-1].wished && a.asked || a.adds) {
			list[n-1].object = list[n-1].object || a.object
			list[n-1].end = a.end
			continue
		}
		list = append(list, a)
	}
	if len(list) == 0 {
		list = bare(marks)
	}
	return list
}

// referring leaves out a look-up without an object behind another action: 比较北京和上海，帮我查一下.
func referring(all []action) []action {
	var out []action
	for _, a := range all {
		if len(out) > 0 && a.kind == "collect" && !a.object && !a.after {
			continue
		}
		out = append(out, a)
	}
	return out
}

// bare reads a request without a verb by the noun at its end: a plan, a diagram.
func bare(marks []mark) []action {
	if len(marks) == 0 {
		return nil
	}
	last := marks[len(marks)-1]
	if !last.cjk || last.noun == "" || last.noun == "code" || slices.ContainsFunc(marks, func(m mark) bool { return m.role == negates || m.role == yields }) {
		return nil
	}
	return []action{{kind: last.noun, start: marks[0].start, end: last.end, object: true}}
}

// acquisition makes looking for a skill in order to install it one task.
func acquisition(list []action, marks []mark) []action {
	if len(list) != 2 || list[0].kind != "collect" || list[1].kind != "install" {
		return list
	}
	text := ""
	for _, m := range marks {
		text += m.text + " "
	}
	for _, word := range []string{"技 能", "skill", "插 件", "plugin"} {
		if strings.Contains(text, word) {
			list[1].start = list[0].start
			return list[1:]
		}
	}
	return list
}

func (v *vocabulary) label(list []action) string {
	var kinds []string
	for _, a := range list {
		if !slices.Contains(kinds, a.kind) {
			kinds = append(kinds, a.kind)
		}
	}
	slices.SortFunc(kinds, func(a, b string) int { return v.byType[a].order - v.byType[b].order })
	for _, l := range v.Labels {
		if slices.Equal(l.Types, kinds) {
			return l.Label
		}
	}
	switch {
	case len(kinds) == 0:
		return "general"
	case slices.Contains(kinds, "collect") && slices.Contains(kinds, "visualize"):
		return "research_and_visualize"
	case slices.Contains(kinds, "collect") && slices.Contains(kinds, "write"):
		return "research_and_write"
	}
	return kinds[0]
}

// domain is the first one with a word in the text: English as whole words, Chinese anywhere.
func (v *vocabulary) domain(text string) string {
	seen := map[string]bool{}
	for run := range words.Runs(text) {
		for _, part := range words.Split(run.Text) {
			seen[part] = true
		}
	}
	for _, d := range v.Domains {
		for _, word := range d.Words {
			if seen[word] || strings.ContainsFunc(word, words.CJK) && strings.Contains(text, word) {
				return d.Domain
			}
		}
	}
	return "general"
}
