package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

const (
	reconcileEvery = 500 * time.Millisecond
	wakeAfter      = 2 * time.Second // of standing still
	wakeAtMost     = 30 * time.Second
	stalledEvery   = 20 // looks
)

// reconciler makes lost batons and alarms harmless: it looks at what is open and wakes what stands
// still. What it sends twice does no harm.
type reconciler struct {
	e     *Engine
	p     *Projector
	woken map[attemptKey]wake
	rung  map[string]wake // timers, by session and id
	alone map[kin]wake    // calls whose child run is not there, and child runs whose call is not
	armed bool
}

type wake struct {
	first time.Time // when it was first seen standing
	last  time.Time // when it was last woken
	pause time.Duration
}

// Reconcile runs until ctx is done.
func (e *Engine) Reconcile(ctx context.Context, p *Projector) {
	r := &reconciler{e: e, p: p, woken: map[attemptKey]wake{}, rung: map[string]wake{}, alone: map[kin]wake{}}
	e.permits.follow(p)
	head, err := e.Log.Head(ctx)
	if err == nil {
		err = p.Reached(ctx, head)
	}
	e.warn("reconcile from the log's end", err)
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	for looks := 0; ; looks++ {
		r.look(ctx)
		if looks%stalledEvery == 0 {
			r.stalled(ctx)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *reconciler) look(ctx context.Context) {
	var queued []projections.QueuedCall
	var held []projections.HeldCall
	var timers []projections.TimerRow
	var apart []projections.Kin
	r.p.Index(func(x *projections.Index) {
		queued, held, timers, apart = x.Queued(), x.Held(), x.Timers(), x.Apart()
	})
	seen := map[attemptKey]bool{}
	for _, c := range held {
		key := attemptKey{c.Session, c.Call, c.Attempt}
		seen[key] = true
		switch silent := c.Worker != "" && r.e.heard.silent(c.Session, c.Call, c.Attempt); {
		case silent && strings.HasPrefix(c.Worker, Outside):
			r.release(ctx, c)
		case silent, r.e.gone(c.Worker):
			r.wake(ctx, key, c.Queue, c.Sequence, 0)
		}
	}
	r.e.permits.sweep(ctx, held)
	drained := r.drained(ctx, queued, held)
	for _, c := range queued {
		key := attemptKey{c.Session, c.Call, 0}
		seen[key] = true
		if !c.Waits && drained[c.Queue] {
			r.wake(ctx, key, c.Queue, c.Sequence, wakeAfter)
		}
	}
	r.e.heard.forget(seen)
	for key := range r.woken {
		if !seen[key] {
			delete(r.woken, key)
		}
	}
	r.alarms(ctx, timers)
	r.kin(apart)
}

// kin tends calls and child runs that have lost each other.
func (r *reconciler) kin(apart []projections.Kin) {
	seen := map[kin]bool{}
	for _, row := range apart {
		k := kin{row.Session, row.Call}
		seen[k] = true
		w := r.alone[k]
		if w.due(r.e.Now(), wakeAfter) {
			r.found("a call and a child run that had lost each other", row.Session, row.Call)
			r.e.tendAll([]kin{k})
		}
		r.alone[k] = w
	}
	for k := range r.alone {
		if !seen[k] {
			delete(r.alone, k)
		}
	}
}

// stalled goes on with runs that have nothing open. Their process ended between two commits of one
// consequence, and what was left unsaid is said with the next command, whatever that is.
func (r *reconciler) stalled(ctx context.Context) {
	type run struct{ session, run string }
	var unfinished []projections.RunRow
	open := map[run]bool{}
	r.p.Index(func(x *projections.Index) {
		unfinished = slices.DeleteFunc(x.Runs(), func(row projections.RunRow) bool { return !row.EndedAt.IsZero() })
		for _, c := range x.Queued() {
			open[run{c.Session, c.Run}] = true
		}
		for _, c := range x.Held() {
			open[run{c.Session, c.Run}] = true
		}
		for _, t := range x.Timers() {
			open[run{t.Session, t.Run}] = true
		}
		for _, a := range x.Approvals() {
			open[run{a.Session, a.Run}] = true
		}
	})
	for _, row := range unfinished {
		if !open[run{row.Session, row.ID}] {
			r.e.fire(ctx, row.Session, "")
		}
	}
}

// Outside begins the worker ids of agents outside. They follow no batons, so a call that one of them
// has left goes back to its queue by itself.
const Outside = "outside."

func (r *reconciler) release(ctx context.Context, c projections.HeldCall) {
	_, err := r.e.Do(ctx, c.Session, workflows.Release{Call: c.Call, Attempt: c.Attempt, Worker: c.Worker, Reason: "it was not heard of for a lease"}, Meta{Actor: "reconciler"})
	r.e.warn("release a call", err)
}

// drained names the queues on which every baton is in a worker's hand: a call that stands still there
// has lost its own.
func (r *reconciler) drained(ctx context.Context, queued []projections.QueuedCall, held []projections.HeldCall) map[string]bool {
	inHand := map[string]map[uint64]bool{}
	for _, c := range held {
		if inHand[c.Queue] == nil {
			inHand[c.Queue] = map[uint64]bool{}
		}
		if c.Baton > 0 {
			inHand[c.Queue][c.Baton] = true
		}
	}
	out := map[string]bool{}
	for _, c := range queued {
		if _, known := out[c.Queue]; known || c.Waits {
			continue
		}
		depth, err := r.e.Queue.Depth(ctx, c.Queue)
		out[c.Queue] = err == nil && depth <= len(inHand[c.Queue])
	}
	return out
}

// wake sends a baton for a call that has stood still long enough, and then ever less often.
func (r *reconciler) wake(ctx context.Context, key attemptKey, queue string, sequence uint64, after time.Duration) {
	w := r.woken[key]
	if w.due(r.e.Now(), after) {
		_, err := r.e.Queue.Publish(ctx, queue, stream.Baton{Session: key.session, Call: key.call, After: sequence, Wake: true})
		r.e.warn("wake a call", err)
		r.found("a call that stood still", key.session, key.call)
	}
	r.woken[key] = w
}

// found counts and tells what nobody else would have gone on with.
func (r *reconciler) found(what, session, id string) {
	r.e.Counts.Found.Add(1)
	r.e.Logger.Info("reconciler found "+what, "session", session, "id", id)
}

// due says whether what stands still is to be woken now: once it has stood long enough, and then ever less
// often.
func (w *wake) due(now time.Time, after time.Duration) bool {
	if w.first.IsZero() {
		w.first = now
	}
	if now.Sub(w.first) < after || !w.last.IsZero() && now.Sub(w.last) < w.pause {
		return false
	}
	w.last, w.pause = now, min(max(2*w.pause, wakeAfter), wakeAtMost)
	return true
}

// alarms arms every timer once after a start, and fires by itself what is overdue.
func (r *reconciler) alarms(ctx context.Context, timers []projections.TimerRow) {
	seen := map[string]bool{}
	for _, t := range timers {
		key := t.Session + " " + t.Timer
		seen[key] = true
		w := r.rung[key]
		if w.first.IsZero() {
			w.first = r.e.Now()
			if !r.armed {
				r.e.warn("arm timer", r.e.Timers.Arm(ctx, stream.Alarm{Session: t.Session, Timer: t.Timer, At: t.At}))
			}
		}
		if late := r.e.Now().Sub(t.At); late > wakeAfter && r.e.Now().Sub(w.last) > wakeAfter {
			w.last = r.e.Now()
			r.found("a timer that was overdue", t.Session, t.Timer)
			r.e.fire(ctx, t.Session, t.Timer)
		}
		r.rung[key] = w
	}
	r.armed = true
	for key := range r.rung {
		if !seen[key] {
			delete(r.rung, key)
		}
	}
}

// Ring takes alarms as they come due, until ctx is done.
func (e *Engine) Ring(ctx context.Context) {
	for ctx.Err() == nil {
		alarm, done, err := e.Timers.Due(ctx)
		if err != nil {
			if ctx.Err() == nil {
				e.warn("wait for alarms", err)
				stream.Pause(ctx, time.Second)
			}
			continue
		}
		switch early := alarm.At.Sub(e.Now()); {
		case early > wakeAfter: // by a clock that is far ahead, or by nobody who knows it: the reconciler looks
			e.warn("settle an alarm", done(ctx))
			continue
		case early > 0:
			stream.Pause(ctx, early)
		}
		if alarm.Session == "" && e.Rung != nil {
			if e.Rung(ctx, alarm.Timer) {
				e.warn("settle an alarm", done(ctx))
			}
			continue
		}
		if e.fire(ctx, alarm.Session, alarm.Timer) {
			e.warn("settle an alarm", done(ctx))
		}
	}
}

// fire commits that a timer's time has come. It says whether the alarm is dealt with.
func (e *Engine) fire(ctx context.Context, session, timer string) bool {
	_, err := e.Do(ctx, session, workflows.Fire{Timer: timer}, Meta{Actor: "timer"})
	if err == nil {
		return true
	}
	refusal := refusalOf(err)
	if refusal.Kind == sessions.Unreachable || refusal.Code == workflows.TimerEarly {
		return false
	}
	e.warn("fire timer", err)
	return true
}
