package projections

import (
	"time"

	"github.com/batonflow/baton/events"
)

// routeDecided is over as soon as it is recorded: how long a router thought is in no event. A decision
// that splits a task, and one of a router that plans, is a plan.
func (s *Spans) routeDecided(now time.Time, d events.RouteDecided) {
	operation, name := opRoute, d.Chosen
	if d.Router != "" || d.Decision == "decompose" {
		operation, name = opPlan, d.Router
	}
	span, at := s.routeSpan(operation, name, d.Route, d.Run)
	span.add(attrRouteID, d.Route)
	span.add(attrRouter, d.Router)
	span.add(attrRun, d.Run)
	span.add(attrStep, d.Step)
	span.add(attrDecision, d.Decision)
	span.add(attrChosen, d.Chosen)
	if names := candidateNames(d); len(names) > 0 {
		span.add(attrCandidates, names)
		span.add(attrScore, d.Candidates[0].Score)
	}
	if s.Content {
		span.add(attrReason, short(d.Reason, previewLength))
		span.add(attrInput, short(d.Task, previewLength))
		span.add(attrOutput, short(d.Chosen, previewLength))
	}
	span.State = "ok"
	s.routes[d.Route] = at
	s.end(span, now, now)
}

func (s *Spans) routeBlocked(now time.Time, d events.RouteBlocked) {
	span, at := s.routeSpan(opRoute, "", d.Route, "")
	span.add(attrRouteID, d.Route)
	span.add(attrDecision, "blocked")
	if s.Content {
		span.add(attrInput, short(d.Task, previewLength))
	}
	span.add(attrReason, d.Reason)
	s.routes[d.Route] = at
	s.end(span, now, now)
}

// routeSpan begins a decision's span where it was made: in its run, in the innermost call by hand, else
// in a trace of its own.
func (s *Spans) routeSpan(operation, name, route, run string) (Span, spanRef) {
	above := spanRef{}
	if call := s.calls[s.stack.top().Call]; call != nil {
		above = call.here()
	}
	if r := s.runs[run]; r != nil {
		above = r.at
	}
	at := s.placed(above, route, s.spanID("route", route))
	return s.begin(operation, name, at, above), at
}

func candidateNames(d events.RouteDecided) []string {
	names := make([]string, 0, len(d.Candidates))
	for _, c := range d.Candidates {
		names = append(names, short(c.Name, previewLength))
	}
	return names
}
