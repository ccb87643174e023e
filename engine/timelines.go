package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/projections/timeline"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// timelines keeps the timelines of the sessions that were looked at last, so that somebody who watches a
// long one does not have it folded from the beginning every time. They can be thrown away.
type timelines struct {
	e    *Engine
	mu   sync.Mutex
	kept *lru.Cache[string, *shown]
	past *lru.Cache[moment, *shown] // as they were; these never change
}

// moment is a session after so many of its commits.
type moment struct {
	session string
	place   int
}

// shown is one of them; whoever reads it holds the lock.
type shown struct {
	mu sync.Mutex
	*timeline.Timeline
}

// watched is how many sessions are kept at hand, and moments how many of their earlier states: whoever
// goes back in time asks several questions about one.
const (
	watched = 16
	moments = 4
)

func newTimelines(e *Engine) *timelines {
	kept, _ := lru.New[string, *shown](watched) // fails only for a size below one
	past, _ := lru.New[moment, *shown](moments)
	return &timelines{e: e, kept: kept, past: past}
}

// read lets f read the session's timeline, brought up to date. It must not keep it.
func (ts *timelines) read(ctx context.Context, session string, f func(*timeline.Timeline) (any, error)) (any, error) {
	if err := checkSession(session); err != nil {
		return nil, err
	}
	ts.mu.Lock()
	k, ok := ts.kept.Get(session)
	if !ok {
		k = new(shown)
		ts.kept.Add(session, k)
	}
	ts.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	records := ts.e.session(ctx, session)
	if k.Timeline == nil {
		k.Timeline = new(timeline.Timeline)
	} else if k.Sequence() > 0 {
		records = ts.e.Log.Read(ctx, stream.SessionEntity(session), k.Sequence())
	}
	for rec, err := range records {
		if err != nil {
			k.Timeline = nil
			ts.kept.Remove(session)
			return nil, err
		}
		k.Fold(rec.Sequence, rec.Frame)
	}
	return f(k.Timeline)
}

// upTo folds the session anew, up to a place in its commits.
func (ts *timelines) upTo(ctx context.Context, session string, place int, f func(*timeline.Timeline) (any, error)) (any, error) {
	ts.mu.Lock()
	k, ok := ts.past.Get(moment{session, place})
	if !ok {
		k = new(shown)
		ts.past.Add(moment{session, place}, k)
	}
	ts.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Timeline != nil {
		return f(k.Timeline)
	}
	t := new(timeline.Timeline)
	for rec, err := range ts.e.session(ctx, session) {
		if err != nil {
			return nil, err
		}
		if t.Fold(rec.Sequence, rec.Frame); t.Commits() == place {
			k.Timeline = t
			break
		}
	}
	return f(t)
}

// TimelineAsk asks for rows of a session's timeline; as it was after so many commits, or as it is.
type TimelineAsk struct {
	timeline.Ask
	Place int `json:"place,omitempty"`
}

func (ts *timelines) window(ctx context.Context, session string, q TimelineAsk) (any, error) {
	const most = 1000
	q.Count = min(q.Count, most)
	show := func(t *timeline.Timeline) (any, error) {
		w := t.Window(q.Ask, ts.e.Now().UTC())
		if q.Run != "" && w.Run == nil {
			return nil, sessions.Refuse(sessions.NotFound, "run_not_found", "see the list of runs", "there is no run %q in session %s", q.Run, session)
		}
		return w, nil
	}
	if q.Place <= 0 {
		return ts.read(ctx, session, show)
	}
	var commits int
	if _, err := ts.read(ctx, session, func(t *timeline.Timeline) (any, error) { commits = t.Commits(); return commits, nil }); err != nil {
		return nil, err
	}
	if q.Place >= commits {
		return ts.read(ctx, session, show)
	}
	return ts.upTo(ctx, session, q.Place, func(t *timeline.Timeline) (any, error) {
		w := t.Window(q.Ask, t.Head().Updated) // the past has no present but its own
		w.Commits = commits
		return w, nil
	})
}

// GraphAsk asks for the graph of a run.
type GraphAsk struct {
	Run   string `json:"run"`
	Place int    `json:"place,omitempty"`
}

func (ts *timelines) graph(ctx context.Context, session string, q GraphAsk) (any, error) {
	draw := func(t *timeline.Timeline) (any, error) { return t.Graph(q.Run), nil }
	if q.Place > 0 {
		return ts.upTo(ctx, session, q.Place, draw)
	}
	return ts.read(ctx, session, draw)
}

