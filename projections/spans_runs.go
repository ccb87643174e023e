package projections

import (
	"time"

	"github.com/batonflow/baton/events"
)

// runStarted begins a trace, or, for a child run, hangs it on the attempt that started it.
func (s *Spans) runStarted(now time.Time, d events.RunStarted) {
	r := &spanRun{facts: d}
	r.at.trace = s.traceID(d.Run)
	if call := s.calls[d.Parent]; call != nil {
		r.above, r.at.trace = call.here(), call.here().trace
	}
	r.facts.Text, r.facts.Templates = "", nil // they can be large, and nobody asks for them
	s.runs[d.Run] = r
	s.take(r, now)
}

// take begins a span for the run. One that is taken up again hangs on its first.
func (s *Spans) take(r *spanRun, now time.Time) {
	if r.taking > 0 && r.above == (spanRef{}) {
		r.above = r.at
	}
	r.taking++
	r.start, r.running = now, true
	r.at.id = s.spanID("run", r.facts.Run, r.taking)
}

func (s *Spans) runAgain(now time.Time, run string) {
	if r := s.runs[run]; r != nil && !r.running {
		s.take(r, now)
	}
}

func (s *Spans) runEnded(now time.Time, run, status, reason string) {
	r := s.runs[run]
	if r == nil || !r.running {
		return
	}
	r.running = false
	span := s.begin(opWorkflow, r.facts.Name, r.at, r.above)
	span.add(attrWorkflow, r.facts.Name)
	span.add(attrRun, r.facts.Run)
	span.add(attrTemplate, r.facts.SHA256)
	span.add(attrTaking, int64(r.taking))
	span.add(attrRunState, status)
	s.content(&span, attrInput, attrInputType, r.facts.Inputs)
	switch status {
	case "completed":
		span.State = "ok"
	case "failed":
		span.wrong("failed", reason)
	default:
		span.add(attrReason, s.said(reason))
	}
	s.end(span, r.start, now)
}

// said is a text that somebody wrote, where such may be told.
func (s *Spans) said(text string) string {
	if !s.Content {
		return ""
	}
	return short(text, previewLength)
}

// content adds values as one JSON document of previews, where such may be told.
func (s *Spans) content(span *Span, key, kind string, values map[string]events.Value) {
	if !s.Content || len(values) == 0 {
		return
	}
	raw, err := events.Marshal(previews(values))
	if err != nil {
		return
	}
	span.add(key, string(raw))
	span.add(kind, "application/json")
}
