package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Row is one line of the waterfall: a step, a call, an item of a list, a run.
type Row struct {
	ID       string    `json:"id"` // the call's; RUN/STEP for a step without one, the run's for a run
	Kind     string    `json:"kind"`
	Depth    int       `json:"depth"`
	Name     string    `json:"name"`
	Run      string    `json:"run,omitempty"`
	Step     string    `json:"step,omitempty"`
	Call     string    `json:"call,omitempty"`  // empty: there is none (yet)
	Child    string    `json:"child,omitempty"` // the session of the run that it started, where that has one of its own
	Skill    string    `json:"skill,omitempty"`
	Status   string    `json:"status"` // pending, queued, running, waiting, backoff, ok, partial, failed, skipped, cancelled
	Waits    Kind      `json:"waits,omitempty"`
	Bars     []Bar     `json:"bars,omitempty"`
	From     time.Time `json:"from,omitzero"`
	To       time.Time `json:"to,omitzero"`
	Attempt  int       `json:"attempt,omitempty"`
	Attempts int       `json:"attempts,omitempty"` // how many there may be; 0: not known
	Error    string    `json:"error,omitempty"`    // of the last attempt that ended badly
	Reason   string    `json:"reason,omitempty"`   // why it was skipped
	Until    time.Time `json:"until,omitzero"`     // when a wait or a backoff ends
	Commits  int       `json:"commits"`            // that hold an event of it
	Folds    bool      `json:"folds,omitempty"`    // it has rows below it
	Folded   bool      `json:"folded,omitempty"`   // and they are hidden
	Total    int       `json:"total,omitempty"`    // of a list
	Done     int       `json:"done,omitempty"`
	Failed   int       `json:"failed,omitempty"`
	Lane     *Lane     `json:"lane,omitempty"`
}

// What a row can stand for.
const (
	OfRun        = "run"
	OfStep       = "step"
	OfList       = "list"
	OfItem       = "item"
	OfCall       = "call"
	OfProbe      = "probe"
	OfCompensate = "compensate"
)

// moment is the least wait that is worth a bar.
const moment = time.Millisecond

// builder lays rows out one below the other.
type builder struct {
	t      *Timeline
	folded map[string]bool
	rows   []Row
}

// all are the rows of a run, or of the whole session.
func (t *Timeline) all(id string, folded []string) []Row {
	b := &builder{t: t, folded: map[string]bool{}, rows: make([]Row, 0, len(t.calls))}
	for _, row := range folded {
		b.folded[row] = true
	}
	if r := t.runs[id]; r != nil {
		b.run(r, 0)
		return b.rows
	}
	if id != "" {
		return nil
	}
	for _, r := range t.beginnings() {
		if r.call != nil {
			b.call(r.call, 0, OfCall)
			continue
		}
		b.header(r.run)
	}
	return b.rows
}

// beginning is a run or a call that nothing of the session led to.
type beginning struct {
	at   time.Time
	run  *run
	call *call
}

// beginnings are those, as they began.
func (t *Timeline) beginnings() []beginning {
	var out []beginning
	for _, r := range t.roots {
		out = append(out, beginning{at: r.Started, run: r})
	}
	for _, c := range t.byHand {
		out = append(out, beginning{at: c.openedAt, call: c})
	}
	slices.SortStableFunc(out, func(a, b beginning) int { return a.at.Compare(b.at) })
	return out
}

// header is a row for a whole run, with its steps below.
func (b *builder) header(r *run) {
	row := Row{ID: r.Run, Kind: OfRun, Name: r.Name, Run: r.Run, Status: b.t.statusOf(r), From: r.Started, To: r.Ended, Reason: r.Reason, Total: len(r.steps)}
	row.Status = cmp.Or(map[string]string{"completed": "ok"}[row.Status], row.Status)
	row.Done = r.done()
	row.Bars = []Bar{{Kind: Work, From: r.Started, To: r.Ended, Outcome: row.Status}}
	row.Folds, row.Folded = len(r.steps) > 0, b.folded[row.ID]
	b.rows = append(b.rows, row)
	if !row.Folded {
		b.run(r, 1)
	}
}

