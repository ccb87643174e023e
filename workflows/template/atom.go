package template

import "go.yaml.in/yaml/v3"

// Atom is a step of a research task. It is done by the first of its skills that is installed, else by
// a program that stands in for them, and it is handed the outputs of the steps before it as inputs.
type Atom struct {
	Skills []string   // at least one, the preferred first
	CLI    string     // command line of the program, cut into words as an entry point; empty: none
	From   [][]string // context keys of earlier outputs, by branch
}

var atomFields = fieldTable{of: "atom", fields: []string{"skills", "cli", "from"}}

const atomHint = "write atom: {skills: [NAME], from: [KEY]}"

// atom reads what a step of a research task is done by and what it is handed.
func (r *reader) atom(s *Step, p place) any {
	f := r.fields(p, atomFields)
	if f == nil {
		return nil
	}
	a, settings := &Atom{}, map[string]any{}
	a.Skills, _ = r.texts(f["skills"], mostName)
	if len(a.Skills) == 0 {
		if !r.faulty(p) {
			r.fail(p, CodeMissingField, "atom names no skill", atomHint)
		}
		return nil
	}
	settings["skills"] = listed(a.Skills)
	if cli := f["cli"]; !cli.absent() {
		a.CLI, _ = r.line(cli, mostSource)
		settings["cli"] = a.CLI
	}
	if from := f["from"]; !from.absent() {
		a.From = r.branches(from)
		branches := make([]any, len(a.From))
		for i, keys := range a.From {
			branches[i] = listed(keys)
		}
		settings["from"] = branches
	}
	s.Atom = a
	return settings
}

// branches reads a list of keys, or a list of such lists.
func (r *reader) branches(p place) [][]string {
	if p.node.Kind != yaml.SequenceNode || len(p.node.Content) == 0 || p.node.Content[0].Kind != yaml.SequenceNode {
		keys, _ := r.texts(p, mostKey)
		return [][]string{keys}
	}
	var out [][]string
	for i, n := range p.node.Content {
		keys, _ := r.texts(p.item(i, n), mostKey)
		out = append(out, keys)
	}
	return out
}

func listed(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// handed makes the keys of earlier outputs ones that the step reads, where they are there by then.
func (r *reader) handed(s *Step, at *stepPlaces, p place) {
	if s.Atom == nil {
		return
	}
	for _, keys := range s.Atom.From {
		for _, key := range keys {
			at.reads = append(at.reads, reading{key: key, at: p, expression: true, optional: true})
			s.Mentions = append(s.Mentions, key)
		}
	}
	s.Mentions = sortedUnique(s.Mentions)
}
