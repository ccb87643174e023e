package operation

import (
	"context"
	"encoding/json"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// RunStart starts a template.
type RunStart struct {
	Template  string                     `json:"template,omitempty" jsonschema:"name of a template, or the absolute path of its file"`
	Text      string                     `json:"text,omitempty" jsonschema:"the template itself, YAML or JSON, in place of a name"`
	Inputs    map[string]json.RawMessage `json:"inputs,omitempty" jsonschema:"the template's inputs"`
	Session   string                     `json:"session,omitempty" jsonschema:"id of the session, a prefix of it, or @last; default: one that begins with the run"`
	Workspace string                     `json:"workspace,omitempty" jsonschema:"absolute path of the folder that is worked in; default: the session's"`
	Mode      string                     `json:"mode,omitempty" jsonschema:"of a session that begins with the run: auto (default), always or manual"`
	Wait      float64                    `json:"wait,omitempty" jsonschema:"how many seconds to wait for its end, up to 60"`
}

// PrepareAsk asks the server for the command that starts a run: it finds the template and what it starts,
// and says what its steps are given of the environment.
type PrepareAsk struct {
	RunStart
	Request string `json:"request,omitempty"` // by which the ids are made
}

// Prepared is a run that can be started in a session, which begins with it where it is not there.
type Prepared struct {
	Session string          `json:"session"`
	Start   workflows.Start `json:"start"`
}

func startRun(ctx context.Context, c Caller, in RunStart) (json.RawMessage, error) {
	return start(ctx, c, "run.prepare", PrepareAsk{RunStart: in, Request: c.Meta.Request}, in.Wait)
}

// start starts what the server prepares, and waits for its end if it is asked to.
func start(ctx context.Context, c Caller, prepare string, question any, seconds float64) (json.RawMessage, error) {
	wait, err := waiting(seconds)
	if err != nil {
		return nil, err
	}
	p, err := ask[Prepared](ctx, c, prepare, "", question)
	if err != nil {
		return nil, err
	}
	started, err := c.Backend.Do(ctx, p.Session, p.Start, c.Meta)
	if err != nil || wait == 0 {
		return started, err
	}
	return await(ctx, c, p.Session, p.Start.Run, wait)
}

// await gives the run once it is over or waits for a person, or as it is when the wait is over.
func await(ctx context.Context, c Caller, session, run string, wait time.Duration) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for after := uint64(0); ; {
		w, err := ask[engine.Watched](ctx, c, "run.watch", session, engine.WatchAsk{Run: run, After: after})
		if ctx.Err() != nil || err == nil && (w.Over || w.View.Status == workflows.Waiting && w.View.Asks()) {
			return c.Query(context.WithoutCancel(ctx), "run.show", session, engine.RunAsk{Run: run})
		}
		if err != nil {
			return nil, err
		}
		after = w.Sequence
	}
}

// RunShow asks for a run.
type RunShow struct {
	AboutRun
	Wait float64 `json:"wait,omitempty" jsonschema:"how many seconds to wait for its end, up to 60"`
}

func showRun(ctx context.Context, c Caller, in RunShow) (json.RawMessage, error) {
	wait, err := waiting(in.Wait)
	if err != nil {
		return nil, err
	}
	row, err := FindRun(ctx, c, in.Run)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		return await(ctx, c, row.Session, row.ID, wait)
	}
	return c.Query(ctx, "run.show", row.Session, engine.RunAsk{Run: row.ID})
}

// RunList narrows runs down.
type RunList struct {
	Page
	Session string    `json:"session,omitempty" jsonschema:"only those of this session"`
	Status  string    `json:"status,omitempty" jsonschema:"running, waiting, completed, failed or cancelled"`
	Name    string    `json:"name,omitempty" jsonschema:"only runs of this template"`
	Since   time.Time `json:"since,omitzero" jsonschema:"only those started after this time"`
}

func listRuns(ctx context.Context, c Caller, in RunList) (json.RawMessage, error) {
	if err := CheckRunStatus(in.Status); err != nil {
		return nil, err
	}
	session := ""
	if in.Session != "" {
		var err error
		if session, err = FindSession(ctx, c, in.Session); err != nil {
			return nil, err
		}
	}
	return c.Query(ctx, "run.list", session, engine.ListAsk{Status: in.Status, Name: in.Name, Since: in.Since})
}

// CheckRunStatus refuses a status that no run ever has; none at all narrows nothing down.
func CheckRunStatus(s string) error {
	switch workflows.RunStatus(s) {
	case "", workflows.Running, workflows.Waiting, workflows.Completed, workflows.Failed, workflows.Cancelled:
		return nil
	}
	return sessions.Refuse(sessions.Usage, "bad_status", "use running, waiting, completed, failed or cancelled", "no run is ever %q", s)
}

// RunCancel stops a run.
type RunCancel struct {
	AboutRun
	Reason string `json:"reason,omitempty" jsonschema:"why"`
}