func (b *builder) run(r *run, depth int) {
	var lanes []Lane
	if depth == 0 {
		lanes = lanesOf(r.steps)
	}
	for i, s := range r.steps {
		first := len(b.rows)
		b.step(r, s, depth)
		if lanes == nil || first == len(b.rows) {
			continue
		}
		b.rows[first].Lane = &lanes[i]
		below := lanes[i].below()
		for n := first + 1; n < len(b.rows); n++ {
			b.rows[n].Lane = &below
		}
	}
}

func (b *builder) step(r *run, s *step, depth int) {
	switch {
	case s.list != nil:
		b.list(r, s, depth)
		return
	case s.call != nil && s.status == "":
		b.call(s.call, depth, OfStep)
		return
	}
	row := Row{
		ID: r.Run + "/" + s.id, Kind: OfStep, Depth: depth, Name: s.id, Run: r.Run, Step: s.id,
		Status: cmp.Or(s.status, "pending"), Commits: len(s.commits), From: s.at, To: s.at,
	}
	if s.call != nil {
		row.Call, row.Bars, row.From = s.call.Call, s.call.bars, s.call.openedAt
	}
	if s.status == "failed" {
		row.Error = s.reason
	} else {
		row.Reason = s.reason
	}
	row.plan(s)
	b.rows = append(b.rows, row)
}

// plan adds what the template says of a step.
func (row *Row) plan(s *step) {
	if s != nil && s.plan != nil {
		row.Skill = cmp.Or(row.Skill, s.plan.Skill)
		row.Attempts = s.plan.Retry.Attempts
	}
}

func (b *builder) list(r *run, s *step, depth int) {
	l := s.list
	row := Row{
		ID: r.Run + "/" + s.id, Kind: OfList, Depth: depth, Name: s.id, Run: r.Run, Step: s.id, From: l.from, To: l.to,
		Status: l.status, Total: l.total, Commits: len(s.commits), Error: s.reason, Folds: len(l.calls) > 0,
	}
	waits := true
	for _, c := range l.calls {
		switch status, _ := c.standing(); status {
		case "ok", "partial", "skipped":
			row.Done++
		case "failed":
			row.Failed++
		case "running", "queued":
			waits = false
		}
	}
	if row.Status == "" {
		row.Status = "running"
		if waits && len(l.calls) > 0 && row.Done+row.Failed < len(l.calls) {
			row.Status = "waiting"
		}
		if r.Status == "failed" || r.Status == "cancelled" {
			row.Status, row.To = r.Status, r.Ended
		}
	}
	row.Bars = []Bar{{Kind: Work, From: l.from, To: row.To, Outcome: row.Status}}
	row.plan(s)
	row.Folded = b.folded[row.ID]
	b.rows = append(b.rows, row)
	if row.Folded {
		return
	}
	for _, c := range l.calls {
		b.call(c, depth+1, OfItem)
	}
}

func (b *builder) call(c *call, depth int, kind string) {
	row := c.row(depth, kind)
	var s *step
	if r := b.t.runs[c.Run]; r != nil {
		s = r.byID[c.Step]
		row.Bars = b.held(r, s, c, kind, row.Bars)
		if len(row.Bars) > 0 {
			row.From = row.Bars[0].From
		}
	}
	row.plan(s)
	child := b.t.runs[c.Call]
	row.Folds, row.Folded = child != nil || len(c.beside) > 0, b.folded[row.ID]
	b.rows = append(b.rows, row)
	if row.Folded {
		return
	}
	if child != nil {
		b.run(child, depth+1)
	}
	for _, beside := range c.beside {
		b.call(beside, depth+1, cmp.Or(beside.Purpose, OfCall))
	}
}

