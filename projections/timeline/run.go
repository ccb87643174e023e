package timeline

import (
	"cmp"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows/template"
)

// RunHead is what a run itself is.
type RunHead struct {
	Run      string        `json:"run"`
	Name     string        `json:"name"`
	Status   string        `json:"status"` // running, waiting, completed, failed, cancelled
	Reason   string        `json:"reason,omitempty"`
	Parent   string        `json:"parent,omitempty"` // the call that it is the child run of
	Caller   events.Caller `json:"caller,omitzero"`  // the same in another session
	Router   string        `json:"router,omitempty"`
	SHA256   string        `json:"sha256,omitempty"`
	Started  time.Time     `json:"started_at"`
	Ended    time.Time     `json:"ended_at,omitzero"`
	Used     Usage         `json:"used"`
	Allowed  Usage         `json:"allowed"` // before somebody is asked; zero: no limit
	Parallel int           `json:"parallel,omitempty"`
	Calls    int           `json:"calls"`
	Working  int           `json:"working"` // calls in an attempt now
	Steps    int           `json:"steps"`
	Done     int           `json:"done"`
}

type run struct {
	RunHead
	template *template.Template // nil: none is known, a router goes along
	text     string
	steps    []*step
	byID     map[string]*step
	above    *run
}

// step is a step of the template, or one that a router made.
type step struct {
	id      string
	plan    *template.Step
	status  string // where it has no call: skipped, failed
	reason  string
	at      time.Time // of that
	call    *call
	list    *list
	commits []uint64
}

// list is what a step goes through.
type list struct {
	total  int
	from   time.Time
	to     time.Time
	status string
	calls  []*call
}

func (t *Timeline) foldRun(sequence uint64, at time.Time, data events.Data) string {
	switch d := data.(type) {
	case events.RunStarted:
		return t.runStarted(at, d)
	case events.RunCompleted:
		return t.runEnded(at, d.Run, "completed", "")
	case events.RunFailed:
		return t.runEnded(at, d.Run, "failed", d.Reason)
	case events.RunCancelled:
		return t.runEnded(at, d.Run, "cancelled", d.Reason)
	case events.RunResumed:
		return t.runResumed(d)
	case events.StepSkipped:
		return t.given(sequence, at, d.Run, d.Step, "skipped", d.Reason)
	case events.StepFailed:
		return t.given(sequence, at, d.Run, d.Step, "failed", said(d.Failure))
	case events.StepResolved:
		return t.resolved(sequence, at, d)
	case events.ItemsListed:
		return t.listed(sequence, at, d)
	case events.StepJoined:
		return t.joined(sequence, at, d)
	case events.SignalReceived:
		return d.Signal
	}
	return ""
}

func (t *Timeline) runStarted(at time.Time, d events.RunStarted) string {
	r := &run{RunHead: RunHead{Run: d.Run, Name: d.Name, Status: "running", Parent: d.Parent, Router: d.Router, SHA256: d.SHA256, Started: at, Caller: d.Caller}, byID: map[string]*step{}}
	for name, source := range d.Templates {
		t.sources[name] = source
	}
	if parent := t.calls[d.Parent]; parent != nil {
		r.above = t.runs[parent.Run]
	}
	if d.Router == "" {
		r.follow(cmp.Or(t.sources[d.Source].Text, d.Text))
		r.allow()
	}
	t.runs[d.Run] = r
	if d.Parent == "" {
		t.roots = append(t.roots, r)
	}
	return d.Name
}

// follow lays out the steps of a template: those that are known keep what they have.
func (r *run) follow(text string) {
	parsed, _ := template.Parse([]byte(text), template.Known{}) // it was checked when the run began
	if parsed == nil {
		return
	}
	r.template, r.text, r.Parallel = parsed, text, parsed.Limits.Parallel
	r.steps = nil
	for i := range parsed.Steps {
		plan := &parsed.Steps[i]
		s := r.byID[plan.ID]
		if s == nil {
			s = &step{id: plan.ID}
			r.byID[plan.ID] = s
		}
		s.plan = plan
		r.steps = append(r.steps, s)
	}
}

// step finds a step of the run, or adds it.
func (r *run) step(id string) *step {
	s := r.byID[id]
	if s == nil {
		s = &step{id: id}
		r.byID[id] = s
		r.steps = append(r.steps, s)
	}
	return s
}

// allow lets the run use as much again as its template says.
func (r *run) allow() {
	if r.template == nil {
		return
	}
	r.Allowed = r.template.Limits.Budget.Above(r.Used, r.Allowed)
}

// spend counts what a call used for its run and those above it.
func (t *Timeline) spend(c *call, u Usage) {
	for r := t.runs[c.Run]; r != nil; r = r.above {
		r.Used.Add(u)
	}
}

func (t *Timeline) runEnded(at time.Time, id, status, reason string) string {
	r := t.runs[id]
	if r == nil {
		return id
	}
	r.Status, r.Reason, r.Ended = status, reason, at
	return r.Name
}

func (r *run) revive() { r.Status, r.Reason, r.Ended = "running", "", time.Time{} }

func (t *Timeline) runResumed(d events.RunResumed) string {
	r := t.runs[d.Run]
	if r == nil {
		return d.Run
	}
	r.revive()
	if d.Text != "" {
		r.SHA256 = d.SHA256
		r.follow(d.Text)
	}
	for _, s := range r.steps {
		if s.status == "failed" && s.call == nil && s.list == nil {
			s.status, s.reason = "", ""
		}
	}
	return r.Name
}

func (t *Timeline) given(sequence uint64, at time.Time, run, id, status, reason string) string {
	if r := t.runs[run]; r != nil {
		s := r.step(id)
		s.status, s.reason, s.at = status, reason, at
		s.commits = append(s.commits, sequence)
		if s.list != nil {
			s.list.to, s.list.status = at, status
		}
	}
	return id
}

func (t *Timeline) resolved(sequence uint64, at time.Time, d events.StepResolved) string {
	r := t.runs[d.Run]
	if r == nil {
		return d.Step
	}
	s := r.step(d.Step)
	s.commits = append(s.commits, sequence)
	if d.Action != events.Fail {
		r.revive()
		s.status, s.reason, s.at = "", "", at
	}
	if d.Action == events.Skip {
		s.status, s.reason = "skipped", strings.TrimSpace(d.By+" "+d.Note)
	}
	return d.Step
}

func (t *Timeline) listed(sequence uint64, at time.Time, d events.ItemsListed) string {
	if r := t.runs[d.Run]; r != nil {
		s := r.step(d.Step)
		s.list, s.status, s.call = &list{total: d.Count, from: at}, "", nil
		s.commits = append(s.commits, sequence)
	}
	return d.Step
}

func (t *Timeline) joined(sequence uint64, at time.Time, d events.StepJoined) string {
	r := t.runs[d.Run]
	if r == nil {
		return d.Step
	}
	if s := r.step(d.Step); s.list != nil {
		s.list.to, s.list.status = at, "ok"
		s.commits = append(s.commits, sequence)
	}
	return d.Step
}
