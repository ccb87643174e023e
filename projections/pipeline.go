package projections

import (
	"encoding/json"
	"time"

	"github.com/batonflow/baton/events"
)

// Pipeline folds the commits of one session into the files of its folder below outputs/:
// pipeline_trace.json and one JSON file a step that closed. A session without runs has none.
//
// Folding is cheap; files are rendered when asked for. Its zero value is ready.
type Pipeline struct {
	checkpoint
	session string
	query   string

	runs     []*pipelineRun
	byRun    map[string]*pipelineRun
	steps    map[string]*pipelineStep // by key
	chain    []string                 // keys in the order in which steps were opened or given up
	keys     map[stepKey]string       // to the key
	taken    map[string]bool          // step ids that are the key of some run's step
	byCall   map[string]*pipelineStep
	parallel bool
	routing  map[string]routing
	tasks    map[string]*pipelineTask // by run
	task     *pipelineTask            // the last one; nil: no run was made from a task

	written  map[string]int // files so far, by prefix
	files    []*stepFile
	byName   map[string]*stepFile
	touched  uint64 // the last commit about a run
	reported int    // files that Changed has told of
	told     uint64 // touched when Changed was asked last
}

// pipelineRun is a run's line in pipeline_trace.json.
type pipelineRun struct {
	Run       string    `json:"run"`
	Name      string    `json:"name"`
	SHA256    string    `json:"sha256"` // of the template
	Status    string    `json:"status"` // running, completed, failed, cancelled
	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	Sequence  uint64    `json:"sequence"` // the last commit about it

	open int // step calls that have not ended
}

// pipelineStep is a step as it stands.
type pipelineStep struct {
	run, step string
	call      string // its only one
	skill     string
	inputs    map[string]json.RawMessage
	reads     []events.Read
	status    string // running, completed, failed, skipped
	open      bool
	attempts  int
	program   bool    // Baton runs the program itself
	limit     float64 // seconds an attempt may take
	opened    time.Time
	started   time.Time
	ended     time.Time
	err       *events.Failure
	reason    string    // why it was skipped
	items     *items    // when it goes through a list; open is then that it has not been joined
	file      *stepFile // of its last closing, while it is not open again
}

type stepKey struct{ run, step string }

// routing is how a step got its skill.
type routing struct {
	Route    string   `json:"route"`
	Rule     string   `json:"rule"` // the decision
	Chosen   string   `json:"chosen,omitempty"`
	Reason   string   `json:"reason"`
	Warnings []string `json:"warnings,omitempty"`
}

// Fold takes the session's next commit.
func (p *Pipeline) Fold(sequence uint64, f events.Frame) {
	if p.session != "" && f.Session != p.session || !p.advance(sequence) {
		return
	}
	if p.session == "" {
		p.session = f.Session
		p.byRun, p.byCall = map[string]*pipelineRun{}, map[string]*pipelineStep{}
		p.steps, p.routing, p.written = map[string]*pipelineStep{}, map[string]routing{}, map[string]int{}
		p.tasks = map[string]*pipelineTask{}
		p.keys, p.taken, p.byName = map[stepKey]string{}, map[string]bool{}, map[string]*stepFile{}
	}
	for _, ev := range f.Events {
		p.fold(instant(ev.Time), ev.Data)
	}
}