// row is a call by itself.
func (c *call) row(depth int, kind string) Row {
	row := Row{
		ID: c.Call, Kind: kind, Depth: depth, Name: c.name(), Run: c.Run, Step: c.Step, Call: c.Call, Child: c.Child, Skill: c.Skill,
		Bars: c.bars, From: c.openedAt, To: c.closedAt, Attempt: c.attempts, Commits: len(c.commits),
	}
	if kind == OfCall && c.Skill != "" {
		row.Name = c.Call + " " + c.Skill
	}
	row.Status, row.Waits = c.standing()
	if open := c.open(); open != nil && c.closedAt.IsZero() {
		row.Until = open.Until
	}
	if c.failure != nil {
		row.Error = said(*c.failure)
	}
	return row
}

// standing says where a call stands, and what it waits for.
func (c *call) standing() (status string, waits Kind) {
	if !c.closedAt.IsZero() {
		return c.status, ""
	}
	open := c.open()
	switch {
	case open == nil:
		return "queued", Queue
	case open.Kind == Work:
		return "running", ""
	case open.Kind == Queue:
		return "queued", Queue
	case open.Kind == Backoff:
		return "backoff", Backoff
	}
	return "waiting", open.Kind
}

// held puts in front what a step waited for before it was opened, although all it needs was there: a
// free place among limits.parallel.
func (b *builder) held(r *run, s *step, c *call, kind string, bars []Bar) []Bar {
	var ready time.Time
	switch {
	case s == nil || len(bars) == 0:
		return bars
	case kind == OfItem && s.list != nil:
		ready = s.list.from
	case kind == OfStep && s.plan != nil && r.Parallel > 0:
		ready = r.ready(s)
	default:
		return bars
	}
	if ready.Before(b.t.parted) && bars[0].From.After(b.t.parted) {
		ready = b.t.parted // nothing was held back between the two
	}
	if ready.IsZero() || bars[0].From.Sub(ready) <= moment {
		return bars
	}
	return append([]Bar{{Kind: Limit, From: ready, To: bars[0].From}}, bars...)
}

// ready is when all that a step needs had ended.
func (r *run) ready(s *step) time.Time {
	at := r.Started
	for _, i := range s.plan.Needs {
		if i >= len(r.steps) {
			return time.Time{}
		}
		end := r.steps[i].ended()
		if end.IsZero() {
			return time.Time{}
		}
		if end.After(at) {
			at = end
		}
	}
	return at
}

func (s *step) ended() time.Time {
	switch {
	case s.list != nil:
		return s.list.to
	case s.call != nil && s.status == "":
		return s.call.closedAt
	}
	return s.at
}

// status is where a step stands.
func (s *step) standing() string {
	switch {
	case s.list != nil:
		return cmp.Or(s.list.status, "running")
	case s.call != nil && s.status == "":
		status, _ := s.call.standing()
		return status
	}
	return cmp.Or(s.status, "pending")
}

func (r *run) done() int {
	n := 0
	for _, s := range r.steps {
		switch s.standing() {
		case "ok", "partial", "skipped":
			n++
		}
	}
	return n
}

// statusOf tells a run that waits for somebody or something from one that workers move.
func (t *Timeline) statusOf(r *run) string {
	if r.Status != "running" {
		return r.Status
	}
	open := false
	for c := range t.callsOf(r) {
		switch status, _ := c.standing(); status {
		case "running", "queued":
			return "running"
		case "waiting", "backoff":
			open = true
		}
	}
	if open {
		return "waiting"
	}
	return "running"
}

// matches says whether a text stands in a row.
func (row *Row) matches(find string) bool {
	for _, text := range []string{row.Name, row.Skill, row.Error, row.Reason} {
		if strings.Contains(strings.ToLower(text), find) {
			return true
		}
	}
	return false
}
