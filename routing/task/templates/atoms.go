package templates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/task"
)

// writer writes the steps of one template.
type writer struct {
	Order
	steps []step
	from  []string            // keys of the outputs so far, in the order in which they are merged
	stale map[string][]string // by skill, keys whose outputs a later use of it replaces
	guard []string            // conditions that everything from here on has
}

// key is the context key of a step's output.
func (w *writer) key(id string) string { return w.Run + "." + id }

func read(key string) string { return "ctx[" + quoted(key) + "]" }

// found holds as long as an acquisition found something: what has no papers to list is not asked.
func found(key string) string {
	papers := read(key) + ".raw_papers"
	return fmt.Sprintf(`(type(%s) != "map" || type(%s) != "array" || len(%s) > 0)`, read(key), papers, papers)
}

// arrived holds once a step has brought its output.
func arrived(key string) string { return read(key) + " != nil" }

// call is one use of an atom.
type call struct {
	atom   task.Atom
	id     string
	child  *task.Delegation
	branch bool // it may fail without its siblings
	needs  *[]string
	guard  []string
	when   string // beside guard, of this step alone
	from   [][]string
}

// atom writes the step of a call.
func (w *writer) atom(c call) step {
	skills := []any{c.atom.Skill, "standalone-" + c.atom.Skill}
	how := map[string]any{"skills": skills}
	if c.atom.CLI != "" {
		how["cli"] = c.atom.CLI
	}
	if len(c.from) > 0 {
		how["from"] = c.from
	}
	s := step{
		ID: c.id, Intent: "${inputs.query}", Needs: c.needs, When: strings.Join(c.guard, " && "),
		Run: map[string]any{"atom": how}, Inputs: w.inputs(c), Output: w.key(c.id), Optional: c.branch,
		Retry: map[string]any{"attempts": mostAttempts}, Terminal: breaches(),
	}
	return s
}

// inputs are what an atom is handed beside the outputs before it.
func (w *writer) inputs(c call) map[string]any {
	in := map[string]any{"query": "${inputs.query}", "topic": "${inputs.query}", "genes": w.genes(c.atom)}
	if c.child == nil {
		return in
	}
	handed := map[string]any{"goal": "${inputs.query}", "context": "", "toolsets": c.child.Toolsets, "scope": nil}
	if s := c.child.Scope; s != nil {
		scope := map[string]any{"index": s.Index, "of": s.Of}
		if s.Item != "" {
			scope["item"], in["topic"] = plain(s.Item), plain(s.Item)
		}
		if s.FirstItem > 0 {
			scope["first_item"], scope["item_count"] = s.FirstItem, s.ItemCount
		}
		handed["scope"] = scope
	}
	in["delegation"] = handed
	switch s := c.child.Scope; {
	case w.Items == nil:
	case s != nil && s.FirstItem > 0:
		in["items"] = fmt.Sprintf("${inputs.items[%d:%d]}", s.FirstItem-1, s.FirstItem-1+s.ItemCount)
	default:
		in["items"] = "${inputs.items}"
	}
	return in
}

// genes are the active ones of an atom.
func (w *writer) genes(a task.Atom) []string {
	if w.Decision.Plan != nil {
		for _, one := range w.Decision.Genes.Atoms {
			if one.Code == a.Code {
				return one.IDs
			}
		}
	}
	return []string{}
}

// child is the delegation that a chain without branches is handed out by.
func (w *writer) child() *task.Delegation { return &w.Decision.Delegations[0] }

// next writes the next atom of a sequence, which is handed everything before it.
func (w *writer) next(a task.Atom, id string) { w.nextIf(a, id, "") }

// nextIf writes it under a condition of its own; what an earlier use of the atom brought then stays.
func (w *writer) nextIf(a task.Atom, id, when string) {
	c := call{atom: a, id: id, child: w.child(), guard: slices.Clone(w.guard), when: when}
	if when != "" {
		c.guard = append(c.guard, when)
	}
	if len(w.from) > 0 {
		c.from = [][]string{slices.Clone(w.from)}
	}
	w.steps = append(w.steps, w.atom(c))
	key := w.key(id)
	if c.when == "" {
		w.from = slices.DeleteFunc(w.from, func(k string) bool { return slices.Contains(w.stale[a.Skill], k) })
		w.stale[a.Skill] = nil
	}
	w.from, w.stale[a.Skill] = append(w.from, key), append(w.stale[a.Skill], key)
	if a.Finds && when == "" {
		w.guard = append(w.guard, found(key))
	}
}

// bootstrap writes what has to run before a chain that starts in the middle.
func (w *writer) bootstrap() {
	for _, a := range w.Bootstrap {
		w.next(a, a.Skill)
	}
}

// chain writes one pass over the chain, from the first atom that is not done.
func (w *writer) chain() error {
	todo := w.Chain[w.Decision.StartAt:]
	if len(todo) == 0 {
		return ErrDone
	}
	w.bootstrap()
	for _, a := range todo {
		w.next(a, a.Skill)
	}
	return nil
}

// slash writes the one step of a skill that was called by its name.
func (w *writer) slash() {
	s := step{
		ID: w.Decision.Skill, Skill: w.Decision.Skill, Intent: plain(w.Decision.Goal),
		Inputs: map[string]any{"query": plain(w.Decision.Goal), "topic": plain(w.Decision.Goal)}, Output: w.key(w.Decision.Skill),
	}
	if s.Intent == "" {
		s.Intent = plain(w.Query)
	}
	if w.Tools != nil {
		tools := make([]string, len(w.Tools.Tools))
		for i, tool := range w.Tools.Tools {
			tools[i] = plain(tool)
		}
		s.Inputs["allowed_tools"] = map[string]any{"restricted": w.Tools.Restricted, "tools": tools}
	}
	w.steps = append(w.steps, s)
}
