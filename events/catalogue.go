package events

import (
	"encoding/json"
	"reflect"
)

// Entry is one line of the catalogue: a fact's stored name, current version and meaning.
type Entry struct {
	Type    string
	V       int
	Meaning string
	// Upcast holds, at index i, the step from stored version i+1 to i+2.
	Upcast []func(json.RawMessage) (json.RawMessage, error)

	kind   reflect.Type
	decode func(json.RawMessage) (Data, error)
}

// Zero gives the entry's empty fact, for schemas and tests.
func (e Entry) Zero() Data { return reflect.Zero(e.kind).Interface().(Data) }

// Catalogue lists every event there is. Adding one is a struct and a line here.
var Catalogue = []Entry{
	entry[SessionStarted]("session.started", 1, "a session began: one user goal"),
	entry[SessionForked]("session.forked", 1, "a session began with the past of another"),
	entry[SessionEnded]("session.ended", 1, "a session was closed for good"),
	entry[SwitchMade]("switch.made", 1, "one skill handed over to another"),
	entry[ContextSet]("context.set", 1, "a context key got a new value"),
	entry[ContextDeleted]("context.deleted", 1, "a context key was removed"),
	entry[ContextRolledBack]("context.rolled_back", 1, "a context key went back to an earlier value"),
	entry[RouteDecided]("route.decided", 1, "a router chose, asked, split or found nothing"),
	entry[SearchDowngraded]("search.downgraded", 1, "a query went down the chain of providers"),
	entry[WebAdvanced]("web.advanced", 1, "the web router went on with a task"),
	entry[RouteBlocked]("route.blocked", 1, "the sentinel refused a task"),
	entry[FeedbackGiven]("feedback.given", 1, "a skill was said to serve a request, or not to"),
	entry[FeedbackCleared]("feedback.cleared", 1, "all feedback given before is forgotten"),
	entry[SkillsScanned]("skills.scanned", 1, "the index of installed skills changed"),
	entry[CallOpened]("call.opened", 1, "a use of a skill or executor was asked for"),
	entry[CallStarted]("call.started", 1, "a worker claimed the next attempt of a call"),
	entry[CallSuspended]("call.suspended", 1, "a call was set aside"),
	entry[CallResumed]("call.resumed", 1, "a suspended call was taken up again"),
	entry[CallClosed]("call.closed", 1, "a call ended with a result"),
	entry[CallFailed]("call.failed", 1, "an attempt ended badly"),
	entry[CallLost]("call.lost", 1, "an attempt's worker is gone"),
	entry[CallCancelled]("call.cancelled", 1, "a call is no longer wanted"),
	entry[RunStarted]("run.started", 1, "a workflow template was started"),
	entry[RunCompleted]("run.completed", 1, "every step of a run is done"),
	entry[RunFailed]("run.failed", 1, "a run cannot go on by itself"),
	entry[RunCancelled]("run.cancelled", 1, "a run was stopped on request"),
	entry[RunResumed]("run.resumed", 1, "a failed run was taken up again"),
	entry[ItemsListed]("items.listed", 1, "a step began to go through a list"),
	entry[StepJoined]("step.joined", 1, "the calls for a list's items were joined"),
	entry[StepSkipped]("step.skipped", 1, "a step's condition was false"),
	entry[StepJudged]("step.judged", 1, "a router took in how a step of its run ended"),
	entry[StepFailed]("step.failed", 1, "a step was given up before a call was opened"),
	entry[StepResolved]("step.resolved", 1, "a person said what becomes of a step that failed for good"),
	entry[ApprovalAsked]("approval.asked", 1, "a person is asked about one exact action"),
	entry[ApprovalAnswered]("approval.answered", 1, "the first answer to an approval"),
	entry[GoalSet]("goal.set", 1, "a session got a condition that its runs are to meet"),
	entry[GoalCleared]("goal.cleared", 1, "a session's condition was taken back"),
	entry[GoalEvaluated]("goal.evaluated", 1, "what was found of the condition after a run"),
	entry[SignalReceived]("signal.received", 1, "a message came for a run"),
	entry[PermitGranted]("permit.granted", 1, "a call may run that counts against a limit"),
	entry[PermitFreed]("permit.freed", 1, "a permit was given back"),
	entry[TimerSet]("timer.set", 1, "something wants to be woken at a time"),
	entry[TimerFired]("timer.fired", 1, "the time of a timer has come"),
	entry[TimerVoided]("timer.voided", 1, "a timer is no longer wanted"),
	entry[ScheduleSet]("schedule.set", 1, "a template is to be run at certain times"),
	entry[ScheduleFired]("schedule.fired", 1, "the run for one time of a schedule was started"),
	entry[ScheduleSkipped]("schedule.skipped", 1, "no run was started for one time of a schedule"),
	entry[ScheduleQueued]("schedule.queued", 1, "the run for one time waits for the end of the one before"),
	entry[SchedulePaused]("schedule.paused", 1, "a schedule starts nothing until it is resumed"),
	entry[ScheduleResumed]("schedule.resumed", 1, "a paused schedule starts runs again"),
	entry[ScheduleRemoved]("schedule.removed", 1, "a schedule is no more"),
}

func entry[T Data](name string, v int, meaning string, upcast ...func(json.RawMessage) (json.RawMessage, error)) Entry {
	return Entry{
		Type: name, V: v, Meaning: meaning, Upcast: upcast,
		kind: reflect.TypeFor[T](),
		decode: func(raw json.RawMessage) (Data, error) {
			var data T
			err := json.Unmarshal(raw, &data)
			return data, err
		},
	}
}

var byType = func() map[string]*Entry {
	index := make(map[string]*Entry, len(Catalogue))
	for i := range Catalogue {
		index[Catalogue[i].Type] = &Catalogue[i]
	}
	return index
}()

var byKind = func() map[reflect.Type]*Entry {
	index := make(map[reflect.Type]*Entry, len(Catalogue))
	for i := range Catalogue {
		index[Catalogue[i].kind] = &Catalogue[i]
	}
	return index
}()

// Lookup finds the catalogue's entry for a stored name.
func Lookup(name string) (Entry, bool) {
	e, ok := byType[name]
	if !ok {
		return Entry{}, false
	}
	return *e, true
}

// TypeOf gives the stored name of a fact; empty for [Unknown].
func TypeOf(d Data) string {
	if e, ok := byKind[reflect.TypeOf(d)]; ok {
		return e.Type
	}
	return ""
}
