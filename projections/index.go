package projections

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/schedules"
)

// Index folds the whole log into what the server keeps at hand: a row for every session and run, and
// the work that is open. What has ended leaves no trace here but its row, so it stays small however
// long the log grows. Its zero value is ready.
type Index struct {
	checkpoint
	commit    uint64 // that is being folded, counted in its session
	skills    SkillsRow
	feedback  feedback
	schedules map[string]*schedules.Row
	sessions  map[string]*sessionState
	runs      map[runKey]*RunRow
	open      map[string]*openWork // by session
	called    map[*RunRow]bool     // those under way that are carried out for a call in another session
}

// SessionRow is a session in a list.
type SessionRow struct {
	ID        string    `json:"session"`
	Goal      string    `json:"goal"`
	Mode      string    `json:"mode"`
	Status    string    `json:"status"` // active, ended
	Workspace string    `json:"workspace"`
	StartedAt time.Time `json:"started_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Skill     string    `json:"current_skill,omitempty"`
	Calls     int       `json:"calls"`
	Caller    string    `json:"caller,omitempty"` // the session whose call it was begun for
	First     uint64    `json:"first_sequence"`   // its first commit
	Sequence  uint64    `json:"sequence"`         // its last commit
}

// RunRow is a run in a list.
type RunRow struct {
	ID        string    `json:"run"`
	Session   string    `json:"session"`
	Name      string    `json:"name"`
	Status    string    `json:"status"` // running, waiting, completed, failed, cancelled
	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	Parent    string    `json:"parent,omitempty"` // the call that it is the child run of
	First     uint64    `json:"first_sequence"`   // the commit that started it
	Commit    uint64    `json:"commit,omitempty"` // which one of the session's that was; 0: of one that it was forked from
	Sequence  uint64    `json:"sequence"`         // the last commit about it
	Skills    []string  `json:"skills,omitempty"` // that it uses, as far as it got
	USD       float64   `json:"usd,omitempty"`    // that its calls reported, like tokens
	Tokens    int       `json:"tokens,omitempty"`
	// Caller is the call in another session that it is carried out for.
	Caller events.Caller `json:"caller,omitzero"`
}

// SkillsRow is the index of installed skills that was scanned last.
type SkillsRow struct {
	Index    string `json:"index,omitempty"` // its SHA-256
	Count    int    `json:"count,omitempty"`
	Sequence uint64 `json:"sequence,omitempty"`
}

// QueuedCall is a call that was opened on a queue and that nobody has started.
type QueuedCall struct {
	Session  string
	Call     string
	Run      string
	Queue    string
	Waits    bool      // for somebody outside (a claim, an approval), not for a worker
	Limits   []string  // that it counts against
	Sequence uint64    // of the commit that made it ready
	Since    time.Time // of that commit
}

// HeldCall is a call whose current attempt has not ended.
type HeldCall struct {
	Session  string
	Call     string
	Run      string
	Queue    string
	Attempt  int
	Worker   string
	Baton    uint64 // the baton's sequence in the work stream
	Sequence uint64 // of the commit that claimed it
	Since    time.Time
	Limits   []string // that it counts against
}

// TimerRow is a timer that has neither fired nor been voided. A time that cannot be read is zero,
// so it rings at once and decide looks at it.
type TimerRow struct {
	Session  string    `json:"session"`
	Timer    string    `json:"timer"`
	Kind     string    `json:"kind"`
	At       time.Time `json:"at,omitzero"`
	Run      string    `json:"run,omitempty"`
	Call     string    `json:"call,omitempty"`
	Sequence uint64    `json:"sequence"`
}

// ApprovalRow is a question that nobody has answered, about a call that waits for the answer.
type ApprovalRow struct {
	Session  string    `json:"session"`
	Run      string    `json:"run"`
	Step     string    `json:"step"`
	Call     string    `json:"call_id"`
	Approval string    `json:"approval"`
	Question string    `json:"question"`
	Action   string    `json:"action"` // SHA-256 of what will be done
	Since    time.Time `json:"asked_at"`
	Expires  time.Time `json:"expires,omitzero"` // when silence is a no; zero: never
	Sequence uint64    `json:"sequence"`         // of the commit that asked
}

type runKey struct{ session, run string }

type sessionState struct {
	SessionRow
	Stack stack `json:"stack,omitempty"`
}

type openWork struct {
	calls     map[string]*openCall
	timers    map[string]TimerRow
	approvals map[string]ApprovalRow
}

// openCall is a call that a queue or a run knows and that has not ended.
type openCall struct {
	Session   string    `json:"session"`
	Call      string    `json:"call"`
	Run       string    `json:"run,omitempty"`
	Queue     string    `json:"queue,omitempty"`
	Waits     bool      `json:"waits,omitempty"`
	Limits    []string  `json:"limits,omitempty"`
	Attempt   int       `json:"attempt,omitempty"` // the running one; 0: none
	Child     string    `json:"child,omitempty"`   // the session of its child run
	Worker    string    `json:"worker,omitempty"`
	Baton     uint64    `json:"baton,omitempty"`
	Suspended bool      `json:"suspended,omitempty"`
	Backoff   bool      `json:"backoff,omitempty"`
	Asked     bool      `json:"asked,omitempty"`  // not to be started before a person agrees, or a probe has answered
	Probes    string    `json:"probes,omitempty"` // the call whose effect it looks for
	Sequence  uint64    `json:"sequence"`
	Since     time.Time `json:"since"`
}

// busy says that the call keeps its run going: a worker has it, or one will without anybody's doing.
func (c *openCall) busy() bool {
	switch {
	case c.Suspended:
		return false
	case c.Attempt > 0:
		return c.Worker != "" || !c.Waits
	}
	return c.Queue != "" && !c.Waits && !c.Backoff && !c.Asked
}

// Sessions lists all sessions, the newest first.
func (x *Index) Sessions() []SessionRow {
	rows := make([]SessionRow, 0, len(x.sessions))
	for _, s := range x.sessions {
		rows = append(rows, s.SessionRow)
	}
	slices.SortFunc(rows, newestSession)
	return rows
}

// Runs lists all runs, the newest first, child runs among them.
func (x *Index) Runs() []RunRow {
	rows := make([]RunRow, 0, len(x.runs))
	for _, r := range x.runs {
		rows = append(rows, x.row(r))
	}
	slices.SortFunc(rows, newestRun)
	return rows
}

// Skills is the index of skills that was scanned last.
func (x *Index) Skills() SkillsRow { return x.skills }

// Schedules lists the schedules that are not removed, by name.
func (x *Index) Schedules() []schedules.Row {
	rows := make([]schedules.Row, 0, len(x.schedules))
	for _, name := range slices.Sorted(maps.Keys(x.schedules)) {
		rows = append(rows, *x.schedules[name])
	}
	return rows
}

// row is a run as it stands: unfinished, it runs while one of its calls is busy, else it waits.
func (x *Index) row(r *RunRow) RunRow {
	row := *r
	if row.Status != "running" {
		return row
	}
	row.Status = "waiting"
	if work := x.open[r.Session]; work != nil {
		for _, c := range work.calls {
			if (c.Run == r.ID || strings.HasPrefix(c.Run, r.ID+"/")) && c.busy() {
				row.Status = "running"
			}
		}
	}
	return row
}

// Queued lists the calls that wait to be started, the longest waiting first. Those in backoff, set
// aside, held by an approval, or of a run that failed are not due.
func (x *Index) Queued() []QueuedCall {
	var rows []QueuedCall
	for _, c := range x.calls() {
		run := x.runs[runKey{c.Session, c.Run}]
		if c.Attempt > 0 || c.Queue == "" || c.Suspended || c.Backoff || c.Asked || run != nil && run.Status == "failed" {
			continue
		}
		rows = append(rows, QueuedCall{c.Session, c.Call, c.Run, c.Queue, c.Waits, c.Limits, c.Sequence, c.Since})
	}
	return rows
}

// Held lists the calls whose attempt runs, the longest held first. One without a worker is nobody's
// work: it waits for a person, a time or a signal.
func (x *Index) Held() []HeldCall {
	var rows []HeldCall
	for _, c := range x.calls() {
		if c.Attempt > 0 && !c.Suspended {
			rows = append(rows, HeldCall{c.Session, c.Call, c.Run, c.Queue, c.Attempt, c.Worker, c.Baton, c.Sequence, c.Since, c.Limits})
		}
	}
	return rows
}

// Approvals lists the questions that nobody has answered, the longest open first.
func (x *Index) Approvals() []ApprovalRow {
	var rows []ApprovalRow
	for _, work := range x.open {
		rows = slices.AppendSeq(rows, maps.Values(work.approvals))
	}
	slices.SortFunc(rows, func(a, b ApprovalRow) int {
		return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Approval, b.Approval))
	})
	return rows
}

// Timers lists the timers that are set, the next one first.
func (x *Index) Timers() []TimerRow {
	var rows []TimerRow
	for _, work := range x.open {
		rows = slices.AppendSeq(rows, maps.Values(work.timers))
	}
	slices.SortFunc(rows, func(a, b TimerRow) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Timer, b.Timer))
	})
	return rows
}

// calls are all open calls in the order of the log.
func (x *Index) calls() []*openCall {
	var rows []*openCall
	for _, work := range x.open {
		rows = slices.AppendSeq(rows, maps.Values(work.calls))
	}
	slices.SortFunc(rows, func(a, b *openCall) int {
		return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Call, b.Call))
	})
	return rows
}

func newestSession(a, b SessionRow) int {
	return cmp.Or(cmp.Compare(b.First, a.First), cmp.Compare(b.ID, a.ID))
}

func newestRun(a, b RunRow) int {
	return cmp.Or(cmp.Compare(b.First, a.First), cmp.Compare(b.ID, a.ID), cmp.Compare(b.Session, a.Session))
}
