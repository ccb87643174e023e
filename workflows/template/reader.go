package template

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader collects faults while it turns nodes into a template.
type reader struct {
	known    Known
	later    []string // words that are not taken yet
	programs programs
	inputs   map[string]Input
	faults   Faults
	guesses  int // words compared for hints
	lines    int // of the text
}

// place is a node and where it stands, for faults.
type place struct {
	node *yaml.Node
	path string
}

func (p place) key(name string, n *yaml.Node) place {
	if p.path == "" {
		return place{n, name}
	}
	return place{n, p.path + "." + name}
}

func (p place) item(i int, n *yaml.Node) place {
	return place{n, p.path + "[" + strconv.Itoa(i) + "]"}
}

// below gives a field of a mapping.
func (p place) below(name string) (place, bool) {
	if p.node.Kind != yaml.MappingNode {
		return place{}, false
	}
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		if p.node.Content[i].Value == name {
			return p.key(name, p.node.Content[i+1]), true
		}
	}
	return place{}, false
}

// absent says that nothing is written here: the field is missing or empty.
func (p place) absent() bool { return p.node == nil || p.node.ShortTag() == "!!null" }

func (r *reader) fail(p place, code, message, hint string) {
	r.faults = append(r.faults, Fault{p.node.Line, p.node.Column, p.path, code, message, hint})
}

func (r *reader) faultAt(line, column int, code, message, hint string) {
	r.faults = append(r.faults, Fault{Line: line, Column: column, Code: code, Message: message, Hint: hint})
}

func (r *reader) sorted() Faults {
	for i := range r.faults {
		if f := &r.faults[i]; f.Line > r.lines { // an empty value stands where the next one would
			f.Line, f.Column = r.lines, 1
		}
	}
	r.faults.sort()
	return r.faults
}

// fieldTable is what a mapping of one kind may hold.
type fieldTable struct {
	of        string // "a step"
	prefix    string // before a field's name in the words of release
	fields    []string
	elsewhere map[string]string // what to do about fields that are looked for here and stand elsewhere
}

// fields gives the fields of a mapping by name, without those that are unknown or not there yet. It
// gives nil when the node is no mapping.
func (r *reader) fields(p place, table fieldTable) map[string]place {
	if p.node.Kind != yaml.MappingNode {
		r.fail(p, CodeBadType, fmt.Sprintf("%s is a mapping of fields, this is %s", table.of, kind(p.node)), "write name: value")
		return nil
	}
	got := make(map[string]place, len(p.node.Content)/2)
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		key, value := p.node.Content[i], p.node.Content[i+1]
		name := key.Value
		if _, twice := got[name]; twice {
			continue // reported with the text
		}
		switch at := p.key(name, key); {
		case has(table.fields, name):
			if r.takes(at, table.prefix+name) {
				got[name] = p.key(name, value)
			}
		default:
			hint := table.elsewhere[name]
			if hint == "" {
				hint = r.didYouMean(name, table.fields)
			}
			r.fail(at, CodeUnknownField, fmt.Sprintf("%s has no field %s", table.of, short(name)), hint)
		}
	}
	return got
}

func (r *reader) notYet(p place, what string) {
	r.fail(p, CodeNotYet, what+" comes with a later release of Baton", "leave it out for now")
}

func has(list []string, word string) bool {
	for _, one := range list {
		if one == word {
			return true
		}
	}
	return false
}

// kind names what a node is, for messages.
func kind(n *yaml.Node) string {
	switch n.ShortTag() {
	case "!!map":
		return "a mapping"
	case "!!seq":
		return "a list"
	case "!!null":
		return "empty"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	}
	return "a text"
}

// text reads a text. Numbers, dates, true and false are taken as they are written.
func (r *reader) text(p place) (string, bool) {
	if p.absent() {
		return "", false
	}
	if p.node.Kind != yaml.ScalarNode {
		r.fail(p, CodeBadType, "this must be a text, it is "+kind(p.node), "")
		return "", false
	}
	return p.node.Value, true
}

// line reads a text of one line and at most so many characters.
func (r *reader) line(p place, most int) (string, bool) {
	s, ok := r.text(p)
	if !ok {
		return "", false
	}
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", false
	case strings.ContainsAny(s, "\n\r\t"):
		r.fail(p, CodeBadValue, "this must be one line", "")
		return "", false
	case len([]rune(s)) > most:
		r.fail(p, CodeBadValue, fmt.Sprintf("this has more than %d characters", most), "make it shorter")
		return "", false
	}
	return s, true
}

// must reads a line that must be there; p is what it belongs to.
func (r *reader) must(p, at place, most int, missing, hint string) (string, bool) {
	if at.absent() {
		r.fail(p, CodeMissingField, missing, hint)
		return "", false
	}
	if at.node.Kind == yaml.ScalarNode && strings.TrimSpace(at.node.Value) == "" {
		r.fail(at, CodeMissingField, missing, hint)
		return "", false
	}
	return r.line(at, most)
}

// texts reads a list of texts; one text alone is a list of one.
func (r *reader) texts(p place, most int) (list []string, places []place) {
	if p.absent() {
		return nil, nil
	}
	items := []place{p}
	if p.node.Kind == yaml.SequenceNode {
		items = items[:0]
		for i, n := range p.node.Content {
			items = append(items, p.item(i, n))
		}
	}
	for _, item := range items {
		s, ok := r.line(item, most)
		if ok {
			list, places = append(list, s), append(places, item)
		} else if item.node.Kind == yaml.ScalarNode && strings.TrimSpace(item.node.Value) == "" || item.absent() {
			r.fail(item, CodeBadValue, "this is empty", "leave it out")
		}
	}
	return list, places
}

// word reads one of a few words.
func (r *reader) word(p place, allowed ...string) (string, bool) {
	s, ok := r.line(p, math.MaxInt)
	if !ok {
		return "", false
	}
	if !has(allowed, s) {
		r.fail(p, CodeBadValue, short(s)+" is none of the words that may stand here", "write "+strings.Join(allowed, " or "))
		return "", false
	}
	return s, true
}

// whole reads a whole number within bounds.
func (r *reader) whole(p place, least, most int) (int, bool) {
	if p.absent() {
		return 0, false
	}
	hint := fmt.Sprintf("write a whole number from %d to %d", least, most)
	if p.node.ShortTag() != "!!int" {
		r.fail(p, CodeBadType, "this must be a whole number, it is "+kind(p.node), hint)
		return 0, false
	}
	var n int
	if p.node.Decode(&n) != nil || n < least || n > most {
		r.fail(p, CodeBadValue, short(p.node.Value)+" is out of bounds", hint)
		return 0, false
	}
	return n, true
}

// yesNo reads true or false.
func (r *reader) yesNo(p place) (value, ok bool) {
	if p.absent() {
		return false, false
	}
	if p.node.ShortTag() != "!!bool" {
		r.fail(p, CodeBadType, "this must be true or false, it is "+kind(p.node), "")
		return false, false
	}
	return strings.EqualFold(p.node.Value, "true"), true
}
