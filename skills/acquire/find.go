package acquire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/skills"
)

// Request is what somebody wants to bring in.
type Request struct {
	Query   string `json:"query"`
	Slug    string `json:"slug,omitempty"`
	Version string `json:"version,omitempty"`
	Source  string `json:"source,omitempty"` // a kind of source; "": any
	Auto    bool   `json:"auto,omitempty"`   // go on with P1 without asking
	Force   bool   `json:"force,omitempty"`  // put it in place of what is installed
	To      string `json:"to,omitempty"`     // folder of skills; "": the installation's own
}

// Candidate is a version of a skill that a request may mean.
type Candidate struct {
	Slug        string   `json:"slug"`
	Version     string   `json:"version"`
	Source      string   `json:"source"`
	Description string   `json:"description,omitempty"`
	Pinned      string   `json:"pinned,omitempty"` // the digest that the table of trust names
	Versions    []string `json:"versions"`         // that are known
	Score       float64  `json:"score,omitempty"`
	Why         []string `json:"why"`
}

// Found is what the step find leaves behind.
type Found struct {
	Candidate
	Candidates []Candidate `json:"candidates"`
	Warnings   []string    `json:"warnings,omitempty"`
}

// mostCandidates is how many candidates are told.
const mostCandidates = 10

// Check refuses a request that cannot be meant.
func (r Request) Check() error {
	if strings.TrimSpace(r.Query) == "" && r.Slug == "" {
		return refuse(CodeQuery, "say what you need with --query, or name it with --slug", "neither words nor a name say what is wanted")
	}
	if r.Slug != "" {
		if err := CheckSlug(r.Slug); err != nil {
			return err
		}
	}
	if r.Version != "" {
		if err := CheckVersion(r.Version); err != nil {
			return err
		}
	}
	if r.Source != "" && !slices.Contains(Kinds(), r.Source) {
		return refuse(CodeSource, "use "+strings.Join(Kinds(), ", "), "%q is no kind of source", r.Source)
	}
	return nil
}

// Find looks for a request in the table of trust and in the indexes that it names.
func (s Shop) Find(ctx context.Context, r Request) (Found, error) {
	if err := r.Check(); err != nil {
		return Found{}, err
	}
	known, warnings := s.known(ctx)
	if r.Source != "" {
		known = slices.DeleteFunc(known, func(c Candidate) bool { return c.Source != r.Source })
	}
	list, err := rank(known, r)
	if err != nil {
		return Found{}, err
	}
	if len(list) == 0 {
		return Found{}, refuse(CodeNone, "see `baton acquire trust list`, or name a new one with `baton acquire trust add`",
			"nothing in the table of trust or its indexes fits %q", strings.TrimSpace(r.Slug+" "+r.Query)).With("warnings", warnings)
	}
	chosen := list[0]
	if len(list) > 1 && chosen.Slug != r.Slug && chosen.Slug != r.Query && list[1].Score*1.2 > chosen.Score {
		return Found{}, refuse(CodeMany, "name one with --slug", "%q may mean %s or %s", r.Query, list[0].Slug, list[1].Slug).With("candidates", list)
	}
	if chosen.Version, err = versionOf(s.Trust, chosen, r); err != nil {
		return Found{}, err
	}
	if e, ok := s.Trust.Find(chosen.Slug); ok {
		chosen.Pinned = e.Versions[chosen.Version]
	}
	return Found{Candidate: chosen, Candidates: list, Warnings: warnings}, nil
}

// versionOf is the version that was asked for, or the only one that is pinned.
func versionOf(t Trust, c Candidate, r Request) (string, error) {
	if r.Version != "" {
		return r.Version, nil
	}
	e, _ := t.Find(c.Slug)
	pins := slices.Sorted(maps.Keys(e.Versions))
	if len(pins) == 1 {
		return pins[0], nil
	}
	what := "no version of it is pinned"
	if len(pins) > 1 {
		what = "these are pinned: " + strings.Join(pins, ", ")
	}
	return "", refuse(CodeNoVersion, "give --version, since there is no latest", "which version of %s? %s", c.Slug, what).With("slug", c.Slug).With("versions", pins)
}