// FactsAsk asks for raw events: those of one row, or from a place in the commits on.
type FactsAsk struct {
	Row   string `json:"row,omitempty"`
	Type  string `json:"type,omitempty"`
	Find  string `json:"find,omitempty"`
	From  int    `json:"from,omitempty"`  // place, from 1
	Until int    `json:"until,omitempty"` // the last place; 0: the end
	Count int    `json:"count"`           // events, or some more: commits are whole
}

// Facts are raw events with the places of their commits.
type Facts struct {
	Events []EventLine `json:"events"`
	Places []int       `json:"places"`
	Next   int         `json:"next,omitempty"` // the place to go on from
	Total  int         `json:"total"`          // commits of the session
}

func (ts *timelines) facts(ctx context.Context, session string, q FactsAsk) (any, error) {
	const most = 500
	q.Count = min(max(q.Count, 1), most)
	q.Find = strings.ToLower(q.Find)
	var sequences []uint64
	var shared bool
	out := Facts{Events: []EventLine{}, Places: []int{}}
	places := map[uint64]int{}
	if _, err := ts.read(ctx, session, func(t *timeline.Timeline) (any, error) {
		out.Total, shared = t.Commits(), t.Shared()
		sequences = t.Of(q.Row, max(q.From, 1), q.Until)
		for _, s := range sequences {
			places[s] = t.Place(s)
		}
		return out, nil
	}); err != nil || len(sequences) == 0 {
		return out, err
	}
	for rec, err := range ts.records(ctx, session, sequences, shared) {
		if err != nil {
			return nil, err
		}
		if len(out.Events) >= q.Count {
			out.Next = places[rec.Sequence]
			break
		}
		page := EventPage{}
		page.add(rec, q.Type)
		for _, line := range page.Events {
			if q.Row != "" && !about(line, q.Row) || q.Find != "" && !strings.Contains(strings.ToLower(string(line.Data)), q.Find) {
				continue
			}
			out.Events, out.Places = append(out.Events, line), append(out.Places, places[rec.Sequence])
		}
	}
	return out, nil
}

// about says whether an event concerns a row: its call, the step, or what hangs on the call.
func about(line EventLine, row string) bool {
	var of struct{ Call, Run, Step, Timer, Approval, Parent string }
	_ = json.Unmarshal(line.Data, &of) // facts that are about something else have none of them
	switch {
	case of.Call == row, of.Run == row, of.Parent == row:
		return true
	case of.Call == "" && of.Step != "" && of.Run+"/"+of.Step == row:
		return true
	}
	return strings.HasPrefix(of.Timer, row) || strings.HasPrefix(of.Approval, row+"#")
}

// records reads commits of the session. Few of them are looked up one by one; those of a past that is
// shared are met on the way.
func (ts *timelines) records(ctx context.Context, session string, sequences []uint64, shared bool) func(func(stream.Record, error) bool) {
	const few = 64
	return func(yield func(stream.Record, error) bool) {
		if !shared && len(sequences) <= few {
			for _, s := range sequences {
				for rec, err := range ts.e.Log.Read(ctx, stream.SessionEntity(session), s-1) {
					if !yield(rec, err) || err != nil {
						return
					}
					break
				}
			}
			return
		}
		records := ts.e.session(ctx, session)
		if !shared {
			records = ts.e.Log.Read(ctx, stream.SessionEntity(session), sequences[0]-1)
		}
		for rec, err := range records {
			if err == nil {
				if _, wanted := slices.BinarySearch(sequences, rec.Sequence); !wanted {
					continue
				}
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// MovedAsk asks to be told when the session, or with none anything at all, has moved on.
type MovedAsk struct {
	After uint64 `json:"after"`
}

// Moved is how far the log goes.
type Moved struct {
	Sequence uint64 `json:"sequence"`
}

// moved answers when something happened after a sequence, or after a while.
func moved(p *Projector) func(context.Context, string, MovedAsk) (any, error) {
	return func(ctx context.Context, session string, q MovedAsk) (any, error) {
		ctx, cancel := context.WithTimeout(ctx, watchFor)
		defer cancel()
		var out Moved
		_ = p.Await(ctx, func(x *projections.Index) bool { // with the time up, the answer is that nothing happened
			out.Sequence = x.Sequence()
			if session != "" {
				row, _ := x.FindSession(session)
				out.Sequence = row.Sequence
			}
			return out.Sequence > q.After
		})
		return out, nil
	}
}
