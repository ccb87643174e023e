package rest

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
)

// opener finds what an input asks to follow, and the place at which it begins.
type opener func(ctx context.Context, c operation.Caller, input json.RawMessage) (source, uint64, error)

// streams lists the operations that go on as events.
var streams = map[string]opener{
	"session.events": openSession,
	"events":         openLog,
	"workflow.show":  openRun,
}

// log follows the events of a session, or of all.
type log struct {
	operation.Caller
	of   string
	kind string
}

func openSession(ctx context.Context, c operation.Caller, input json.RawMessage) (source, uint64, error) {
	var in operation.Events
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, 0, err
	}
	id, err := operation.KnownSession(ctx, c, in.Session)
	return log{c, id, in.Type}, in.After, err
}

func openLog(_ context.Context, c operation.Caller, input json.RawMessage) (source, uint64, error) {
	var in operation.EventsPart
	err := json.Unmarshal(input, &in)
	return log{c, "", in.Type}, in.After, err
}

func (l log) session() string { return l.of }

func (l log) first(ctx context.Context, after uint64) ([]sent, uint64, bool, error) {
	return l.page(ctx, after, false)
}

func (l log) next(ctx context.Context, after uint64) ([]sent, uint64, bool, error) {
	return l.page(ctx, after, true)
}

func (l log) page(ctx context.Context, after uint64, wait bool) ([]sent, uint64, bool, error) {
	p, err := engine.As[engine.EventPage](l.Query(ctx, "events", l.of, engine.EventsAsk{Type: l.kind, After: after, Limit: pageOf, Wait: wait}))
	if err != nil {
		return nil, after, false, err
	}
	out := make([]sent, 0, len(p.Events))
	for i, e := range p.Events {
		data, err := events.Marshal(e)
		if err != nil {
			return nil, after, false, err
		}
		s := sent{data: data}
		if i+1 == len(p.Events) || p.Events[i+1].Seq != e.Seq { // a commit is read whole or again
			s.id = strconv.FormatUint(e.Seq, 10)
		}
		out = append(out, s)
	}
	return out, p.After, false, nil
}

// pageOf is how many events are asked for at once: what a slow reader holds.
const pageOf = 100

// run follows one run: it is shown again whenever its session has moved.
type run struct {
	operation.Caller
	of, id string
}

func openRun(ctx context.Context, c operation.Caller, input json.RawMessage) (source, uint64, error) {
	var in operation.RunShow
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, 0, err
	}
	row, err := operation.FindRun(ctx, c, in.Run)
	return run{c, row.Session, row.ID}, 0, err
}

func (r run) session() string { return "" }

func (r run) first(ctx context.Context, after uint64) ([]sent, uint64, bool, error) {
	return r.moved(ctx, after, 0)
}

func (r run) next(ctx context.Context, after uint64) ([]sent, uint64, bool, error) {
	return r.moved(ctx, after, after)
}

// moved shows the run if it has moved on from a place, and waits until it has moved on from another.
func (r run) moved(ctx context.Context, after, wait uint64) ([]sent, uint64, bool, error) {
	w, err := engine.As[engine.Watched](r.Query(ctx, "run.watch", r.of, engine.WatchAsk{Run: r.id, After: wait}))
	if err != nil || w.Sequence <= after {
		return nil, after, err == nil && w.Over, err
	}
	data, err := events.Marshal(w.View)
	return []sent{{id: strconv.FormatUint(w.Sequence, 10), data: data}}, w.Sequence, w.Over, err
}
