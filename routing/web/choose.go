package web

import (
	"cmp"
	"slices"
)

// Candidate is a tool that could take a target, and how well it fits.
type Candidate struct {
	Tool       string     `json:"tool"`
	Capability Capability `json:"capability"`
	Fit        int        `json:"fit"`
	Why        string     `json:"why"`                // what makes it fit
	Ahead      string     `json:"ahead_by,omitempty"` // the first criterion by which it is before the next
	tool       Tool
}

// What makes a tool fit.
const (
	fitsSearch    = "finds_sources"
	fitsSite      = "site_search"
	fitsOperation = "site_operation"
	fitsBrowser   = "needs_browser"
	fitsShell     = "page_has_no_static_content"
	fitsPage      = "known_public_page"
	fitsAnyPage   = "opens_any_page"
)

// fit says how well a tool serves a target; 0 is not at all. While sources are sought there is no
// page to open yet, so that a browser does not fit; an official entry becomes a page of its own.
func (r Request) fit(t Tool, l *lane) (int, string) {
	switch {
	case l.discover && t.Capability == Discover:
		return 3, fitsSearch
	case l.discover && t.Capability == Structure && t.supports(r.Site, "search"):
		return 2, fitsSite
	case l.discover:
		return 0, ""
	case t.Capability == Structure && t.supports(r.Site, r.Operation):
		return 4, fitsOperation
	case t.Capability == Interact && r.Need.browser():
		return 3, fitsBrowser
	case t.Capability == Interact && l.static:
		return 2, fitsShell
	case t.Capability == Interact:
		return 1, fitsAnyPage
	case t.Capability == Retrieve && l.url && !r.Need.browser() && !l.static:
		return 3, fitsPage
	}
	return 0, ""
}

// criterion is one step of the comparison; below 0 is better.
type criterion struct {
	name    string
	compare func(r Request, a, b Candidate) int
}

// criteria in the order in which they decide. The last two leave no two tools equal.
var criteria = []criterion{
	{"preferred", func(r Request, a, b Candidate) int { return cmp.Compare(r.preference(a.Tool), r.preference(b.Tool)) }},
	{"fit", func(_ Request, a, b Candidate) int { return cmp.Compare(b.Fit, a.Fit) }},
	{"scope", func(_ Request, a, b Candidate) int { return cmp.Compare(a.tool.scope(), b.tool.scope()) }},
	{"private_session", func(_ Request, a, b Candidate) int { return cmp.Compare(truth(a.tool.Private), truth(b.tool.Private)) }},
	{"structured", func(_ Request, a, b Candidate) int { return cmp.Compare(b.tool.structured(), a.tool.structured()) }},
	{"latency_ms", func(_ Request, a, b Candidate) int { return cmp.Compare(a.tool.LatencyMS, b.tool.LatencyMS) }},
	{"failure_rate", func(_ Request, a, b Candidate) int { return cmp.Compare(a.tool.Failures, b.tool.Failures) }},
	{"capability", func(_ Request, a, b Candidate) int {
		return cmp.Compare(slices.Index(capabilities, a.Capability), slices.Index(capabilities, b.Capability))
	}},
	{"name", func(_ Request, a, b Candidate) int { return cmp.Compare(a.Tool, b.Tool) }},
}

// preference is the place of a tool among those that the user wants first.
func (r Request) preference(tool string) int {
	if at := slices.Index(r.Prefer, tool); at >= 0 {
		return at
	}
	return len(r.Prefer)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r Request) compare(a, b Candidate) int {
	for _, c := range criteria {
		if d := c.compare(r, a, b); d != 0 {
			return d
		}
	}
	return 0
}

// ahead names the criterion that puts one candidate before another.
func (r Request) ahead(a, b Candidate) string {
	for _, c := range criteria {
		if c.compare(r, a, b) != 0 {
			return c.name
		}
	}
	return ""
}

// weigh lists the tools that can take a target, the best first.
func (t *Task) weigh(l *lane) []Candidate {
	var out []Candidate
	for _, tool := range t.tools {
		if t.gone[tool.Name] || l.out[tool.Name] {
			continue
		}
		if fit, why := t.request.fit(tool, l); fit > 0 {
			out = append(out, Candidate{Tool: tool.Name, Capability: tool.Capability, Fit: fit, Why: why, tool: tool})
		}
	}
	slices.SortFunc(out, t.request.compare)
	return out
}
