package web

import (
	"fmt"
	"slices"
	"strings"
)

// Request is a task as the user means it. Nothing that is fetched changes it.
type Request struct {
	Query       string   `json:"query,omitempty"`
	URLs        []string `json:"urls,omitempty"`
	Site        string   `json:"site,omitempty"`
	Operation   string   `json:"operation,omitempty"`
	Need        Need     `json:"need,omitzero"`
	SideEffects []string `json:"side_effects,omitempty"` // what happens to the world, see [NeedsGrant]
	Prefer      []string `json:"prefer,omitempty"`       // tools that go first, in this order
	Forbid      []string `json:"forbid,omitempty"`       // tools that are never used
	Granted     []string `json:"granted,omitempty"`      // actions that were confirmed, each for one use
	Enough      int      `json:"enough,omitempty"`       // good sources that suffice; 0: all of them
}

// Need is what a page must be met with.
type Need struct {
	JS      bool `json:"js,omitempty"`
	Visual  bool `json:"visual,omitempty"`
	Login   bool `json:"login,omitempty"`
	Actions bool `json:"actions,omitempty"`
	Fresh   bool `json:"fresh,omitempty"` // what is found must show its date
}

// browser says whether only a session in a browser, or a tool made for the site, will do.
func (n Need) browser() bool { return n.JS || n.Visual || n.Login || n.Actions }

func (r Request) check() error {
	switch {
	case r.Enough < 0:
		return fmt.Errorf("enough: %d is below 0", r.Enough)
	case strings.TrimSpace(r.Query) == "" && len(r.URLs) == 0 && r.Site == "":
		return fmt.Errorf("query: give a query, urls or a site")
	}
	return nil
}

// forbids says whether the user does not want a tool, in whatever case it is written.
func (r Request) forbids(tool string) bool {
	return slices.ContainsFunc(r.Forbid, func(name string) bool { return strings.EqualFold(name, tool) })
}

// Outcome is what a call came to.
type Outcome struct {
	Result     string   `json:"result"` // ok, or a [Code]
	URLs       []string `json:"urls,omitempty"`
	Date       string   `json:"date,omitempty"`          // of the content, as the page says it
	RetryAfter *float64 `json:"retry_after_s,omitempty"` // seconds
	Skeleton   bool     `json:"skeleton,omitempty"`      // the page came without its content
	Truncated  bool     `json:"truncated,omitempty"`     // the page came without its end
}

func (o Outcome) check() error {
	switch {
	case o.Result == "":
		return fmt.Errorf("result: say ok, or what went wrong")
	case o.RetryAfter != nil && *o.RetryAfter < 0:
		return fmt.Errorf("retry_after_s: %v is below 0", *o.RetryAfter)
	}
	return nil
}
