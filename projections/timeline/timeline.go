// Package timeline folds the commits of one session into what a person looks at while a run works and
// after it: rows of steps and calls on a real time axis, each with its bars of queueing, waiting and
// work; the lanes in which branches part and join; the graph of a run's template with its states; what
// was used up; and the commits themselves, for whoever goes back in time.
//
// It is a projection like those of package projections, and keeps their promises: it decides nothing,
// the same commits give the same rows, a commit folded twice counts once, a fold cannot fail. Unlike
// them it knows templates, because a step that has not begun is a row too. What is open has no end:
// whoever shows it puts the present there.
package timeline

import (
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
)

// Timeline is a session as folded so far. Its zero value is ready.
type Timeline struct {
	sequence uint64
	head     Head
	commits  []Commit
	runs     map[string]*run
	roots    []*run
	calls    map[string]*call
	byHand   []*call // calls of no run, as they were opened
	timers   map[string]timer
	asked    map[string]question
	sources  map[string]events.Source // templates of child runs
	facts    int
	parted   time.Time // when it parted from the session it comes from
	last     *call     // that the newest attempt is of
	kept     *laidOut  // what was looked at last
}

// Head is what the session itself is.
type Head struct {
	Session  string    `json:"session"`
	Goal     string    `json:"goal,omitempty"`
	Mode     string    `json:"mode,omitempty"`
	Status   string    `json:"status"` // active, ended
	From     string    `json:"from,omitempty"`
	At       string    `json:"at,omitempty"` // the call at which it parted from From
	Started  time.Time `json:"started_at"`
	Updated  time.Time `json:"updated_at"`
	Sequence uint64    `json:"sequence"`
	Events   int       `json:"events"`
	Runs     []RunHead `json:"runs"`
}

// Commit is one commit of the session, as a place to go back to.
type Commit struct {
	Sequence uint64    `json:"sequence"`
	Time     time.Time `json:"time"`
	Events   int       `json:"events"`
	Gist     []string  `json:"gist"` // what happened in it: types with what they are about
}

type timer struct {
	kind, call string
	at         time.Time
}

type question struct{ run, call, about string }

// Sequence is that of the last commit folded.
func (t *Timeline) Sequence() uint64 { return t.sequence }

// Commits is how many there are.
func (t *Timeline) Commits() int { return len(t.commits) }

// Shared says whether the session begins with the past of another.
func (t *Timeline) Shared() bool { return t.head.From != "" }

// Fold takes the session's next commit.
func (t *Timeline) Fold(sequence uint64, f events.Frame) {
	if t.head.Session != "" && f.Session != t.head.Session || sequence <= t.sequence || len(f.Events) == 0 {
		return
	}
	t.sequence = sequence
	if t.head.Session == "" {
		t.head.Session, t.head.Status = f.Session, "active"
		t.runs, t.calls = map[string]*run{}, map[string]*call{}
		t.timers, t.asked, t.sources = map[string]timer{}, map[string]question{}, map[string]events.Source{}
	}
	commit := Commit{Sequence: sequence, Time: f.Events[0].Time.Round(0).UTC(), Events: len(f.Events)}
	for _, ev := range f.Events {
		at := ev.Time.Round(0).UTC()
		if t.head.Started.IsZero() {
			t.head.Started = at
		}
		t.head.Updated = at
		t.facts++
		about := t.fold(sequence, at, ev.Data)
		if len(commit.Gist) < mostGist {
			commit.Gist = append(commit.Gist, gist(ev.Type, about))
		}
	}
	t.commits = append(t.commits, commit)
}

// mostGist bounds how many events a commit is described by.
const mostGist = 4

func gist(kind, about string) string {
	if about == "" {
		return kind
	}
	return kind + " " + about
}

// fold hands an event to what it is about, and gives the name of that.
func (t *Timeline) fold(sequence uint64, at time.Time, data events.Data) string {
	switch d := data.(type) {
	case events.SessionStarted:
		t.head.Goal, t.head.Mode = d.Goal, d.Mode
	case events.SessionForked:
		t.forked(at, d)
		return d.Call
	case events.SessionEnded:
		t.head.Status = "ended"
	case events.CallOpened:
		return t.opened(sequence, at, d)
	case events.ContextSet:
		t.wrote(sequence, d.Call)
		return d.Key
	case events.TimerSet:
		return t.timerSet(sequence, d)
	case events.TimerFired:
		return t.timerOver(sequence, at, d.Timer, true)
	case events.TimerVoided:
		return t.timerOver(sequence, at, d.Timer, false)
	case events.ApprovalAsked:
		return t.approvalAsked(sequence, at, d)
	case events.ApprovalAnswered:
		return t.approvalAnswered(sequence, at, d)
	case events.RouteDecided:
		return d.Chosen
	default:
		if name, ok := t.foldCall(sequence, at, data); ok {
			return name
		}
		return t.foldRun(sequence, at, data)
	}
	return ""
}

