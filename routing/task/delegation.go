package task

import "slices"

// MostItemsPerChild is how many items one child can work on before its time is over.
const MostItemsPerChild = 10

// toolsets are what every child may choose from.
var toolsets = []string{"terminal", "file", "web", "skills"}

// Delegation hands the query to a child. Goal is the query byte for byte and Context is empty: the
// child knows by itself how to go about it.
type Delegation struct {
	Goal     string   `json:"goal"`
	Context  string   `json:"context"`
	Toolsets []string `json:"toolsets"`
	Scope    *Scope   `json:"scope"` // nil: all of it
}

// Scope is the part of the work that one child does. Children count from 1, and so do items.
type Scope struct {
	Index     int    `json:"index"`
	Of        int    `json:"of"`
	Item      string `json:"item,omitempty"`       // the target
	FirstItem int    `json:"first_item,omitempty"` // 0: not by items
	ItemCount int    `json:"item_count,omitempty"`
}

// Delegate hands a query out over its items, ten to a child; with none or few there is one child.
func Delegate(query string, items int) []Delegation { return delegate(query, nil, items) }

// delegate hands the query out: a child for each target, and for each ten of more than ten items.
func delegate(query string, targets []string, items int) []Delegation {
	var scopes []Scope
	if len(targets) == 0 {
		scopes = batches("", items)
	}
	for _, target := range targets {
		scopes = append(scopes, batches(target, items)...)
	}
	out := make([]Delegation, len(scopes))
	for i, s := range scopes {
		out[i] = Delegation{Goal: query, Toolsets: slices.Clone(toolsets)}
		if len(scopes) > 1 {
			s.Index, s.Of = i+1, len(scopes)
			out[i].Scope = &s
		}
	}
	return out
}

// batches cuts the items of one target into parts that a child can do; each item is in one of them.
func batches(target string, items int) []Scope {
	if items <= MostItemsPerChild {
		return []Scope{{Item: target}}
	}
	var out []Scope
	for first := 1; first <= items; first += MostItemsPerChild {
		out = append(out, Scope{Item: target, FirstItem: first, ItemCount: min(MostItemsPerChild, items-first+1)})
	}
	return out
}

// Proposal is a delegation as an agent would make it, before it is let through.
type Proposal struct {
	Goal     string   `json:"goal"`
	Context  string   `json:"context"`
	Toolsets []string `json:"toolsets"` // none: the usual ones
	Items    int      `json:"items"`
	Depth    int      `json:"depth"` // 0 and 1: a child of the router; more: a child of a child
}

// Lint gives the codes of what is wrong with a delegation of a query; none: nothing is.
func Lint(query string, p Proposal) []string {
	found := []string{}
	for _, rule := range []struct {
		broken bool
		code   string
	}{
		{p.Context != "", "E_CONTEXT_NOT_EMPTY"},
		{p.Goal != query, "E_GOAL_NOT_VERBATIM"},
		{p.Items > MostItemsPerChild, "E_TOO_MANY_ITEMS"},
		{p.Depth > 1, "E_NESTED_DELEGATION"},
		{slices.ContainsFunc(p.Toolsets, func(name string) bool { return !slices.Contains(toolsets, name) }), "E_TOOLSET"},
	} {
		if rule.broken {
			found = append(found, rule.code)
		}
	}
	return found
}

// Proposal gives the delegation as Lint takes it.
func (d Delegation) Proposal() Proposal {
	p := Proposal{Goal: d.Goal, Context: d.Context, Toolsets: d.Toolsets, Depth: 1}
	if d.Scope != nil {
		p.Items = d.Scope.ItemCount
	}
	return p
}
