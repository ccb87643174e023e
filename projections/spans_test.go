package projections

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
)

// drawn shows spans as trees, one line each, with what they hold below.
func drawn(spans []Span) string {
	var b strings.Builder
	known := map[[8]byte]bool{}
	for _, s := range spans {
		known[s.ID] = true
	}
	var draw func(above [8]byte, trace [16]byte, indent string)
	draw = func(above [8]byte, trace [16]byte, indent string) {
		for _, s := range spans {
			if s.Parent != above || s.Trace != trace {
				continue
			}
			fmt.Fprintf(&b, "%s%s  %s +%s  %s %s\n", indent, s.Name, s.Start.Format("04:05"), s.End.Sub(s.Start), s.State, s.Message)
			for _, a := range s.Attributes {
				fmt.Fprintf(&b, "%s    %s=%v\n", indent, a.Key, a.Value)
			}
			for _, n := range s.Notes {
				fmt.Fprintf(&b, "%s    %s %s\n", indent, n.Time.Format("04:05"), n.Name)
			}
			fmt.Fprintf(&b, "%s    id %x, links %d\n", indent, s.ID, len(s.Links))
			if s.ID != above {
				draw(s.ID, trace, indent+"  ")
			}
		}
	}
	var traces [][16]byte
	for _, s := range spans {
		if !slices.Contains(traces, s.Trace) {
			traces = append(traces, s.Trace)
		}
	}
	for _, trace := range traces {
		fmt.Fprintf(&b, "trace %x\n", trace)
		draw([8]byte{}, trace, "  ")
		for _, s := range spans { // what hangs on a span that has not ended
			if s.Trace == trace && s.Parent != [8]byte{} && !known[s.Parent] {
				fmt.Fprintf(&b, "  below %x: %s %v\n", s.Parent, s.Name, s.Attributes)
			}
		}
	}
	return b.String()
}

func TestSpansOfStories(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*story{"byhand": byHandStory(t), "run": runStory(t), "waits": waitStory(t), "trouble": troubleStory(t)} {
		golden(t, "spans/"+name+".txt", []byte(drawn(into(s, &Spans{Content: true}).Ended())))
	}
}

func TestSpansTellNoContentUnasked(t *testing.T) {
	t.Parallel()
	s := newStory(t).add(sessionA, events.SessionStarted{Goal: "SECRET-goal"},
		events.RouteDecided{Route: "q001", Task: "SECRET-task", Decision: "auto", Reason: "SECRET-reason", Chosen: "writer"},
		events.CallOpened{Call: "c001", Skill: "writer", Route: "q001", Intent: "SECRET-intent", Inputs: map[string]events.Value{"k": text("SECRET-in")}},
		events.CallStarted{Call: "c001", Attempt: 1},
		events.CallClosed{Call: "c001", Attempt: 1, Status: "ok", Outputs: map[string]events.Value{"k": text("SECRET-out")}, Value: text("SECRET-value"), Note: "SECRET-note"},
		events.RunStarted{Run: "r-1", Name: "w", Text: "SECRET-text", Inputs: map[string]events.Value{"k": text("SECRET-in")}},
		events.RunCancelled{Run: "r-1", Reason: "SECRET-why"})
	if got := drawn(into(s, new(Spans)).Ended()); strings.Contains(got, "SECRET") || strings.Count(got, "id ") != 3 {
		t.Errorf("spans are\n%s", got)
	}
	if got := drawn(into(s, &Spans{Content: true}).Ended()); strings.Count(got, "SECRET") < 8 {
		t.Errorf("with content they are\n%s", got)
	}
}

// A run that was resumed has a second span below its first, and neither changes the other.
func TestARunTakenUpAgainHasAnotherSpan(t *testing.T) {
	t.Parallel()
	s := newStory(t).add(sessionA, events.SessionStarted{}, events.RunStarted{Run: "r-1", Name: "w"},
		events.CallOpened{Call: "r-1/a", Run: "r-1", Step: "a", Queue: "default"}, events.CallStarted{Call: "r-1/a", Attempt: 1, Worker: "p.1"})
	s.after(1).add(sessionA, events.CallFailed{Call: "r-1/a", Attempt: 1, Final: true, Failure: events.Failure{Code: "exit", Message: "no"}}, events.RunFailed{Run: "r-1", Reason: "a failed"})
	first := drawn(into(s, new(Spans)).Ended())
	s.after(60).add(sessionA, events.RunResumed{Run: "r-1"}, events.CallOpened{Call: "r-1/a", Run: "r-1", Step: "a", Queue: "default"}, events.CallStarted{Call: "r-1/a", Attempt: 2})
	s.after(1).add(sessionA, events.CallClosed{Call: "r-1/a", Attempt: 2, Status: "ok"}, events.RunCompleted{Run: "r-1"})
	spans := into(s, new(Spans)).Ended()
	if got := drawn(spans[:2]); got != first {
		t.Errorf("resuming changed what had ended:\n%s\nwas\n%s", got, first)
	}
	if len(spans) != 4 || spans[3].Parent != spans[1].ID || spans[2].Parent != spans[3].ID || spans[3].Trace != spans[1].Trace {
		t.Errorf("spans are\n%s", drawn(spans))
	}
}

// A fork's past has spans in the session it comes from; here only what is its own.
func TestAForkHasNoSpansOfItsPast(t *testing.T) {
	t.Parallel()
	s := newStory(t).add(sessionA, events.SessionStarted{}, events.RunStarted{Run: "r-1", Name: "w"},
		events.CallOpened{Call: "r-1/a", Run: "r-1", Step: "a"}, events.CallStarted{Call: "r-1/a", Attempt: 1}, events.CallClosed{Call: "r-1/a", Attempt: 1, Status: "ok"})
	s.after(5).add(sessionA, events.SessionForked{From: sessionB}, events.CallOpened{Call: "r-1/b", Run: "r-1", Step: "b"},
		events.CallStarted{Call: "r-1/b", Attempt: 1}, events.CallClosed{Call: "r-1/b", Attempt: 1, Status: "ok"}, events.RunCompleted{Run: "r-1"})
	spans := into(s, new(Spans)).Ended()
	if len(spans) != 2 || spans[0].Name != "execute_tool b" || spans[1].Name != "invoke_workflow w" || !spans[1].Start.Equal(s.now) || spans[1].Parent != [8]byte{} {
		t.Errorf("spans are\n%s", drawn(spans))
	}
}

func TestSpansAreWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s, given := new(Spans), []Span{}
		log := randomLog(rt)
		for _, c := range log {
			s.Fold(c.sequence, c.frame)
			if rapid.Bool().Draw(rt, "drain") {
				given = append(given, s.Drain()...)
			}
		}
		given = append(given, s.Drain()...)
		seen := map[[8]byte]time.Time{}
		for _, span := range given {
			if span.ID == [8]byte{} || span.Trace == [16]byte{} || span.ID == span.Parent || span.End.Before(span.Start) || span.Name == "" {
				rt.Errorf("span is not whole: %+v", span)
			}
			seen[span.ID] = span.End
		}
		all := new(Spans)
		for _, c := range log {
			all.Fold(c.sequence, c.frame)
		}
		if got, want := drawn(given), drawn(all.Ended()); got != want {
			rt.Errorf("drained\n%s\nat once\n%s", got, want)
		}
	})
}