// cancelRun gives the run as it stands then; one that is cancelled already is no fault.
func cancelRun(ctx context.Context, c Caller, in RunCancel) (json.RawMessage, error) {
	row, err := FindRun(ctx, c, in.Run)
	if err != nil {
		return nil, err
	}
	if _, err := c.Backend.Do(ctx, row.Session, workflows.Cancel{Run: row.ID, By: c.Meta.Actor, Reason: in.Reason}, c.Meta); err != nil {
		return nil, err
	}
	return c.Query(ctx, "run.show", row.Session, engine.RunAsk{Run: row.ID})
}

// RunResume takes a failed run up again.
type RunResume struct {
	AboutRun
	Policy string   `json:"policy,omitempty" jsonschema:"where the template has changed: pin goes on as recorded, accept as it is now"`
	Redo   []string `json:"redo,omitempty" jsonschema:"steps that are run again though they have finished"`
}

// Changed is the text of a run's template as it is now; "" when it is as recorded, or gone.
type Changed struct {
	Text string `json:"text"`
}

func resumeRun(ctx context.Context, c Caller, in RunResume) (json.RawMessage, error) {
	row, err := FindRun(ctx, c, in.Run)
	if err != nil {
		return nil, err
	}
	if in.Policy != "" && in.Policy != "pin" && in.Policy != "accept" {
		return nil, sessions.Refuse(sessions.Usage, "bad_value", "use pin or accept", "%q says nothing about a changed template", in.Policy)
	}
	changed, err := ask[Changed](ctx, c, "run.changed", row.Session, engine.RunAsk{Run: row.ID})
	if err != nil {
		return nil, err
	}
	by := c.Meta.Actor
	if c.Meta.Request != "" {
		by = "request " + c.Meta.Request
	}
	return c.Backend.Do(ctx, row.Session, workflows.ResumeRun{Run: row.ID, By: by, Text: changed.Text, Policy: in.Policy, Redo: in.Redo}, c.Meta)
}

// RunApprove answers what a run asks.
type RunApprove struct {
	AboutRun
	Step string `json:"step,omitempty" jsonschema:"the step that asks, or the id of the approval; default: the only one"`
	Yes  *bool  `json:"yes" jsonschema:"whether it may be done"`
	By   string `json:"by,omitempty" jsonschema:"who answers"`
	Note string `json:"note,omitempty" jsonschema:"why"`
}

func approveRun(ctx context.Context, c Caller, in RunApprove) (json.RawMessage, error) {
	if in.Yes == nil {
		return nil, sessions.Refuse(sessions.Usage, "answer_missing", "say yes: true or yes: false", "an approval is a yes or a no")
	}
	row, err := FindRun(ctx, c, in.Run)
	if err != nil {
		return nil, err
	}
	if in.By == "" {
		in.By = c.Meta.Actor
	}
	return c.Backend.Do(ctx, row.Session, workflows.Approve{Run: row.ID, Step: in.Step, Yes: *in.Yes, By: in.By, Note: in.Note}, c.Meta)
}

// Approvals asks for what waits for a person.
type Approvals struct {
	Page
	Run string `json:"run,omitempty" jsonschema:"only what this run asks"`
}

func approvals(ctx context.Context, c Caller, in Approvals) (json.RawMessage, error) {
	if in.Run == "" {
		return c.Query(ctx, "approvals", "", engine.RunAsk{})
	}
	row, err := FindRun(ctx, c, in.Run)
	if err != nil {
		return nil, err
	}
	return c.Query(ctx, "approvals", row.Session, engine.RunAsk{Run: row.ID})
}

// RunSignal sends a signal to a run.
type RunSignal struct {
	AboutRun
	Name  string          `json:"name" jsonschema:"name of the signal"`
	Value json.RawMessage `json:"value,omitempty" jsonschema:"any JSON value"`
}

func signalRun(c Caller, run string, in RunSignal) workflows.Command {
	return workflows.SendSignal{Run: run, Name: in.Name, Value: events.Value{JSON: in.Value}, By: c.Meta.Actor}
}

// DeadLetters asks for steps that failed for good.
type DeadLetters struct {
	Page
	Run string `json:"run,omitempty" jsonschema:"only those of this run"`
}

func deadLetters(ctx context.Context, c Caller, in DeadLetters) (json.RawMessage, error) {
	q := engine.RunAsk{}
	if in.Run != "" {
		row, err := FindRun(ctx, c, in.Run)
		if err != nil {
			return nil, err
		}
		q.Run = row.ID
	}
	return c.Query(ctx, "run.dead", "", q)
}

// Resolve says what becomes of a dead letter.
type Resolve struct {
	AboutRun
	Step string `json:"step" jsonschema:"the step"`
	Note string `json:"note,omitempty" jsonschema:"why"`
}

func resolve(action string) func(Caller, string, Resolve) workflows.Command {
	return func(c Caller, run string, in Resolve) workflows.Command {
		return workflows.Resolve{Run: run, Step: in.Step, Action: action, By: c.Meta.Actor, Note: in.Note}
	}
}

func why(ctx context.Context, c Caller, in AboutRun) (json.RawMessage, error) {
	row, err := FindRun(ctx, c, in.Run)
	if err != nil {
		return nil, err
	}
	return c.Query(ctx, "run.why", row.Session, engine.RunAsk{Run: row.ID})
}
