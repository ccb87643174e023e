package timeline

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
)

// Kind says what a call's time went into.
type Kind string

// The kinds of a bar.
const (
	Work      Kind = "work"
	Queue     Kind = "queue"     // ready, and no worker had it yet
	Limit     Kind = "limit"     // held back by limits.parallel, or waiting for a permit
	Approval  Kind = "approval"  // for a person
	Timer     Kind = "timer"     // for a time
	Signal    Kind = "signal"    // for a message
	Backoff   Kind = "backoff"   // before the next attempt
	Child     Kind = "child"     // for the run that it started
	Outside   Kind = "outside"   // for an agent or a person to take it
	Suspended Kind = "suspended" // set aside by hand
)

// Bar is a stretch of a call's time. One that is still open has no end.
type Bar struct {
	Kind    Kind      `json:"kind"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to,omitzero"`
	Attempt int       `json:"attempt,omitempty"`
	Outcome string    `json:"outcome,omitempty"` // of work: ok, partial, failed, skipped, lost, cancelled
	Worker  string    `json:"worker,omitempty"`
	Error   string    `json:"error,omitempty"`
	Until   time.Time `json:"until,omitzero"` // when a wait ends by itself
}

// Usage is what calls reported that they used.
type Usage = events.Used

type call struct {
	events.CallOpened
	openedAt time.Time
	closedAt time.Time
	status   string // once it is over
	attempts int
	failure  *events.Failure
	usage    Usage
	bars     []Bar
	commits  []uint64 // those that hold an event of it
	rests    Kind     // what it does between attempts
	works    Kind     // what it does in one
	beside   []*call  // probes and compensations, or calls below one by hand
}

// name is how the call is called inside its run.
func (c *call) name() string {
	if c.Run == "" || c.Step == "" {
		return c.Call
	}
	return strings.TrimPrefix(c.Call, c.Run+"/")
}

func (c *call) touched(sequence uint64) {
	if n := len(c.commits); n == 0 || c.commits[n-1] != sequence {
		c.commits = append(c.commits, sequence)
	}
}

func (t *Timeline) opened(sequence uint64, at time.Time, d events.CallOpened) string {
	c := t.calls[d.Call]
	if c == nil {
		c = &call{openedAt: at}
		t.calls[d.Call] = c
		t.place(c, d)
	}
	again := c.Call != ""
	before := c.CallOpened
	c.CallOpened = d
	if again && d.Inputs == nil {
		c.Inputs, c.Skill, c.Intent = before.Inputs, before.Skill, before.Intent
	}
	c.touched(sequence)
	c.closedAt, c.status = time.Time{}, ""
	c.rests, c.works = doing(d)
	c.turn(at, c.rests)
	return c.name()
}

// place hangs a new call where it belongs.
func (t *Timeline) place(c *call, d events.CallOpened) {
	if parent := t.calls[d.Parent]; parent != nil && (d.Purpose != "" || d.Run == "") {
		parent.beside = append(parent.beside, c)
		return
	}
	r := t.runs[d.Run]
	if r == nil {
		t.byHand = append(t.byHand, c)
		return
	}
	s := r.step(d.Step)
	if s.list != nil && strings.HasPrefix(d.Call, d.Run+"/"+d.Step+"[") {
		s.list.calls = append(s.list.calls, c)
		return
	}
	s.call = c
}

// doing says what a call does between attempts and in one, by its settings.
func doing(d events.CallOpened) (rests, works Kind) {
	var kind struct{ Approve, Wait, Workflow, Claim json.RawMessage }
	_ = json.Unmarshal(d.Execute, &kind) // one without settings is nothing special
	var wait struct{ Signal string }
	if kind.Wait != nil {
		_ = json.Unmarshal(kind.Wait, &wait)
	}
	switch {
	case kind.Approve != nil:
		return Approval, Approval
	case wait.Signal != "":
		return Signal, Signal
	case kind.Wait != nil:
		return Timer, Timer
	case kind.Workflow != nil:
		return Child, Child
	case d.Queue == "":
		return Work, Work
	case kind.Claim != nil || len(d.Execute) == 0:
		return Outside, Work
	case len(d.Limits) > 0:
		return Limit, Work
	}
	return Queue, Work
}

// open is the bar that has no end yet; nil when there is none.
func (c *call) open() *Bar {
	if n := len(c.bars); n > 0 && c.bars[n-1].To.IsZero() {
		return &c.bars[n-1]
	}
	return nil
}

