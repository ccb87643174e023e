package source

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// read normalises a description. The fields are read in the order of the schema, so that what is
// wrong is told in that order.
func read(document []byte, providers Providers) (input, Errors) {
	if !utf8.Valid(document) || !json.Valid(document) {
		return input{}, Errors{{Code: notJSON, Want: "one JSON object"}}
	}
	f := &fields{}
	if json.Unmarshal(document, &f.raw) != nil || f.raw == nil {
		return input{}, Errors{{Code: wrongType, Want: "one JSON object"}}
	}
	in := input{Budget: defaultBudget, Sources: []Source{}, Gaps: []string{}, Domains: []string{}}
	in.Task = f.task()
	in.Subject = f.subject()
	in.Goal = f.mustList("goal_mode", goalModes)
	in.Freshness = f.mustList("freshness_required", freshnesses)
	in.Sources, in.repeated = f.sources()
	if raw, ok := f.must("need_counter_evidence", "true | false"); ok {
		in.WantCounter = f.truth(raw, "need_counter_evidence")
	}
	in.Gaps = f.gaps()
	if raw, ok := f.take("budget_limit"); ok {
		in.Budget = f.whole(raw, "budget_limit", mostBudget)
	}
	in.Domains = f.domains()
	in.Providers = f.providers(providers)
	in.Material = f.material()
	if raw, ok := f.take("retrieval_only"); ok {
		in.Retrieval = f.truth(raw, "retrieval_only")
	}
	f.unknown()
	return in, f.errors
}

func (f *fields) mustList(name string, list []string) string {
	raw, ok := f.must(name, strings.Join(list, " | "))
	if !ok {
		return ""
	}
	s, _ := f.listed(raw, name, list)
	return s
}

// task reads the type of the task. A goal mode in its place is a mistake of its own: the two lists
// are easily taken for each other.
func (f *fields) task() string {
	const name = "task_type"
	want := strings.Join(taskTypes, " | ")
	raw, ok := f.must(name, want)
	if !ok {
		return ""
	}
	s, ok := f.text(raw, name, want)
	switch {
	case !ok || slices.Contains(taskTypes, s):
	case slices.Contains(goalModes, s):
		f.fault(goalAsTask, name, want)
	default:
		f.fault(notListed, name, want)
	}
	return s
}

func (f *fields) subject() string {
	const name, want = "primary_subject", "a text of 1 to 500 characters"
	raw, ok := f.must(name, want)
	if !ok {
		return ""
	}
	s, ok := f.text(raw, name, want)
	s = strings.TrimSpace(s)
	switch {
	case !ok:
	case s == "":
		f.fault(emptyText, name, want)
	case utf8.RuneCountInString(s) > longestText:
		f.fault(tooLong, name, want)
	}
	return s
}

func (f *fields) sources() (list, repeated []Source) {
	const name = "available_sources"
	list = []Source{}
	raw, ok := f.must(name, "a list of "+strings.Join(sources, " | "))
	if !ok {
		return list, nil
	}
	f.list(raw, name, "a list of "+strings.Join(sources, " | "), func(element json.RawMessage, at string) {
		s, ok := f.listed(element, at, sources)
		switch {
		case !ok:
		case !slices.Contains(list, Source(s)):
			list = append(list, Source(s))
		case !slices.Contains(repeated, Source(s)):
			repeated = append(repeated, Source(s))
		}
	})
	return list, repeated
}

func (f *fields) gaps() []string {
	list := []string{}
	raw, ok := f.take("information_gaps")
	if !ok {
		return list
	}
	f.list(raw, "information_gaps", "a list of texts", func(element json.RawMessage, at string) {
		s, _ := f.text(element, at, "a text")
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	})
	return list
}

func (f *fields) domains() []string {
	const want = "a host name such as example.org"
	list := []string{}
	raw, ok := f.take("preferred_domains")
	if !ok {
		return list
	}
	f.list(raw, "preferred_domains", "a list of host names", func(element json.RawMessage, at string) {
		s, ok := f.text(element, at, want)
		s = strings.ToLower(s)
		switch {
		case !ok:
		case !isDomain(s):
			f.fault(notADomain, at, want)
		case !slices.Contains(list, s):
			list = append(list, s)
		}
	})
	return list
}

// providers reads which providers are configured. They come out in the order of the table, with the
// one that is always there.
func (f *fields) providers(table Providers) []string {
	given := table.names()
	if raw, ok := f.take("available_providers"); ok {
		given = nil
		f.list(raw, "available_providers", "a list of "+strings.Join(table.names(), " | "), func(element json.RawMessage, at string) {
			s, _ := f.listed(element, at, table.names())
			given = append(given, s)
		})
	}
	out := []string{}
	for _, p := range table {
		if p.Always || slices.Contains(given, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

func (f *fields) material() material {
	const name = "local_material"
	var m material
	raw, ok := f.take(name)
	if !ok {
		return m
	}
	inner := &fields{}
	if raw[0] != '{' || json.Unmarshal(raw, &inner.raw) != nil {
		f.fault(wrongType, name, "numbers of documents by source: vector, local_file")
		return m
	}
	for _, at := range []struct {
		source Source
		count  *int
	}{{Vector, &m.Vector}, {LocalFile, &m.LocalFile}} {
		if raw, ok := inner.take(string(at.source)); ok {
			*at.count = inner.whole(raw, name+"."+string(at.source), math.MaxInt32)
		}
	}
	for _, other := range slices.Sorted(maps.Keys(inner.raw)) {
		inner.fault(notListed, name+"."+other, "vector | local_file")
	}
	f.errors = append(f.errors, inner.errors...)
	return m
}

// unknown notes every field that is left.
func (f *fields) unknown() {
	for _, name := range slices.Sorted(maps.Keys(f.raw)) {
		f.fault(unknownField, name, "nothing of this name")
	}
}
