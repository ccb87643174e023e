package web

import (
	"cmp"
	"slices"
	"strings"
)

// maxParallel is how many calls are in flight at most, whatever a host takes.
const maxParallel = 3

// advance begins what follows when every lane is over: targets after a search, the next batch, or
// the end.
func (t *Task) advance() {
	switch {
	case t.search != nil:
		l := t.search
		t.search, t.lanes = nil, nil
		t.newPage()
		t.discovered(l)
	case len(t.queue) == 0:
		t.finish()
	case t.enough():
		t.newPage().add(Event{Event: "expansion_stopped", Reason: "enough_evidence"})
		t.finish()
	default:
		t.startBatch()
	}
}

// startSearch begins to look for sources: for the query, or for the site when there is none.
func (t *Task) startSearch() {
	sought := t.request.Query
	if strings.TrimSpace(sought) == "" {
		sought = t.request.Site
	}
	t.search = newLane(sought)
	t.search.discover = true
	t.lanes = []*lane{t.search}
	t.pages = append(t.pages, &t.search.page)
}

// discovered makes targets of what a search found, or falls back to an official entry.
func (t *Task) discovered(l *lane) {
	if l.end == good {
		for _, raw := range l.found.URLs {
			t.accept(raw, false)
		}
		if len(t.queue) == 0 {
			unverified := false
			t.final = &Final{Status: Partial, Reason: summariesOnly, Verified: &unverified}
		}
		return
	}
	if l.reason != noCapability {
		t.final = &Final{Status: statusOf[l.end], Reason: l.reason}
		return
	}
	l.notes = slices.DeleteFunc(l.notes, func(n Note) bool { return n == Note{NoteBlocked, noCapability} })
	if !t.fallBack() {
		t.here().note(NoteBlocked, noDiscovery)
		t.final = &Final{Status: Blocked, Reason: noDiscovery}
	}
}

// fallBack makes the first official entry that works for the query the target. Entries of the site
// that the user named come first, the others in their order.
func (t *Task) fallBack() bool {
	entries := slices.Clone(t.host.Fallbacks)
	slices.SortStableFunc(entries, func(a, b Fallback) int { return cmp.Compare(truth(t.names(b)), truth(t.names(a))) })
	for _, f := range entries {
		address, err := f.Entry(t.request.Query)
		works := err == nil
		if !works {
			t.here().add(Event{Event: "site_fallback", ID: f.ID, OK: &works, Reason: err.Error()})
			continue
		}
		t.here().add(Event{Event: "site_fallback", ID: f.ID, OK: &works, URL: address})
		t.here().note(NoteSwitch, "site_fallback:"+f.ID)
		t.accept(address, false)
		return len(t.queue) > 0
	}
	return false
}

// names says whether the user named the site of an official entry: npm names npm-search.
func (t *Task) names(f Fallback) bool {
	site := t.request.Site
	return site != "" && (f.ID == site || strings.HasPrefix(f.ID, site+"-"))
}

func (t *Task) good() int {
	n := 0
	for _, l := range t.lanes {
		if l.end == good {
			n++
		}
	}
	return n
}

func (t *Task) enough() bool { return t.request.Enough > 0 && t.good() >= t.request.Enough }

// startBatch begins the targets that run side by side.
func (t *Task) startBatch() {
	n := t.width()
	var batch []*lane
	batch, t.queue = t.queue[:n], t.queue[n:]
	targets := make([]string, n)
	for i, l := range batch {
		targets[i] = l.target
	}
	t.newPage().add(Event{Event: "batch", Targets: targets})
	t.batch = len(t.lanes)
	for _, l := range batch {
		t.lanes = append(t.lanes, l)
		t.pages = append(t.pages, &l.page)
	}
}

// width is how many of the targets that are left may run side by side: one when anything is done in
// somebody's name or in a session.
func (t *Task) width() int {
	if t.request.Need.Login || len(t.request.needed()) > 0 {
		return 1
	}
	if c, ok := t.pick(t.queue[0]); ok && c.tool.serial() {
		return 1
	}
	n := min(maxParallel, max(1, t.host.MaxParallel), len(t.queue))
	if t.request.Enough > 0 {
		n = min(n, t.request.Enough-t.good())
	}
	return n
}
