package projections

import (
	"time"

	"github.com/batonflow/baton/events"
)

// Trace folds the commits of one session into its call tree: every decision, switch, write and
// attempt at the place where it happened, in the order of the log. Its zero value is ready.
type Trace struct {
	checkpoint
	head  heading
	tally tally
	roots []*node
	order []*node // every node, as the log has them

	stack  stack
	calls  map[string]*node
	runs   map[string]*node
	timers map[string]*node

	approvals map[string]*approvalNode
	join      *node // the last end of a step that went through a list
}

// heading is what the session itself is.
type heading struct {
	Session   string    `json:"session"`
	Goal      string    `json:"goal"`
	Mode      string    `json:"mode"`
	Status    string    `json:"status"`
	Workspace string    `json:"workspace"`
	Skill     string    `json:"current_skill,omitempty"`
	Started   time.Time `json:"started_at"`
	Updated   time.Time `json:"updated_at"`
	Summary   string    `json:"summary,omitempty"`
}

// tally is how much of each there was.
type tally struct {
	Calls    int `json:"calls"`
	Open     int `json:"open_calls"`
	Switches int `json:"switches"`
	Routes   int `json:"routes"`
	Runs     int `json:"runs"`
	Writes   int `json:"context_writes"`
	Lost     int `json:"lost_attempts"`
}

// Fold takes the session's next commit. The first one names the session; those of others are left
// alone.
func (t *Trace) Fold(sequence uint64, f events.Frame) {
	if t.head.Session != "" && f.Session != t.head.Session || !t.advance(sequence) {
		return
	}
	if t.head.Session == "" {
		t.head.Session, t.head.Status = f.Session, "active"
		t.calls, t.runs, t.timers = map[string]*node{}, map[string]*node{}, map[string]*node{}
		t.approvals = map[string]*approvalNode{}
	}
	for _, ev := range f.Events {
		n := &node{Type: ev.Type, Sequence: sequence, Commit: f.N, Time: instant(ev.Time), Actor: ev.Actor}
		t.head.Updated = n.Time
		t.fold(n, ev.Data)
	}
}

// fold hands an event to the one place that knows what it does to the tree.
func (t *Trace) fold(n *node, data events.Data) {
	switch d := data.(type) {
	case events.SessionStarted:
		t.sessionStarted(n, d)
	case events.SessionForked:
		t.add(n, nil, change{Call: d.Call, Status: "forked", Reason: "from session " + d.From})
	case events.SessionEnded:
		t.sessionEnded(n, d)
	case events.SwitchMade:
		t.switchMade(n, d)
	case events.ContextSet:
		t.wrote(n, contextNode{Key: d.Key, Rev: d.Rev, By: d.By, Call: d.Call, Preview: preview(d.Value)})
	case events.ContextDeleted:
		t.wrote(n, contextNode{Key: d.Key, Rev: d.Rev, By: d.By, Call: d.Call})
	case events.ContextRolledBack:
		t.wrote(n, contextNode{Key: d.Key, Rev: d.Rev, To: d.To, By: d.By, Call: d.Call})
	case events.RouteDecided:
		t.routeDecided(n, d)
	case events.RouteBlocked:
		t.routeBlocked(n, d)
	case events.CallOpened:
		t.callOpened(n, d)
	case events.CallStarted:
		t.callStarted(n, d)
	case events.CallSuspended:
		t.callSuspended(n, d)
	case events.CallResumed:
		t.callResumed(n, d)
	case events.CallClosed:
		t.callClosed(n, d)
	case events.CallFailed:
		t.callFailed(n, d)
	case events.CallLost:
		t.callLost(n, d)
	case events.CallCancelled:
		t.callCancelled(n, d)
	case events.ApprovalAsked:
		t.asked(n, d)
	case events.ApprovalAnswered:
		t.answered(n, d)
	case events.SignalReceived:
		t.signalled(n, d)
	case events.GoalSet:
		t.add(n, nil, change{Status: "goal", Reason: d.Condition, By: d.By})
	case events.GoalCleared:
		t.add(n, nil, change{Status: "goal cleared", By: d.By})
	case events.GoalEvaluated:
		t.add(n, t.runs[d.Run], change{Run: d.Run, Status: "goal " + d.Outcome, Reason: d.Evidence, By: d.By})
	case events.TimerSet:
		t.timerSet(n, d)
	case events.TimerFired:
		t.timerEnded(n, change{Timer: d.Timer, Status: "fired"})
	case events.TimerVoided:
		t.timerEnded(n, change{Timer: d.Timer, Status: "voided", Reason: d.Reason})
	case events.FeedbackGiven:
		t.learned(n, d)
	case events.SkillsScanned, events.FeedbackCleared, events.PermitGranted, events.PermitFreed, events.ScheduleSet, events.ScheduleFired, events.ScheduleSkipped, events.ScheduleQueued,
		events.SchedulePaused, events.ScheduleResumed, events.ScheduleRemoved: // belong to no session
	case events.Unknown:
		t.skipped++
	default:
		t.foldRun(n, data)
	}
}

