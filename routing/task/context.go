package task

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MostItems is how many items one query may bring along; a thousand delegations are enough.
const MostItems = 10_000

// Context is what a session knows beside the query. The zero value is a session that did nothing.
type Context struct {
	Executed     []string // atoms that are done, by skill name or code; other names are no atoms
	Outputs      []string // names of outputs that there are
	Items        int      // things to be worked on one by one; 0: not said
	Subtasks     []string // targets of a parallel query
	SingleSource bool
	Biomedical   *bool // nil: by the words of the query
}

// ReadContext reads a context from a JSON object. A key that is null is absent, and one that is
// unknown is none of the router's business; a known one of the wrong kind is refused with E_CONTEXT.
// items is a count or the list of items itself.
func ReadContext(text []byte) (Context, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return Context{}, refuse(codeContext, `give a JSON object like {"executed":["ACQ"],"items":12}`, "the context is no JSON object: %v", err)
	}
	var c Context
	var outputs map[string]json.RawMessage
	for _, field := range []struct {
		key  string
		read func(json.RawMessage) error
	}{
		{"executed", into(&c.Executed)},
		{"已执行原子", appendTo(&c.Executed)},
		{"outputs", into(&outputs)},
		{"历史输出", into(&outputs)},
		{"items", c.readItems},
		{"subtasks", into(&c.Subtasks)},
		{"single_source", into(&c.SingleSource)},
		{"biomedical", into(&c.Biomedical)},
	} {
		if raw, ok := object[field.key]; ok && string(raw) != "null" {
			if err := field.read(raw); err != nil {
				return Context{}, refuse(codeContext, "see `baton task route -h`", "%s in the context: %v", field.key, err)
			}
		}
	}
	c.Outputs = slices.Sorted(maps.Keys(outputs))
	return c, nil
}

func into(value any) func(json.RawMessage) error {
	return func(raw json.RawMessage) error { return json.Unmarshal(raw, value) }
}

func appendTo(list *[]string) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var more []string
		err := json.Unmarshal(raw, &more)
		*list = append(*list, more...)
		return err
	}
}

func (c *Context) readItems(raw json.RawMessage) error {
	if strings.HasPrefix(string(raw), "[") {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
		c.Items = len(list)
	} else if err := json.Unmarshal(raw, &c.Items); err != nil {
		return err
	}
	return c.checkItems()
}

func (c *Context) checkItems() error {
	if c.Items < 0 || c.Items > MostItems {
		return fmt.Errorf("there are %d, between 0 and %d are taken", c.Items, MostItems)
	}
	return nil
}

// startAt is the place of the first atom of a chain that is not done.
func (c Context) startAt(chain []Atom, t atoms) int {
	for i, atom := range chain {
		done := func(name string) bool {
			at := t.place(name)
			return at >= 0 && t.Chain[at].Code == atom.Code
		}
		if !slices.ContainsFunc(c.Executed, done) {
			return i
		}
	}
	return len(chain)
}