// turn ends what the call was doing and begins something else. What took no time leaves no bar.
func (c *call) turn(at time.Time, kind Kind) *Bar {
	if b := c.open(); b != nil {
		if b.Kind == kind && b.Kind != Work {
			return b
		}
		b.To = at
		if !at.After(b.From) && b.Kind != Work {
			c.bars = c.bars[:len(c.bars)-1]
		}
	}
	c.bars = append(c.bars, Bar{Kind: kind, From: at, Attempt: c.attempts})
	return &c.bars[len(c.bars)-1]
}

func (c *call) started(at time.Time, d events.CallStarted) {
	c.attempts = d.Attempt
	b := c.turn(at, c.works)
	b.Attempt, b.Worker = d.Attempt, d.Worker
}

// end closes what is open, with the outcome where it was work.
func (c *call) end(at time.Time, outcome string) *Bar {
	b := c.open()
	if b == nil {
		return nil
	}
	b.To = at
	if b.Kind == c.works {
		b.Outcome = outcome
	}
	if !at.After(b.From) && b.Kind != Work && len(c.bars) > 1 {
		c.bars = c.bars[:len(c.bars)-1]
		return nil
	}
	return b
}

func (c *call) over(at time.Time, status string) { c.closedAt, c.status = at, status }

func (t *Timeline) closed(c *call, at time.Time, d events.CallClosed) {
	c.end(at, d.Status)
	c.over(at, d.Status)
	if d.Status != "failed" {
		c.failure = nil
	}
	used := d.Used()
	c.usage.Add(used)
	t.spend(c, used)
}

func (c *call) failed(at time.Time, d events.CallFailed) {
	c.failure = &d.Failure
	if b := c.end(at, "failed"); b != nil {
		b.Error = said(d.Failure)
	}
	if d.Final {
		c.over(at, "failed")
		return
	}
	c.turn(at, c.rests)
}

func (c *call) lost(at time.Time, d events.CallLost) {
	if b := c.end(at, "lost"); b != nil {
		b.Error = d.Reason
	}
	if d.Final {
		c.over(at, "failed")
		return
	}
	c.turn(at, c.rests)
}

func said(f events.Failure) string {
	text := f.Code
	if f.Exit != 0 {
		text = fmt.Sprintf("%s (exit %d)", text, f.Exit)
	}
	if f.Message != "" {
		text += ": " + f.Message
	}
	return text
}

func (t *Timeline) wrote(sequence uint64, id string) {
	if c := t.calls[id]; c != nil {
		c.touched(sequence)
	}
}

func (t *Timeline) timerSet(sequence uint64, d events.TimerSet) string {
	at, _ := time.Parse(time.RFC3339Nano, d.At) // one that cannot be read has no end to show
	t.timers[d.Timer] = timer{d.Kind, d.Call, at}
	c := t.calls[d.Call]
	if c == nil {
		return d.Kind
	}
	c.touched(sequence)
	b := c.open()
	switch {
	case b == nil:
	case d.Kind == "backoff" && b.Kind == c.rests:
		b.Kind, b.Until = Backoff, at
	case b.Kind != Work:
		b.Until = at
	}
	return d.Kind + " " + c.name()
}

func (t *Timeline) timerOver(sequence uint64, at time.Time, id string, fired bool) string {
	set, ok := t.timers[id]
	delete(t.timers, id)
	c := t.calls[set.call]
	if !ok || c == nil {
		return set.kind
	}
	c.touched(sequence)
	if b := c.open(); b != nil && b.Kind == Backoff && fired {
		c.turn(at, c.rests)
	}
	return set.kind + " " + c.name()
}

func (t *Timeline) approvalAsked(sequence uint64, at time.Time, d events.ApprovalAsked) string {
	t.asked[d.Approval] = question{d.Run, d.Call, d.About}
	c := t.calls[d.Call]
	if c == nil || !c.closedAt.IsZero() {
		return d.Step
	}
	c.touched(sequence)
	b := c.open()
	if b == nil || b.Kind != Work || len(c.Execute) > 0 {
		b = c.turn(at, Approval)
	}
	if d.ExpiresIn > 0 {
		b.Until = at.Add(time.Duration(min(d.ExpiresIn, longest) * float64(time.Second)))
	}
	return c.name()
}

// longest bounds how far ahead an expiry is shown, in seconds.
const longest = 9e9

func (t *Timeline) approvalAnswered(sequence uint64, at time.Time, d events.ApprovalAnswered) string {
	q := t.asked[d.Approval]
	if r := t.runs[q.run]; r != nil && q.about == events.AboutBudget && d.Yes {
		r.allow()
	}
	c := t.calls[q.call]
	if c == nil {
		return d.Approval
	}
	c.touched(sequence)
	if b := c.open(); b != nil && b.Kind == Approval && c.works != Approval && d.Yes {
		c.turn(at, c.rests)
	}
	return c.name()
}
