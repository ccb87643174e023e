package projections

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
)

// spanEnd is how an attempt ended.
type spanEnd struct {
	attempt int
	status  string
	over    bool   // the call has ended with it
	code    string // with it the span is an error
	why     string
	reason  string
	closed  *events.CallClosed
}

// here is where what a call does hangs: on its attempt, or what its first one will hang on.
func (c *spanCall) here() spanRef {
	if c.at == (spanRef{}) {
		return c.parent
	}
	return c.at
}

func (s *Spans) callOpened(now time.Time, d events.CallOpened) {
	c := s.calls[d.Call]
	if c == nil {
		c = &spanCall{}
		s.calls[d.Call] = c
	}
	if c.openings > 0 { // an opening again need not repeat everything
		d.Skill, d.Intent = cmp.Or(d.Skill, c.facts.Skill), cmp.Or(d.Intent, c.facts.Intent)
		d.Route, d.Parent = cmp.Or(d.Route, c.facts.Route), cmp.Or(d.Parent, c.facts.Parent)
		d.Run, d.Step = cmp.Or(d.Run, c.facts.Run), cmp.Or(d.Step, c.facts.Step)
		if d.Inputs == nil {
			d.Inputs = c.facts.Inputs
		}
	}
	if !s.Content {
		d.Inputs = nil
	}
	c.facts, c.who, c.opened = d, executorOf(d.Execute), now
	c.openings++
	c.parent = s.above(d)
	if d.Run == "" && d.Queue == "" {
		s.stack.push(d.Call, d.Skill)
	}
}

// above is what a call hangs on: the call it is made in, its run, the decision that chose its skill.
func (s *Spans) above(d events.CallOpened) spanRef {
	if parent := s.calls[d.Parent]; parent != nil && d.Parent != d.Call {
		return parent.here()
	}
	if r := s.runs[d.Run]; r != nil {
		return r.at
	}
	return s.routes[d.Route]
}

func (s *Spans) callStarted(now time.Time, d events.CallStarted) {
	c := s.calls[d.Call]
	if c == nil {
		return
	}
	c.attempt, c.working, c.worker, c.start = d.Attempt, true, d.Worker, now
	c.parent = s.above(c.facts)
	c.at = s.placed(c.parent, d.Call, s.spanID("call", d.Call, d.Attempt))
}

// placed is a span's place below another; below none it begins a trace.
func (s *Spans) placed(above spanRef, root string, id [8]byte) spanRef {
	if above == (spanRef{}) {
		return spanRef{s.traceID(root), id}
	}
	return spanRef{above.trace, id}
}

// answered notes the answer where the question was noted.
func (s *Spans) answered(now time.Time, d events.ApprovalAnswered) {
	for _, c := range s.calls {
		asked := slices.ContainsFunc(c.notes, func(n SpanNote) bool { return n.Name == "asked "+d.Approval })
		if asked {
			c.notes = append(c.notes, SpanNote{map[bool]string{true: "agreed ", false: "denied "}[d.Yes] + d.Approval, now})
		}
	}
}

// note keeps what happens to a call for the span of its attempt, or of the next one.
func (s *Spans) note(now time.Time, call, what string) {
	if c := s.calls[call]; c != nil {
		c.notes = append(c.notes, SpanNote{what, now})
	}
}

// callEnded ends the span of the attempt. A call that ended before any began has a span of its own.
func (s *Spans) callEnded(now time.Time, id string, e spanEnd) {
	c := s.calls[id]
	if c == nil {
		return
	}
	if e.over {
		s.stack.drop(id)
	}
	start := c.start
	switch {
	case c.working && (e.attempt == c.attempt || e.attempt == 0):
	case !c.working && e.over:
		start = c.opened
		c.at = s.placed(c.parent, id, s.spanID("call", id, 0, c.openings))
	default:
		return // it has ended already
	}
	s.end(s.callSpan(c, e, c.working), start, now)
	c.working, c.notes, c.opened = false, nil, now // the wait for another attempt begins here
}

func (s *Spans) callSpan(c *spanCall, e spanEnd, worked bool) Span {
	d, name := c.facts, cmp.Or(c.facts.Skill, c.facts.Step, c.who, "call")
	operation, subject := opTool, attrTool
	if c.who == "agent" || c.who == "claim" {
		operation, subject = opAgent, attrAgent
	}
	span := s.begin(operation, name, c.at, c.parent)
	span.add(subject, short(name, previewLength))
	if operation == opTool {
		span.add(attrToolCall, d.Call)
		span.add(attrToolType, "function")
	}
	span.add(attrRun, d.Run)
	span.add(attrCall, d.Call)
	span.add(attrStep, d.Step)
	span.add(attrPurpose, d.Purpose)
	span.add(attrExecutor, c.who)
	span.add(attrQueue, d.Queue)
	if worked {
		span.add(attrAttempt, int64(c.attempt))
		span.add(attrWorker, c.worker)
		span.add(attrWaited, seconds(c.opened, c.start))
	}
	span.add(attrState, e.status)
	span.add(attrReason, s.said(e.reason))
	span.Notes = c.notes
	if at, ok := s.routes[d.Route]; ok && at != c.parent {
		span.Links = []SpanLink{{at.trace, at.id}}
	}
	s.callContent(&span, operation, c, e)
	switch {
	case e.code != "":
		span.wrong(e.code, e.why)
	case e.status == "failed":
		span.wrong("failed", e.why)
	case e.status != "cancelled":
		span.State = "ok"
	}
	return span
}

// callContent adds what went in and came out, and what it cost.
func (s *Spans) callContent(span *Span, operation string, c *spanCall, e spanEnd) {
	s.content(span, attrInput, attrInputType, c.facts.Inputs)
	if operation == opTool {
		s.same(span, attrArguments, attrInput)
	}
	if e.closed == nil {
		return
	}
	out := e.closed.Outputs
	if !e.closed.Value.IsZero() {
		out = maps.Clone(out)
		if out == nil {
			out = map[string]events.Value{}
		}
		out["value"] = e.closed.Value
	}
	s.content(span, attrOutput, attrOutputType, out)
	if operation == opTool {
		s.same(span, attrResult, attrOutput)
	}
	used := e.closed.Used()
	if used.Tokens > 0 {
		span.add(attrTokens, int64(used.Tokens))
	}
	if used.USD > 0 {
		span.add(attrCost, used.USD)
	}
}

// same gives a value under a second name.
func (s *Spans) same(span *Span, name, of string) {
	if i := slices.IndexFunc(span.Attributes, func(a Attribute) bool { return a.Key == of }); i >= 0 {
		span.Attributes = append(span.Attributes, Attribute{name, span.Attributes[i].Value})
	}
}

// executorOf is the name under which a call's settings say how it is made; empty: by hand.
func executorOf(execute json.RawMessage) string {
	var settings map[string]json.RawMessage
	if json.Unmarshal(execute, &settings) != nil {
		return ""
	}
	names := slices.Sorted(maps.Keys(settings))
	return strings.Join(names, ",")
}
