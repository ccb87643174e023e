package projections

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
)

// Spans folds the commits of one session into the spans of OpenTelemetry: one for each time that a run
// was taken up, one for each attempt of a call, one for each decision of a router. A span is given once
// it has ended, and never changes then. Its ids follow from session, call and attempt, so that the same
// log gives the same spans wherever and however often it is folded.
//
// What has a common beginning is one trace: a run, a call by hand, or a decision, each with all that
// hangs on it. All traces of a session carry its id. The zero value is ready.
type Spans struct {
	checkpoint
	// Content says that spans hold what people and skills wrote: intents, inputs, outputs, as previews.
	// Without it they hold names, states and times only.
	Content bool

	session string
	stack   stack
	runs    map[string]*spanRun
	calls   map[string]*spanCall
	routes  map[string]spanRef
	ended   []Span
}

// Span is one that has ended.
type Span struct {
	Trace      [16]byte
	ID         [8]byte
	Parent     [8]byte // zero: it is the first of its trace
	Name       string
	Start, End time.Time
	State      string // ok, error, or empty where the conventions want none
	Message    string // with error: what went wrong
	Attributes []Attribute
	Links      []SpanLink
	Notes      []SpanNote
	Sequence   uint64 // of the commit that ended it
}

// Attribute is a named value of a span: a string, int64, float64, bool or []string.
type Attribute struct {
	Key   string
	Value any
}

// SpanLink names another span that this one rests on.
type SpanLink struct {
	Trace [16]byte
	ID    [8]byte
}

// SpanNote is something that happened while a span was open.
type SpanNote struct {
	Name string
	Time time.Time
}

// spanRef is a place in a trace. The zero value is none.
type spanRef struct {
	trace [16]byte
	id    [8]byte
}

// spanRun is a run that is being worked on, or was.
type spanRun struct {
	facts   events.RunStarted
	above   spanRef
	at      spanRef // of the present taking
	start   time.Time
	taking  int // from 1
	running bool
}

// spanCall is a call with the attempt that is under way.
type spanCall struct {
	facts    events.CallOpened
	who      string // executor, empty by hand
	opened   time.Time
	openings int
	attempt  int // 0: none has begun
	working  bool
	worker   string
	start    time.Time
	at       spanRef
	parent   spanRef
	notes    []SpanNote
}

// Fold takes the session's next commit; those of other sessions are left alone.
func (s *Spans) Fold(sequence uint64, f events.Frame) {
	if s.session != "" && f.Session != s.session || !s.advance(sequence) {
		return
	}
	if s.session == "" {
		s.session = f.Session
		s.runs, s.calls, s.routes = map[string]*spanRun{}, map[string]*spanCall{}, map[string]spanRef{}
	}
	for _, ev := range f.Events {
		s.fold(instant(ev.Time), ev.Data)
	}
}

// Ended lists the spans that have ended, in that order.
func (s *Spans) Ended() []Span { return slices.Clone(s.ended) }

// Drain gives the spans that have ended since it was asked last, and keeps them no longer.
func (s *Spans) Drain() []Span {
	out := s.ended
	s.ended = nil
	return out
}

func (s *Spans) fold(now time.Time, data events.Data) {
	switch d := data.(type) {
	case events.SessionForked:
		s.forked(now)
	case events.RunStarted:
		s.runStarted(now, d)
	case events.RunCompleted:
		s.runEnded(now, d.Run, "completed", "")
	case events.RunFailed:
		s.runEnded(now, d.Run, "failed", d.Reason)
	case events.RunCancelled:
		s.runEnded(now, d.Run, "cancelled", d.Reason)
	case events.RunResumed:
		s.runAgain(now, d.Run)
	case events.StepResolved:
		if d.Action != events.Fail {
			s.runAgain(now, d.Run)
		}
	case events.RouteDecided:
		s.routeDecided(now, d)
	case events.RouteBlocked:
		s.routeBlocked(now, d)
	case events.Unknown:
		s.skipped++
	default:
		s.foldCall(now, data)
	}
}