// foldCall takes what happens to a call that is known.
func (t *Timeline) foldCall(sequence uint64, at time.Time, data events.Data) (string, bool) {
	on := func(id string, apply func(*call)) (string, bool) {
		c := t.calls[id]
		if c == nil {
			return id, true
		}
		c.touched(sequence)
		apply(c)
		return c.name(), true
	}
	switch d := data.(type) {
	case events.CallStarted:
		return on(d.Call, func(c *call) { c.started(at, d); t.last = c })
	case events.CallSuspended:
		return on(d.Call, func(c *call) { c.turn(at, Suspended) })
	case events.CallResumed:
		return on(d.Call, func(c *call) { c.turn(at, Work) })
	case events.CallClosed:
		return on(d.Call, func(c *call) { t.closed(c, at, d) })
	case events.CallFailed:
		return on(d.Call, func(c *call) { c.failed(at, d) })
	case events.CallLost:
		return on(d.Call, func(c *call) { c.lost(at, d) })
	case events.CallCancelled:
		return on(d.Call, func(c *call) { c.end(at, "cancelled"); c.over(at, "cancelled") })
	}
	return "", false
}

// forked ends what was under way in the past: it goes on anew here, or not at all.
func (t *Timeline) forked(at time.Time, d events.SessionForked) {
	t.head.From, t.head.At, t.parted = d.From, d.Call, at
	for _, c := range t.calls {
		if c.closedAt.IsZero() {
			c.end(at, "cancelled")
			c.over(at, "cancelled")
		}
	}
}

// At gives the commit at a place, counted from 1; the last one for 0 or a place beyond it.
func (t *Timeline) At(place int) (Commit, int) {
	if len(t.commits) == 0 {
		return Commit{}, 0
	}
	if place < 1 || place > len(t.commits) {
		place = len(t.commits)
	}
	return t.commits[place-1], place
}

// Place is where the commit with a sequence stands, counted from 1; that of the last one before it, should
// there be none.
func (t *Timeline) Place(sequence uint64) int {
	at, found := slices.BinarySearchFunc(t.commits, sequence, func(c Commit, s uint64) int {
		return int(int64(c.Sequence) - int64(s))
	})
	if found {
		return at + 1
	}
	return at
}

// Of gives the sequences of the commits that hold an event of a row, or of all commits; from one place to
// another, 0 being the end.
func (t *Timeline) Of(row string, from, until int) []uint64 {
	until = min(until, len(t.commits))
	if until <= 0 {
		until = len(t.commits)
	}
	if from > until {
		return nil
	}
	if row == "" {
		out := make([]uint64, 0, until-from+1)
		for _, c := range t.commits[from-1 : until] {
			out = append(out, c.Sequence)
		}
		return out
	}
	first, last := t.commits[from-1].Sequence, t.commits[until-1].Sequence
	return slices.DeleteFunc(slices.Clone(t.touching(row)), func(s uint64) bool { return s < first || s > last })
}

// touching gives the sequences of the commits that hold an event of a call, a step or a run.
func (t *Timeline) touching(row string) []uint64 {
	if c := t.calls[row]; c != nil {
		return c.commits
	}
	if r := t.runs[row]; r != nil {
		return t.Of("", t.startOf(r), 0)
	}
	if cut := strings.LastIndexByte(row, '/'); cut > 0 {
		if r := t.runs[row[:cut]]; r != nil && r.byID[row[cut+1:]] != nil {
			return r.byID[row[cut+1:]].commits
		}
	}
	return nil
}

// startOf is the place of the commit that started a run.
func (t *Timeline) startOf(r *run) int {
	at, _ := slices.BinarySearchFunc(t.commits, r.Started, func(c Commit, at time.Time) int { return c.Time.Compare(at) })
	if at < len(t.commits) && t.commits[at].Time.Equal(r.Started) {
		return at + 1
	}
	return max(at, 1)
}
