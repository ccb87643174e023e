package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/bundle"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// Audited says how much of the log was looked at, and what is wrong with it.
type Audited struct {
	Installation string       `json:"installation"`
	Commits      int          `json:"commits"`
	Events       int          `json:"events"`
	Lines        int          `json:"lines"` // sessions and other entities
	Values       int          `json:"values"`
	Erased       int          `json:"erased"`    // values that were deleted on request
	Witnesses    []string     `json:"witnesses"` // what the log was compared with
	Lost         []string     `json:"lost"`      // sequences that are known to be lost
	Problems     []AuditFault `json:"problems"`
}

// AuditFault is one thing that is not as Baton left it.
type AuditFault struct {
	Sequence uint64 `json:"sequence"`
	Entity   string `json:"entity"`
	Problem  string `json:"problem"`
}

// audit reads the log, or the line of one session, and checks every chain from its beginning, every line
// against the witnesses, and every large value by its hash.
func (e *Engine) audit(ctx context.Context, session string, _ None) (any, error) {
	a := e.auditor(ctx)
	head, err := e.Log.Head(ctx)
	if err != nil {
		return nil, unreachable(err)
	}
	if session != "" {
		return a.one(session)
	}
	if err := a.all(head); err != nil {
		return nil, err
	}
	return a.out, nil
}

func (e *Engine) auditor(ctx context.Context) *auditor {
	a := &auditor{e: e, ctx: ctx, links: map[stream.Entity]events.Link{}, seen: map[string]bool{}}
	a.testimony = testimony{e.witnesses(), map[stream.Entity]events.Link{}}
	a.out.Installation, a.out.Problems, a.out.Lost, a.out.Witnesses = e.Log.Installation(), []AuditFault{}, []string{}, []string{}
	for _, w := range a.testimony.witnesses {
		a.out.Witnesses = append(a.out.Witnesses, w.Name)
	}
	return a
}

// all reads the log up to a sequence.
func (a *auditor) all(head uint64) error {
	if head > 0 {
		for rec, err := range a.e.Log.Tail(a.ctx, 0) {
			if err != nil && rec.Sequence == 0 {
				return unreachable(err)
			}
			a.record(rec, err)
			if rec.Sequence >= head {
				break
			}
		}
	}
	a.out.Lines = len(a.links)
	a.testimony.end(a, "")
	for entity, n := range a.e.beyond(a.ctx, a.testimony) {
		a.fault(stream.Record{Entity: entity}, "commits after the %dth were appended by somebody else than this server", n)
	}
	return a.ctx.Err()
}

type auditor struct {
	e         *Engine
	ctx       context.Context
	links     map[stream.Entity]events.Link
	seen      map[string]bool
	testimony testimony
	out       Audited
}

func (a *auditor) one(session string) (any, error) {
	if err := checkSession(session); err != nil {
		return nil, err
	}
	for rec, err := range a.e.Log.Read(a.ctx, stream.SessionEntity(session), 0) {
		if err != nil && rec.Sequence == 0 && !errors.Is(err, events.ErrDamaged) {
			return nil, unreachable(err)
		}
		a.record(rec, err)
	}
	a.out.Lines = len(a.links)
	if a.out.Lines == 0 {
		return nil, sessions.Refuse(sessions.NotFound, "session_not_found", "list them with `baton session list`", "there is no session %s", session)
	}
	a.testimony.end(a, stream.SessionEntity(session))
	return a.out, nil
}

func (a *auditor) fault(rec stream.Record, format string, args ...any) {
	a.out.Problems = append(a.out.Problems, AuditFault{rec.Sequence, string(rec.Entity), fmt.Sprintf(format, args...)})
}

// record checks one commit. After a break the chain is taken up where it goes on, so that one break is
// told once.
func (a *auditor) record(rec stream.Record, err error) {
	if errors.Is(err, stream.ErrLost) {
		a.lost(rec, err)
		return
	}
	if err != nil {
		a.fault(rec, "it cannot be read: %v", err)
		return
	}
	a.out.Commits++
	a.out.Events += len(rec.Frame.Events)
	last, known := a.links[rec.Entity]
	if !known {
		last = events.Genesis(a.e.Log.Installation(), rec.Entity.Name())
	}
	if err := rec.Frame.Follows(last); err != nil {
		a.fault(rec, "the chain is broken: %v", err)
	}
	if rec.Frame.Session != rec.Entity.Name() {
		a.fault(rec, "the commit says it is of %s", rec.Frame.Session)
	}
	a.links[rec.Entity] = rec.Frame.Link()
	a.testimony.commit(a, rec)
	for _, sha := range bundle.Named(rec.Frame) {
		a.value(rec, sha)
	}
}

func (a *auditor) value(rec stream.Record, sha string) {
	if a.seen[sha] {
		return
	}
	a.seen[sha] = true
	switch _, err := a.e.Payloads.Get(a.ctx, sha); {
	case err == nil:
		a.out.Values++
	case errors.Is(err, stream.ErrNotFound) && erasable(rec.Frame):
		a.out.Erased++
	default:
		a.fault(rec, "value %.12s: %v", sha, err)
	}
}

// erasable says whether a commit holds feedback, whose texts are deleted on request.
func erasable(f events.Frame) bool {
	return slices.ContainsFunc(f.Events, func(e events.Event) bool {
		switch e.Data.(type) {
		case events.FeedbackGiven, events.RouteDecided:
			return true
		}
		return false
	})
}

// ExportAsk asks for commits of a session as they stand in the log.
type ExportAsk struct {
	After uint64 `json:"after"` // sequence
}

// Exported is a part of a session's line. From names the session that it was forked from.
type Exported struct {
	Installation string   `json:"installation"`
	Frames       []string `json:"frames"` // base64
	Values       []string `json:"values"` // SHA-256 of those that the frames name
	After        uint64   `json:"after"`
	From         string   `json:"from,omitempty"`
	More         bool     `json:"more"`
}

// exportPage is how many bytes of commits one answer holds.
const exportPage = 4 << 20

// export gives the commits of a session after a sequence, some at a time.
func (e *Engine) export(ctx context.Context, session string, q ExportAsk) (any, error) {
	if err := checkSession(session); err != nil {
		return nil, err
	}
	out := Exported{Installation: e.Log.Installation(), Frames: []string{}, Values: []string{}, After: q.After}
	size := 0
	for rec, err := range e.Log.Read(ctx, stream.SessionEntity(session), q.After) {
		if err != nil {
			return nil, unreachable(fmt.Errorf("export session %s: %w", session, err))
		}
		if size > exportPage {
			out.More = true
			break
		}
		if fork, ok := forkOf(rec.Frame); ok {
			out.From = fork.From
		}
		size += len(rec.Frame.Bytes())
		out.Frames = append(out.Frames, base64.StdEncoding.EncodeToString(rec.Frame.Bytes()))
		out.Values = append(out.Values, bundle.Named(rec.Frame)...)
		out.Values = append(out.Values, decidedOn(rec.Frame)...)
		out.After = rec.Sequence
	}
	if q.After == 0 && len(out.Frames) == 0 {
		return nil, sessions.Refuse(sessions.NotFound, "session_not_found", "list them with `baton session list`", "there is no session %s", session)
	}
	return out, nil
}

// decidedOn lists the indexes of skills that a commit's routes were decided on.
func decidedOn(f events.Frame) []string {
	var out []string
	for _, event := range f.Events {
		if d, ok := event.Data.(events.RouteDecided); ok && d.Index != "" {
			out = append(out, d.Index)
		}
	}
	return out
}
