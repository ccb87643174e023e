package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// Verified says how much was decided again, and where the log first differs from it.
type Verified struct {
	Session    string      `json:"session"`
	Equal      bool        `json:"equal"`
	Commits    uint64      `json:"commits"`
	Events     int         `json:"events"`
	Decisions  int         `json:"decisions"`
	Erased     int         `json:"erased,omitempty"` // decisions with input that was deleted since
	Older      int         `json:"older,omitempty"`  // decisions of another version of the router, which stand as recorded
	Difference *Difference `json:"difference"`
}

// excuse counts a decision that could not be made again from everything it rested on, and says whether
// that was all that went wrong.
func (v *Verified) excuse(err error) error {
	switch {
	case errors.Is(err, ErrErased):
		v.Erased++
		return nil
	case errors.Is(err, ErrOlder):
		v.Older++
		return nil
	}
	return err
}

// Difference is the first place where deciding again gave something else.
type Difference struct {
	Sequence uint64 `json:"sequence"`
	N        uint64 `json:"n"`
	Event    string `json:"event"`
	Stored   string `json:"stored"`
	Again    string `json:"again"`
}

// verify checks the chain and decides again everything that Baton decided by itself: what followed
// from each command, and which skill each route chose.
func (e *Engine) verify(ctx context.Context, session string, _ None) (any, error) {
	v := &verifier{e: e, ctx: ctx, state: workflows.New(session).Parsing(e.parse), out: Verified{Session: session, Equal: true}}
	for rec, err := range e.session(ctx, session) {
		if err != nil {
			if r := refusalOf(err); r.Code == "store_damaged" {
				v.differ(Difference{Sequence: rec.Sequence, Event: "chain", Stored: r.Message, Again: "a whole chain"})
				return v.out, nil
			}
			return nil, err
		}
		if !v.commit(rec.Sequence, rec.Frame) {
			break
		}
	}
	return v.out, nil
}

type verifier struct {
	e     *Engine
	ctx   context.Context
	state *workflows.State
	out   Verified
}

func (v *verifier) differ(d Difference) { v.out.Equal, v.out.Difference = false, &d }

// commit goes through one frame: events of commands are taken as given, and whatever the engine said
// must be exactly what follows from the state before it.
func (v *verifier) commit(sequence uint64, f events.Frame) bool {
	v.out.Commits = f.N
	for i := 0; i < len(f.Events); i++ {
		event := f.Events[i]
		if event.Actor != workflows.Actor {
			if !v.route(sequence, f.N, event) {
				return false
			}
			v.fold(event)
			continue
		}
		again := workflows.Follow(v.state, recorded{world{ctx: v.ctx, values: v.e.vals}, v.e.Skills, f.Events[i:], &v.out})
		v.out.Decisions++
		for j := range max(len(again), 1) {
			if !v.same(sequence, f, i+j, again, j) {
				return false
			}
			v.fold(f.Events[i+j])
		}
		i += max(len(again), 1) - 1
	}
	return true
}

func (v *verifier) fold(e events.Event) {
	v.state.Fold(e)
	v.out.Events++
}

func (v *verifier) same(sequence uint64, f events.Frame, at int, again []events.Data, j int) bool {
	stored, now := "nothing", "nothing"
	var place events.Event
	if at < len(f.Events) {
		place = f.Events[at]
		stored = describe(place.Data)
	}
	if j < len(again) {
		now = describe(again[j])
	}
	if stored == now {
		return true
	}
	v.differ(Difference{Sequence: sequence, N: f.N, Event: place.ID, Stored: stored, Again: now})
	return false
}

// describe is a fact with its name, in the bytes it is stored in.
func describe(d events.Data) string {
	raw, err := events.Marshal(d)
	if err != nil {
		return err.Error()
	}
	return events.TypeOf(d) + " " + string(raw)
}

// route decides a route again over the index of skills that it names.
func (v *verifier) route(sequence, n uint64, event events.Event) bool {
	stored, ok := event.Data.(events.RouteDecided)
	if !ok || strings.HasPrefix(event.Actor, importer) {
		return true
	}
	again, err := v.e.Skills.Again(v.ctx, stored)
	v.out.Decisions++
	if err = v.out.excuse(err); err != nil {
		v.differ(Difference{Sequence: sequence, N: n, Event: event.ID, Stored: describe(stored), Again: err.Error()})
		return false
	}
	if describe(again) == describe(stored) {
		return true
	}
	v.differ(Difference{Sequence: sequence, N: n, Event: event.ID, Stored: describe(stored), Again: describe(again)})
	return false
}

// recorded answers what a decision looks up with what it saw then: the index that a route names, and
// the way of executing that an opening holds.
type recorded struct {
	world
	skills Skills
	next   []events.Event
	out    *Verified
}

func (r recorded) Route(sessions.RouteTask) (events.Data, error) {
	for _, e := range r.next {
		switch d := e.Data.(type) {
		case events.RouteDecided:
			again, err := r.skills.Again(r.ctx, d)
			err = r.out.excuse(err)
			d, ok := again.(events.RouteDecided)
			if !ok {
				return again, err
			}
			d.Run, d.Step, d.Route = "", "", ""
			return d, err
		case events.RouteBlocked:
			return d, nil
		case events.StepFailed:
			return nil, fmt.Errorf("%s", d.Failure.Message)
		}
	}
	return nil, fmt.Errorf("no route stands in the log")
}

func (r recorded) Limited(queue string) []string {
	for _, e := range r.next {
		if opened, ok := e.Data.(events.CallOpened); ok {
			return slices.DeleteFunc(slices.Clone(opened.Limits), func(limit string) bool { return limit != "queue:"+queue })
		}
	}
	return nil
}

func (r recorded) Resolve(skill, _ string) sessions.Resolution {
	for _, e := range r.next {
		switch d := e.Data.(type) {
		case events.CallOpened:
			program := d.Skill == "" && strings.HasPrefix(skill, workflows.Program)
			return sessions.Resolution{Queue: d.Queue, Execute: d.Execute, Missing: d.Skill != skill && !program}
		case events.StepFailed:
			return sessions.Resolution{Missing: d.Failure.Code == workflows.NeedsConfiguration}
		}
	}
	return sessions.Resolution{}
}