// known are all skills of the table and of its indexes, each once.
func (s Shop) known(ctx context.Context) ([]Candidate, []string) {
	var out []Candidate
	var warnings []string
	for _, e := range s.Trust.Entries {
		out = append(out, Candidate{Slug: e.Slug, Source: e.Source, Description: e.Description, Versions: slices.Sorted(maps.Keys(e.Versions))})
	}
	for _, x := range s.Trust.Indexes {
		list, err := s.readIndex(ctx, x)
		if err != nil {
			warnings = append(warnings, err.Error())
			continue
		}
		for _, c := range list {
			if i := slices.IndexFunc(out, func(o Candidate) bool { return o.Slug == c.Slug }); i >= 0 {
				out[i].Description = firstOf(out[i].Description, c.Description)
				continue
			}
			out = append(out, c)
		}
	}
	return out, warnings
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// mostIndex is how long an index may be.
const mostIndex = 8 << 20

// readIndex reads an index of skills. Its digests are not kept: they come from the network.
func (s Shop) readIndex(ctx context.Context, x Index) ([]Candidate, error) {
	e := Entry{Slug: "index", Source: "https", URL: x.URL, Identity: x.Identity}
	if x.Dir != "" {
		e = Entry{Slug: "index", Source: "dir", Dir: x.Dir, Asset: "index.json", Identity: x.Identity}
	}
	source := s.sources()[e.Source]
	place := source.Places(e, "")[0]
	body, _, _, err := source.Open(ctx, place, 0)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", place, err)
	}
	text, err := io.ReadAll(io.LimitReader(body, mostIndex+1))
	if err := errors.Join(err, body.Close()); err != nil || len(text) > mostIndex {
		return nil, fmt.Errorf("index %s: it cannot be read, or is too long: %w", place, err)
	}
	if err := s.indexSigned(ctx, e, text); err != nil {
		return nil, fmt.Errorf("index %s: %w", place, err)
	}
	return parseIndex(text, e.Source)
}

func (s Shop) indexSigned(ctx context.Context, e Entry, text []byte) error {
	if e.Identity == nil {
		return nil
	}
	f, err := os.CreateTemp("", "baton-index-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	_, err = s.signed(ctx, e, "", f.Name())
	return err
}

// parseIndex reads {"skills": [{name, description, versions}]}, or the list alone. Versions are names,
// or a mapping by name.
func parseIndex(text []byte, source string) ([]Candidate, error) {
	type listed struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Versions    json.RawMessage `json:"versions"`
	}
	var whole struct {
		Skills []listed `json:"skills"`
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		if err := json.Unmarshal(text, &whole.Skills); err != nil {
			return nil, fmt.Errorf("it is no index: %w", err)
		}
	}
	var out []Candidate
	for _, l := range whole.Skills {
		if CheckSlug(l.Name) != nil {
			continue
		}
		c := Candidate{Slug: l.Name, Source: source, Description: l.Description, Versions: []string{}}
		var byName map[string]json.RawMessage
		var names []string
		if json.Unmarshal(l.Versions, &byName) == nil {
			names = slices.Sorted(maps.Keys(byName))
		} else if json.Unmarshal(l.Versions, &names) != nil {
			names = nil
		}
		for _, v := range names {
			if CheckVersion(v) == nil {
				c.Versions = append(c.Versions, v)
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// rank puts the candidates in the order in which the skill router would take them; a name that was
// given in full stands alone.
func rank(known []Candidate, r Request) ([]Candidate, error) {
	for _, name := range []string{r.Slug, strings.TrimSpace(r.Query)} {
		if i := slices.IndexFunc(known, func(c Candidate) bool { return c.Slug == name }); i >= 0 {
			c := known[i]
			c.Why = []string{"its name is " + name}
			return []Candidate{c}, nil
		}
	}
	if r.Slug != "" {
		return nil, nil
	}
	list := make([]skills.Skill, len(known))
	for i, c := range known {
		list[i] = skills.Skill{Name: c.Slug, Description: c.Description, Tier: skills.TierRemote, Trusted: true, Usable: true, Path: c.Slug, File: c.Slug}
	}
	searcher, err := skill.NewSearcher(skills.NewIndex(list))
	if err != nil {
		return nil, err
	}
	var out []Candidate
	for _, hit := range searcher.Search(r.Query, mostCandidates) {
		i := slices.IndexFunc(known, func(c Candidate) bool { return c.Slug == hit.Name })
		c := known[i]
		c.Score, c.Why = hit.Score, hit.Why
		out = append(out, c)
	}
	return out, nil
}
