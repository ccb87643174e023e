package timeline

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// Ask says which part of a session is looked at.
type Ask struct {
	Run    string   `json:"run,omitempty"`    // "": the whole session
	From   int      `json:"from,omitempty"`   // the first row
	Count  int      `json:"count,omitempty"`  // how many rows
	Show   string   `json:"show,omitempty"`   // only rows of this standing, see Counts
	Find   string   `json:"find,omitempty"`   // only rows that hold this text
	Folded []string `json:"folded,omitempty"` // rows whose own rows are hidden
	Only   string   `json:"only,omitempty"`   // nothing but this row
}

// Window is the part that was asked for, and what the whole is.
type Window struct {
	Head    Head           `json:"head"`
	Run     *RunHead       `json:"run,omitempty"`
	Rows    []Row          `json:"rows"`
	From    int            `json:"from"`
	Total   int            `json:"total"`  // rows, as filtered
	Counts  map[string]int `json:"counts"` // of all rows that stand for work, by standing
	Start   time.Time      `json:"start"`
	End     time.Time      `json:"end"`  // of what has happened
	Open    bool           `json:"open"` // something goes on, so the present is the end
	Load    []float64      `json:"load"` // how many worked at once, in equal parts from Start to End
	Most    int            `json:"most"` // the most that worked at once
	Lanes   int            `json:"lanes"`
	Newest  int            `json:"newest"` // the row whose attempt began last; -1: none
	Commits int            `json:"commits"`
	Place   int            `json:"place"` // of the commit up to which it is folded
	Commit  Commit         `json:"commit"`
}

// parts is how finely the load is shown.
const parts = 120

// standings gathers states that are counted and filtered together.
var standings = map[string]string{"partial": "ok", "backoff": "waiting"}

func standingOf(row *Row) string {
	if s := standings[row.Status]; s != "" {
		return s
	}
	return row.Status
}

// Window gives some of the rows. now stands for the end of what is still open.
func (t *Timeline) Window(a Ask, now time.Time) Window {
	w := Window{Head: t.Head(), From: max(a.From, 0), Counts: map[string]int{}, Start: t.head.Started, End: t.head.Updated, Newest: -1, Commits: len(t.commits)}
	w.Commit, w.Place = t.At(0)
	r := t.runs[a.Run]
	if r != nil {
		head := t.runHead(r)
		w.Run, w.Start, w.End = &head, r.Started, r.Ended
		if w.End.IsZero() {
			w.End = t.head.Updated
		}
		w.Open = r.Ended.IsZero()
	} else {
		w.Open = t.head.Status == "active" && t.openCalls()
	}
	if w.Open && now.After(w.End) {
		w.End = now
	}
	if a.Only != "" {
		a.Folded = nil // the row may be one of those that are hidden
	}
	laid := t.laid(a, w, r, now)
	rows := laid.rows
	w.Counts, w.Lanes, w.Load, w.Most = laid.counts, laid.lanes, laid.load, laid.most
	rows = narrowed(rows, a)
	w.Total = len(rows)
	if t.last != nil {
		w.Newest = slices.IndexFunc(rows, func(row Row) bool { return row.Call == t.last.Call })
	}
	if a.Only != "" {
		w.From = max(slices.IndexFunc(rows, func(row Row) bool { return row.ID == a.Only }), 0)
		rows, a.Count = slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return row.ID != a.Only }), 1
	}
	from := min(w.From, len(rows))
	if a.Only != "" {
		from = 0
	}
	w.Rows = slices.Clone(rows[from:min(from+max(a.Count, 0), len(rows))])
	for i := range w.Rows {
		w.Rows[i].Bars = slices.Clone(w.Rows[i].Bars) // those of a call go on
	}
	return w
}

// laidOut is all that a window is cut from. It stays the same until something happens, so whoever looks
// through a long run has it laid out once.
type laidOut struct {
	sequence uint64
	run      string
	folded   string
	now      time.Time // zero: nothing is open, the present does not matter
	rows     []Row
	counts   map[string]int
	lanes    int
	load     []float64
	most     int
}