func (t *Trace) foldRun(n *node, data events.Data) {
	switch d := data.(type) {
	case events.RunStarted:
		t.runStarted(n, d)
	case events.RunCompleted:
		t.runEnded(n, change{Run: d.Run, Status: "completed"})
	case events.RunFailed:
		t.runEnded(n, change{Run: d.Run, Status: "failed", Reason: d.Reason, Steps: d.Steps})
	case events.RunCancelled:
		t.runEnded(n, change{Run: d.Run, Status: "cancelled", Reason: d.Reason, By: d.By})
	case events.RunResumed:
		t.runResumed(n, d)
	case events.StepSkipped:
		t.stepGivenUp(n, change{Run: d.Run, Step: d.Step, Status: "skipped", Reason: d.Reason})
	case events.StepFailed:
		t.stepGivenUp(n, change{Run: d.Run, Step: d.Step, Status: "failed", Failure: &d.Failure})
	case events.ItemsListed:
		t.listed(n, d)
	case events.StepJoined:
		t.joined(n, d)
	case events.StepResolved:
		t.stepResolved(n, d)
	case events.SearchDowngraded, events.WebAdvanced:
		t.advanced(n, data)
	case events.StepJudged: // what follows says it
	}
}

// place hangs a node below another one; below none, at the root.
func (t *Trace) place(n, above *node) {
	t.order = append(t.order, n)
	if above == nil {
		t.roots = append(t.roots, n)
		return
	}
	n.depth = above.depth + 1
	above.Nodes = append(above.Nodes, n)
}

// add places a change.
func (t *Trace) add(n, above *node, c change) {
	n.Change = &c
	t.place(n, above)
}

// inside is where something belongs that names no call: its run, else the innermost open call.
func (t *Trace) inside(run string) *node {
	if n := t.runs[run]; n != nil {
		return n
	}
	return t.calls[t.stack.top().Call]
}

func (t *Trace) sessionStarted(n *node, d events.SessionStarted) {
	t.head.Goal, t.head.Mode, t.head.Workspace, t.head.Started = d.Goal, d.Mode, d.Workspace, n.Time
}

func (t *Trace) sessionEnded(n *node, d events.SessionEnded) {
	t.head.Status, t.head.Summary = "ended", d.Summary
	t.add(n, nil, change{Status: "ended", Reason: d.Summary})
}

func (t *Trace) routeDecided(n *node, d events.RouteDecided) {
	n.Route = &d
	t.tally.Routes++
	t.place(n, t.inside(d.Run))
}

func (t *Trace) routeBlocked(n *node, d events.RouteBlocked) {
	n.Blocked = &d
	t.tally.Routes++
	t.place(n, t.inside(""))
}

func (t *Trace) switchMade(n *node, d events.SwitchMade) {
	n.Switch = &d
	t.tally.Switches++
	above := t.calls[d.Suspended]
	if above == nil {
		above = t.inside("")
	}
	t.place(n, above)
	t.head.Skill = d.To
}

func (t *Trace) wrote(n *node, c contextNode) {
	n.Context = &c
	t.tally.Writes++
	above := t.calls[c.Call]
	if above == nil {
		above = t.joinOf(n, c)
	}
	if above == nil && c.Call == "" {
		above = t.inside("")
	}
	t.place(n, above)
}
