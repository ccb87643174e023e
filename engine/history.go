package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// TraceAsk asks for a session's trace. After, in events, asks for what came later, for a reader who
// follows.
type TraceAsk struct {
	Format string `json:"format"` // text, md, mermaid, json; whoever serves may know more
	Lang   string `json:"lang"`
	Follow bool   `json:"follow,omitempty"`
	After  int    `json:"after,omitempty"`
}

// Traced is a trace as text, and how many events it holds.
type Traced struct {
	Text   string `json:"text"`
	Events int    `json:"events"`
	Ended  bool   `json:"ended"`
}

// trace folds the session's commits into its trace.
func (e *Engine) trace(ctx context.Context, session string, q TraceAsk) (any, error) {
	t := new(projections.Trace)
	ended := false
	for rec, err := range e.session(ctx, session) {
		if err != nil {
			return nil, err
		}
		t.Fold(rec.Sequence, rec.Frame)
		for _, event := range rec.Frame.Events {
			_, end := event.Data.(events.SessionEnded)
			ended = ended || end
		}
	}
	var out bytes.Buffer
	if q.Follow {
		n, err := t.Follow(&out, q.Lang, q.After)
		return Traced{out.String(), n, ended}, err
	}
	write := map[string]func(io.Writer) error{
		"text":    func(w io.Writer) error { return t.Text(w, q.Lang) },
		"md":      func(w io.Writer) error { return t.Markdown(w, q.Lang) },
		"mermaid": t.Mermaid,
		"json":    t.JSON,
	}[q.Format]
	if write == nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_format", "use text, md, mermaid, json or otlp", "there is no trace format %q", q.Format)
	}
	err := write(&out)
	return Traced{Text: out.String(), Ended: ended}, err
}

// History reads a session's commits; before those of a fork, what it shares with the session it comes from.
func (e *Engine) History(ctx context.Context, id string) iter.Seq2[stream.Record, error] {
	return history(ctx, e.Log, id)
}

// session reads a session's commits, see history.
func (e *Engine) session(ctx context.Context, id string) func(yield func(stream.Record, error) bool) {
	return history(ctx, e.Log, id)
}