func (p *Pipeline) fold(at time.Time, data events.Data) {
	switch d := data.(type) {
	case events.SessionStarted:
		p.started(d)
	case events.RouteDecided:
		p.routed(d)
	case events.CallOpened:
		p.callOpened(at, d)
	case events.CallStarted:
		p.callStarted(at, d)
	case events.CallClosed:
		p.callClosed(at, d)
	case events.CallFailed:
		p.attemptEnded(at, d.Call, d.Final, &d.Failure)
	case events.CallLost:
		p.attemptEnded(at, d.Call, d.Final, &events.Failure{Class: "lost", Code: "WORKER_LOST", Message: d.Reason})
	case events.CallCancelled:
		p.callCancelled(at, d)
	case events.RunStarted:
		p.runStarted(at, d)
	case events.RunCompleted:
		p.runEnded(d.Run, "completed", at)
	case events.RunFailed:
		p.runEnded(d.Run, "failed", at)
	case events.RunCancelled:
		p.runEnded(d.Run, "cancelled", at)
	case events.RunResumed:
		p.runEnded(d.Run, "running", time.Time{})
		if r := p.byRun[d.Run]; r != nil && d.SHA256 != "" {
			r.SHA256 = d.SHA256
		}
	case events.StepResolved:
		p.resolved(at, d)
	case events.StepSkipped:
		if s := p.stepGivenUp(at, d.Run, d.Step, "skipped", nil); s != nil {
			s.reason = d.Reason
		}
	case events.StepFailed:
		p.stepGivenUp(at, d.Run, d.Step, "failed", &d.Failure)
	case events.ItemsListed:
		p.listed(at, d)
	case events.StepJoined:
		p.joined(at, d)
	case events.StepJudged, events.SearchDowngraded, events.WebAdvanced:
		p.touch(runOf(data))
	case events.SessionForked, events.SessionEnded, events.SwitchMade, events.ContextSet, events.ContextDeleted, events.ContextRolledBack,
		events.RouteBlocked, events.SkillsScanned, events.PermitGranted, events.PermitFreed, events.FeedbackGiven, events.FeedbackCleared, events.CallSuspended, events.CallResumed, events.SignalReceived,
		events.GoalSet, events.GoalCleared, events.GoalEvaluated,
		events.ApprovalAsked, events.ApprovalAnswered, events.TimerSet, events.TimerFired, events.TimerVoided,
		events.ScheduleSet, events.ScheduleFired, events.ScheduleSkipped, events.ScheduleQueued,
		events.SchedulePaused, events.ScheduleResumed, events.ScheduleRemoved:
	case events.Unknown:
		p.skipped++
	}
}

// Finished gives the last commit about a run and whether that run has ended. Once the files rendered
// at or after it are on disk, they hold the whole run.
func (p *Pipeline) Finished(run string) (sequence uint64, done bool) {
	r := p.byRun[run]
	if r == nil {
		return 0, false
	}
	return r.Sequence, r.Status != "running"
}

// touch notes that this commit is about a run.
func (p *Pipeline) touch(run string) *pipelineRun {
	r := p.byRun[run]
	if r != nil {
		r.Sequence, p.touched = p.sequence, p.sequence
	}
	return r
}

// key names a step in the session: its id or, when another run named a step so first, its call's id.
func (p *Pipeline) key(run, step string) string {
	key, known := p.keys[stepKey{run, step}]
	if known {
		return key
	}
	key = step
	if p.taken[step] {
		key = run + "/" + step
	}
	p.keys[stepKey{run, step}], p.taken[key] = key, true
	return key
}

// step finds a step, or takes it up.
func (p *Pipeline) step(run, step string) *pipelineStep {
	key := p.key(run, step)
	s := p.steps[key]
	if s == nil {
		s = &pipelineStep{run: run, step: step}
		p.steps[key] = s
		p.chain = append(p.chain, key)
	}
	return s
}

func (p *Pipeline) started(d events.SessionStarted) {
	p.query = d.Goal
	if len(p.runs) > 0 {
		p.touched = p.sequence
	}
}

func (p *Pipeline) runStarted(at time.Time, d events.RunStarted) {
	r := &pipelineRun{Run: d.Run, Name: d.Name, SHA256: d.SHA256, Status: "running", StartedAt: at}
	if p.byRun[d.Run] == nil {
		p.runs = append(p.runs, r)
		p.byRun[d.Run] = r
	}
	if t := p.tasks[d.Run]; t != nil {
		t.proven(d.Text)
	}
	p.touch(d.Run)
}

func (p *Pipeline) runEnded(run, status string, at time.Time) {
	if r := p.touch(run); r != nil {
		r.Status, r.EndedAt = status, at
	}
}

// resolved lets a run go on whose dead letter somebody has decided on.
func (p *Pipeline) resolved(at time.Time, d events.StepResolved) {
	if d.Action == events.Fail {
		p.touch(d.Run)
		return
	}
	p.runEnded(d.Run, "running", time.Time{})
	if d.Action != events.Skip {
		return
	}
	if s := p.stepGivenUp(at, d.Run, d.Step, "skipped", nil); s != nil {
		s.reason = d.Note
	}
}

func (p *Pipeline) routed(d events.RouteDecided) {
	if d.Router == "task" && d.Run != "" {
		p.tasked(d)
		return
	}
	if d.Step == "" || p.touch(d.Run) == nil {
		return
	}
	p.routing[p.key(d.Run, d.Step)] = routing{d.Route, d.Decision, d.Chosen, d.Reason, d.Warnings}
}
