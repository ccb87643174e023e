package projections

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var (
	// ErrUnknown says that no session or run has an id that begins so.
	ErrUnknown = errors.New("unknown id")
	// ErrAmbiguous says that several ids begin so; the error lists them.
	ErrAmbiguous = errors.New("ambiguous id")
)

// last names the newest one.
const last = "@last"

// FindSession finds a session by its id, a prefix that only one id has, or @last. ErrUnknown,
// ErrAmbiguous.
func (x *Index) FindSession(prefix string) (SessionRow, error) {
	if s := x.sessions[prefix]; s != nil {
		return s.SessionRow, nil
	}
	return find("session", prefix, x.Sessions(), func(s SessionRow) string { return s.ID })
}

// FindRun finds a run by its id, a prefix that only one id has, or @last; of a run that was forked into
// another session, the one of the session that is named, or else the newest. With only, none of another
// session is found. ErrUnknown, ErrAmbiguous.
func (x *Index) FindRun(prefix, session string, only bool) (RunRow, error) {
	rows := x.findable(prefix)
	id := func(r RunRow) string { return r.ID }
	if session != "" {
		own := slices.DeleteFunc(slices.Clone(rows), func(r RunRow) bool { return r.Session != session })
		row, err := find("run", prefix, own, id)
		if only || err == nil && prefix != last {
			return row, err
		}
	}
	seen := map[string]bool{}
	return find("run", prefix, slices.DeleteFunc(rows, func(r RunRow) bool {
		again := seen[r.ID] // one that was forked: the newest counts
		seen[r.ID] = true
		return again
	}), id)
}

// findable leaves child runs out unless one is named in full: their ids begin with that of the run above.
func (x *Index) findable(prefix string) []RunRow {
	return slices.DeleteFunc(x.Runs(), func(r RunRow) bool { return strings.Contains(r.ID, "/") && r.ID != prefix })
}

// Last is the newest active session of a workspace or, if none is active, the newest one; false if
// the workspace has none. Sessions that were begun for a call of another are nobody's to work in.
func (x *Index) Last(workspace string) (SessionRow, bool) {
	var best *SessionRow
	for _, s := range x.sessions {
		if s.Workspace == workspace && s.Caller == "" && (best == nil || x.rather(&s.SessionRow, best)) {
			best = &s.SessionRow
		}
	}
	if best == nil {
		return SessionRow{}, false
	}
	return *best, true
}

func (x *Index) rather(a, b *SessionRow) bool {
	if a.Status != b.Status {
		return a.Status == "active"
	}
	return newestSession(*a, *b) < 0
}

// find looks through rows, the newest first. Letters' case does not matter.
func find[Row any](kind, prefix string, rows []Row, id func(Row) string) (Row, error) {
	var none Row
	if prefix == last && len(rows) > 0 {
		return rows[0], nil
	}
	want := strings.ToLower(prefix)
	exact := slices.IndexFunc(rows, func(r Row) bool { return strings.ToLower(id(r)) == want })
	if exact >= 0 {
		return rows[exact], nil
	}
	var hits []Row
	for _, r := range rows {
		if want != "" && strings.HasPrefix(strings.ToLower(id(r)), want) {
			hits = append(hits, r)
		}
	}
	switch len(hits) {
	case 0:
		return none, fmt.Errorf("%w: no %s %s", ErrUnknown, kind, Escape(prefix))
	case 1:
		return hits[0], nil
	}
	return none, fmt.Errorf("%w: %s %s may be %s", ErrAmbiguous, kind, Escape(prefix), names(hits, id))
}

// listed is how many ids an ambiguity names.
const listed = 5

func names[Row any](hits []Row, id func(Row) string) string {
	var ids []string
	for _, r := range hits[:min(listed, len(hits))] {
		ids = append(ids, id(r))
	}
	text := strings.Join(ids, ", ")
	if len(hits) > listed {
		text += fmt.Sprintf(" and %d more", len(hits)-listed)
	}
	return text
}