// foldCall folds what is about a call.
func (s *Spans) foldCall(now time.Time, data events.Data) {
	switch d := data.(type) {
	case events.CallOpened:
		s.callOpened(now, d)
	case events.CallStarted:
		s.callStarted(now, d)
	case events.CallSuspended:
		s.note(now, d.Call, "suspended")
	case events.CallResumed:
		s.note(now, d.Call, "resumed")
		s.stack.raise(d.Call)
	case events.ApprovalAsked:
		s.note(now, d.Call, "asked "+d.Approval)
	case events.ApprovalAnswered:
		s.answered(now, d)
	case events.CallClosed:
		s.callEnded(now, d.Call, spanEnd{attempt: d.Attempt, status: d.Status, over: true, closed: &d})
	case events.CallFailed:
		s.callEnded(now, d.Call, spanEnd{attempt: d.Attempt, status: "failed", over: d.Final, code: d.Failure.Code, why: d.Failure.Message})
	case events.CallLost:
		s.callEnded(now, d.Call, spanEnd{attempt: d.Attempt, status: "lost", over: d.Final, code: "lost", why: d.Reason})
	case events.CallCancelled:
		s.callEnded(now, d.Call, spanEnd{attempt: d.Attempt, status: "cancelled", over: true, reason: d.Reason})
	case events.SessionStarted, events.SessionEnded, events.SwitchMade, events.ContextSet, events.ContextDeleted, events.ContextRolledBack,
		events.SearchDowngraded, events.WebAdvanced, events.FeedbackGiven, events.FeedbackCleared, events.SkillsScanned,
		events.ItemsListed, events.StepJoined, events.StepSkipped, events.StepJudged, events.StepFailed,
		events.GoalSet, events.GoalCleared, events.GoalEvaluated, events.SignalReceived, events.PermitGranted, events.PermitFreed,
		events.TimerSet, events.TimerFired, events.TimerVoided, events.ScheduleSet, events.ScheduleFired, events.ScheduleSkipped,
		events.ScheduleQueued, events.SchedulePaused, events.ScheduleResumed, events.ScheduleRemoved: // take no time
	}
}

// forked begins a session with the past of another: the spans of that one are its own, and what was
// under way there has ended there.
func (s *Spans) forked(now time.Time) {
	s.ended, s.stack = nil, nil
	s.calls, s.routes = map[string]*spanCall{}, map[string]spanRef{}
	for id, r := range s.runs {
		r.above, r.at.trace, r.taking = spanRef{}, s.traceID(id), 0
		if r.running {
			s.take(r, now)
		}
	}
}

// traceID is that of everything that hangs on one beginning: a run, a call or a route of the session.
func (s *Spans) traceID(root string) (id [16]byte) {
	sum := sha256.Sum256([]byte("trace\x00" + s.session + "\x00" + root))
	copy(id[:], sum[:])
	return id
}

// spanID is that of one span of the session, told by what it is of.
func (s *Spans) spanID(of ...any) (id [8]byte) {
	sum := sha256.Sum256([]byte("span\x00" + s.session + "\x00" + fmt.Sprintln(of...)))
	copy(id[:], sum[:])
	return id
}

// begin gives what every span of an operation has. Name is what the operation is about.
func (s *Spans) begin(operation, name string, at, above spanRef) Span {
	span := Span{Trace: at.trace, ID: at.id, Parent: above.id, Name: strings.TrimSpace(operation + " " + short(name, previewLength)), Sequence: s.sequence}
	span.add(attrOperation, operation)
	span.add(attrConversation, s.session)
	span.add(attrSession, s.session)
	span.add(attrKind, looks[operation].openInference)
	span.add(attrObservation, looks[operation].langfuse)
	if above == (spanRef{}) {
		span.add(attrTraceName, span.Name)
	}
	return span
}

// add sets an attribute; an empty text is none.
func (s *Span) add(key string, value any) {
	if text, ok := value.(string); ok && text == "" {
		return
	}
	s.Attributes = append(s.Attributes, Attribute{key, value})
}

// wrong marks the span as one that went wrong.
func (s *Span) wrong(code, message string) {
	s.State, s.Message = "error", short(message, 4*previewLength)
	s.add(attrError, code)
	s.add(attrLevel, "ERROR")
	s.add(attrStatusMessage, s.Message)
}

// end gives the span away.
func (s *Spans) end(span Span, start, end time.Time) {
	if end.Before(start) { // clocks of two machines
		end = start
	}
	span.Start, span.End = start, end
	s.ended = append(s.ended, span)
}