func (t *Timeline) laid(a Ask, w Window, r *run, now time.Time) *laidOut {
	key := laidOut{sequence: t.sequence, run: a.Run, folded: strings.Join(a.Folded, "\x00")}
	if w.Open {
		key.now = now
	}
	if l := t.kept; l != nil && l.sequence == key.sequence && l.run == key.run && l.folded == key.folded && l.now.Equal(key.now) {
		return l
	}
	l := &key
	l.rows, l.counts = t.all(a.Run, a.Folded), map[string]int{}
	for i := range l.rows {
		if l.rows[i].Kind != OfRun {
			l.counts[standingOf(&l.rows[i])]++
		}
		if l.rows[i].Lane != nil {
			l.lanes = max(l.lanes, l.rows[i].Lane.Width)
		}
	}
	w.load(t.working(r), now)
	l.load, l.most = w.Load, w.Most
	t.kept = l
	return l
}

// narrowed keeps the rows that were asked for; taken out of their tree, they need no lanes.
func narrowed(rows []Row, a Ask) []Row {
	find := strings.ToLower(strings.TrimSpace(a.Find))
	if a.Only != "" {
		return rows
	}
	if a.Show == "" && find == "" {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row Row) bool {
		return a.Show != "" && standingOf(&row) != a.Show || find != "" && !row.matches(find)
	})
}

// Head is the session with its runs.
func (t *Timeline) Head() Head {
	h := t.head
	h.Sequence, h.Events, h.Runs = t.sequence, t.facts, []RunHead{}
	for _, r := range t.roots {
		h.Runs = append(h.Runs, t.runHead(r))
	}
	return h
}

func (t *Timeline) runHead(r *run) RunHead {
	h := r.RunHead
	h.Status, h.Steps, h.Done = t.statusOf(r), len(r.steps), r.done()
	for c := range t.callsOf(r) {
		h.Calls++
		if open := c.open(); open != nil && open.Kind == Work {
			h.Working++
		}
	}
	return h
}

// callsOf gives the calls of a run and of those that its steps started, those beside them too.
func (t *Timeline) callsOf(r *run) iter.Seq[*call] {
	return func(yield func(*call) bool) { t.each(r, yield) }
}

func (t *Timeline) each(r *run, yield func(*call) bool) bool {
	visit := func(c *call) bool { return t.visit(c, yield) }
	for _, s := range r.steps {
		if s.call != nil && !visit(s.call) {
			return false
		}
		if s.list == nil {
			continue
		}
		for _, c := range s.list.calls {
			if !visit(c) {
				return false
			}
		}
	}
	return true
}

func (t *Timeline) visit(c *call, yield func(*call) bool) bool {
	if !yield(c) {
		return false
	}
	if child := t.runs[c.Call]; child != nil && !t.each(child, yield) {
		return false
	}
	for _, beside := range c.beside {
		if !t.visit(beside, yield) {
			return false
		}
	}
	return true
}

func (t *Timeline) openCalls() bool {
	for _, c := range t.calls {
		if c.closedAt.IsZero() {
			return true
		}
	}
	return false
}

// working gives the bars of work of a run, or of the whole session.
func (t *Timeline) working(r *run) iter.Seq[Bar] {
	return func(yield func(Bar) bool) {
		bars := func(c *call) bool {
			for _, b := range c.bars {
				if b.Kind == Work && !yield(b) {
					return false
				}
			}
			return true
		}
		if r != nil {
			t.each(r, bars)
			return
		}
		for _, r := range t.roots {
			if !t.each(r, bars) {
				return
			}
		}
		for _, c := range t.byHand {
			if !t.visit(c, bars) {
				return
			}
		}
	}
}

// load counts how much worked in each part of the time, on average.
func (w *Window) load(bars iter.Seq[Bar], now time.Time) {
	whole := w.End.Sub(w.Start)
	if whole <= 0 {
		return
	}
	w.Load = make([]float64, parts)
	part := float64(whole) / parts
	type turn struct {
		at time.Time
		by int
	}
	var turns []turn
	for b := range bars {
		to := b.To
		if to.IsZero() {
			to = now
		}
		turns = append(turns, turn{b.From, 1}, turn{to, -1})
		from, till := float64(b.From.Sub(w.Start))/part, float64(to.Sub(w.Start))/part
		for i := max(int(from), 0); i < parts && float64(i) < till; i++ {
			w.Load[i] += max(min(till, float64(i+1))-max(from, float64(i)), 0)
		}
	}
	slices.SortFunc(turns, func(a, b turn) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.by - b.by
	})
	at := 0
	for _, t := range turns {
		at += t.by
		w.Most = max(w.Most, at)
	}
}
