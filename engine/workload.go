package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/batonflow/baton/projections"
)

// Workload is what is open everywhere, for whoever wants to know why things stand still.
type Workload struct {
	Queues    []QueueRow                `json:"queues"`
	Held      []HeldRow                 `json:"held"`
	Timers    []projections.TimerRow    `json:"timers"` // the next ones
	Approvals []projections.ApprovalRow `json:"approvals"`
	Limits    []LimitRow                `json:"limits"`
	Totals    Work                      `json:"totals"`
}

// QueueRow is a queue on which calls wait or run, or which this server serves.
type QueueRow struct {
	Queue   string    `json:"queue"`
	Waiting int       `json:"waiting"` // calls that nobody has started
	Outside int       `json:"outside"` // of those, the ones that an agent or a person must take
	Running int       `json:"running"`
	Depth   int       `json:"depth"` // batons, those in a worker's hand too
	Served  bool      `json:"served"`
	Oldest  time.Time `json:"oldest,omitzero"` // since when the first one waits
}

// HeldRow is a call in somebody's hand.
type HeldRow struct {
	Session string    `json:"session"`
	Run     string    `json:"run,omitempty"`
	Call    string    `json:"call"`
	Queue   string    `json:"queue"`
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker"`
	Since   time.Time `json:"since"`
}

// LimitRow is a limit that spans sessions, and how many calls count against it now.
type LimitRow struct {
	Limit   string `json:"limit"`
	Size    int    `json:"size"`
	Running int    `json:"running"`
	Waiting int    `json:"waiting"`
}

// mostShown bounds each list.
const mostShown = 200

// waiting lists the questions that nobody has answered, the longest open first.
func waiting(p *Projector) func(context.Context, string, None) (any, error) {
	return func(ctx context.Context, _ string, _ None) (any, error) {
		if err := p.Current(ctx); err != nil {
			return nil, err
		}
		out := []projections.ApprovalRow{}
		p.Index(func(x *projections.Index) { out = append(out, x.Approvals()...) })
		return out, nil
	}
}

// workload reads the index; how deep queues are is asked of the substrate.
func (e *Engine) workload(p *Projector) func(context.Context, string, None) (any, error) {
	return func(ctx context.Context, _ string, _ None) (any, error) {
		if err := p.Current(ctx); err != nil {
			return nil, err
		}
		var queued []projections.QueuedCall
		var held []projections.HeldCall
		out := Workload{Held: []HeldRow{}}
		p.Index(func(x *projections.Index) {
			queued, held = x.Queued(), x.Held()
			out.Timers, out.Approvals = append([]projections.TimerRow{}, x.Timers()...), append([]projections.ApprovalRow{}, x.Approvals()...)
		})
		out.Totals = Work{Queued: len(queued), Held: len(held), Timers: len(out.Timers), Unreadable: p.Unreadable()}
		out.Timers = out.Timers[:min(len(out.Timers), mostShown)]
		out.Limits = e.limitRows(queued, held)
		// Calls that no worker holds wait for a person, a time or a signal.
		worked := slices.DeleteFunc(held, func(c projections.HeldCall) bool { return c.Queue == "" || c.Worker == "" })
		for _, c := range worked[:min(len(worked), mostShown)] {
			out.Held = append(out.Held, HeldRow{c.Session, c.Run, c.Call, c.Queue, c.Attempt, c.Worker, c.Since})
		}
		out.Queues = e.queueRows(ctx, queued, worked)
		return out, nil
	}
}

func (e *Engine) queueRows(ctx context.Context, queued []projections.QueuedCall, worked []projections.HeldCall) []QueueRow {
	queues := map[string]*QueueRow{}
	row := func(name string) *QueueRow {
		if queues[name] == nil {
			queues[name] = &QueueRow{Queue: name}
		}
		return queues[name]
	}
	for _, c := range queued {
		q := row(c.Queue)
		q.Waiting++
		if c.Waits {
			q.Outside++
		}
		if q.Oldest.IsZero() {
			q.Oldest = c.Since
		}
	}
	for _, c := range worked {
		row(c.Queue).Running++
	}
	out := []QueueRow{}
	for _, name := range slices.Sorted(maps.Keys(queues)) {
		q := queues[name]
		q.Depth, _ = e.Queue.Depth(ctx, name)   // a queue that nobody has used has none
		q.Served, _ = e.Queue.Served(ctx, name) // and nobody serves it
		out = append(out, *q)
	}
	return out
}

func (e *Engine) limitRows(queued []projections.QueuedCall, held []projections.HeldCall) []LimitRow {
	rows := map[string]*LimitRow{}
	row := func(name string) *LimitRow {
		if rows[name] == nil {
			rows[name] = &LimitRow{Limit: name, Size: e.Limits[name]}
		}
		return rows[name]
	}
	for name := range e.Limits {
		row(name)
	}
	for _, c := range queued {
		for _, name := range c.Limits {
			row(name).Waiting++
		}
	}
	for _, c := range held {
		for _, name := range c.Limits {
			row(name).Running++
		}
	}
	out := []LimitRow{}
	for _, r := range rows {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b LimitRow) int { return cmp.Compare(a.Limit, b.Limit) })
	return out
}