// history reads a session's commits, checking the chain; before those of a fork, what it shares with the
// session it comes from. A session that is not there is refused.
func history(ctx context.Context, log stream.Log, id string) func(yield func(stream.Record, error) bool) {
	return func(yield func(stream.Record, error) bool) {
		if err := checkSession(id); err != nil {
			yield(stream.Record{}, err)
			return
		}
		link := events.Genesis(log.Installation(), id)
		for rec, err := range log.Read(ctx, stream.SessionEntity(id), 0) {
			if err == nil {
				err = rec.Frame.Follows(link)
			}
			if err != nil {
				yield(rec, unreachable(fmt.Errorf("read session %s: %w", id, err)))
				return
			}
			link = rec.Frame.Link()
			if fork, ok := forkOf(rec.Frame); ok && !past(ctx, log, id, fork, yield) {
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
		if link.N == 0 {
			yield(stream.Record{}, workflows.New(id).Open())
		}
	}
}

// ReplayAsk asks for the state up to a place: a sequence, a time, or the end.
type ReplayAsk struct {
	Sequence uint64    `json:"sequence,omitempty"`
	Time     time.Time `json:"time,omitzero"`
}

// Replayed is the session folded from nothing.
type Replayed struct {
	Session  string             `json:"session"`
	Commits  uint64             `json:"commits"`
	Events   int                `json:"events"`
	Hash     string             `json:"hash"`
	State    sessions.Overview  `json:"state"`
	Calls    []sessions.Row     `json:"calls"`
	Context  []sessions.Written `json:"context"`
	Switches []sessions.Switch  `json:"switches"`
	Routes   []sessions.Route   `json:"routes"`
	Runs     []workflows.View   `json:"runs"`
}

// replay folds the session up to the place. The same log gives the same bytes anywhere.
func (e *Engine) replay(ctx context.Context, session string, q ReplayAsk) (any, error) {
	s := workflows.New(session).Parsing(e.parse)
	out := Replayed{Session: session}
	for rec, err := range e.session(ctx, session) {
		if err != nil {
			return nil, err
		}
		if q.Sequence > 0 && rec.Sequence > q.Sequence || !q.Time.IsZero() && rec.Frame.Events[0].Time.After(q.Time) {
			break
		}
		for _, event := range rec.Frame.Events {
			s.Fold(event)
		}
		out.Commits, out.Hash = rec.Frame.N, rec.Frame.Hash
		out.Events += len(rec.Frame.Events)
	}
	if s.Status == "" {
		return nil, sessions.Refuse(sessions.NotFound, "nothing_there", "give a later --at", "session %s had not begun there", session)
	}
	return out.fill(s, world{ctx: ctx, values: e.vals})
}

func (r Replayed) fill(s *workflows.State, w sessions.World) (Replayed, error) {
	var err error
	if r.State, err = s.Overview(); err != nil {
		return r, err
	}
	calls, err := listCalls(s, w, None{})
	if err != nil {
		return r, err
	}
	keys, err := listContext(s, w, KeyAsk{})
	if err != nil {
		return r, err
	}
	r.Calls, _ = calls.([]sessions.Row)
	r.Context, _ = keys.([]sessions.Written)
	r.Switches, r.Routes, r.Runs = append([]sessions.Switch{}, s.Switches...), append([]sessions.Route{}, s.Routes...), []workflows.View{}
	for _, id := range s.RunOrder {
		view, err := s.View(id, w)
		if err != nil {
			return r, err
		}
		r.Runs = append(r.Runs, view)
	}
	return r, nil
}

// EventsAsk asks for the raw log after a sequence.
type EventsAsk struct {
	Type  string `json:"type,omitempty"`
	After uint64 `json:"after"`
	Limit int    `json:"limit"`
	Wait  bool   `json:"wait,omitempty"` // for a while, where there are none yet
}

// EventLine is one event as `events --json` prints it.
type EventLine struct {
	Seq       uint64          `json:"seq"`
	N         uint64          `json:"n"`
	Session   string          `json:"session"`
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	V         int             `json:"v"`
	Time      time.Time       `json:"time"`
	Actor     string          `json:"actor"`
	Causation string          `json:"causation"`
	Call      string          `json:"call"`
	Attempt   int             `json:"attempt"`
	Data      json.RawMessage `json:"data"`
}

// EventPage is a part of the log, and where the next one begins.
type EventPage struct {
	Events []EventLine `json:"events"`
	After  uint64      `json:"after"`
	Head   uint64      `json:"head"`
}

// awaitEvents gives events once there are some, or an empty page after a while.
func awaitEvents(e *Engine, p *Projector) func(context.Context, string, EventsAsk) (any, error) {
	return func(ctx context.Context, session string, q EventsAsk) (any, error) {
		page, err := e.eventsAfter(ctx, session, q)
		if err != nil || !q.Wait || len(page.Events) > 0 || page.After < page.Head {
			return page, err
		}
		bounded, cancel := context.WithTimeout(ctx, watchFor)
		defer cancel()
		_ = p.Await(bounded, func(x *projections.Index) bool {
			if session == "" {
				return x.Sequence() > page.After
			}
			row, err := x.FindSession(session)
			return err == nil && row.Sequence > page.After
		})
		q.After = page.After
		return e.eventsAfter(ctx, session, q)
	}
}

// eventsAfter gives whole commits up to a limit of events.
func (e *Engine) eventsAfter(ctx context.Context, session string, q EventsAsk) (EventPage, error) {
	head, err := e.Log.Head(ctx)
	if err != nil {
		return EventPage{}, unreachable(err)
	}
	page := EventPage{Events: []EventLine{}, After: q.After, Head: head}
	if q.After >= head {
		return page, nil
	}
	records := e.Log.Tail(ctx, q.After)
	if session != "" {
		records = e.Log.Read(ctx, stream.SessionEntity(session), q.After)
	}
	for rec, err := range records {
		if err != nil && rec.Sequence == 0 {
			return EventPage{}, unreachable(err)
		}
		page.After = max(page.After, rec.Sequence)
		if err == nil {
			page.add(rec, q.Type)
		}
		if rec.Sequence >= head || len(page.Events) >= q.Limit {
			return page, nil
		}
	}
	page.After = head
	return page, nil
}

func (p *EventPage) add(rec stream.Record, kind string) {
	for _, event := range rec.Frame.Events {
		if kind != "" && event.Type != kind {
			continue
		}
		data, err := events.Marshal(event.Data)
		if err != nil {
			continue
		}
		var of struct {
			Call    string `json:"call"`
			Attempt int    `json:"attempt"`
		}
		_ = json.Unmarshal(data, &of) // facts that are about no call have neither
		p.Events = append(p.Events, EventLine{
			Seq: rec.Sequence, N: rec.Frame.N, Session: rec.Entity.Name(), ID: event.ID, Type: event.Type, V: event.V,
			Time: event.Time, Actor: event.Actor, Causation: event.Causation, Call: of.Call, Attempt: of.Attempt, Data: data,
		})
	}
}
