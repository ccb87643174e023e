package workers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
	"github.com/batonflow/baton/workflows/template"
)

// attempt is one running attempt.
type attempt struct {
	beat stream.Beat
	end  context.CancelCauseFunc
	look chan struct{} // somebody said that it changed

	first *time.Timer // fires the first beat
}

// attempt runs one attempt to its end and commits what came of it. It gives the next call, if the
// commit brought one.
func (p *Pool) attempt(session, worker string, t workflows.Task, d stream.Delivery) *workflows.Task {
	ctx, end := context.WithCancelCause(p.life)
	defer end(nil)
	a := &attempt{
		beat: stream.Beat{Session: session, Call: t.Envelope.CallID, Attempt: t.Envelope.Attempt, Worker: worker},
		end:  end, look: make(chan struct{}, 1),
	}
	stop := p.beat(ctx, a, d)
	p.mu.Lock()
	p.running[worker] = a
	p.mu.Unlock()
	defer func() {
		stop()
		p.mu.Lock()
		delete(p.running, worker)
		p.mu.Unlock()
	}()
	out := p.execute(ctx, t)
	return p.report(ctx, a, t, out, d)
}

// execute hands the attempt to its executor, and ends it when its time is up.
func (p *Pool) execute(ctx context.Context, t workflows.Task) Outcome {
	if t.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, time.Duration(t.Timeout*float64(time.Second)), ErrDeadline)
		defer stop()
	}
	kind, settings, err := ExecutorOf(t.Execute)
	if err != nil {
		return Failed(Terminal, "bad_settings", err.Error())
	}
	executor, ok := p.Executors[kind]
	if !ok {
		return Failed(Terminal, "unknown_executor", fmt.Sprintf("this worker has no executor %q; give the call another queue, or use a newer worker", kind))
	}
	task, err := taskOf(t, settings)
	if err != nil {
		return Failed(Terminal, "bad_task", err.Error())
	}
	if task.Env, err = p.environment(t); err != nil {
		return Failed(Terminal, "secret_missing", err.Error())
	}
	if p.Live == nil {
		return executor.Execute(ctx, task, nil)
	}
	v := &voice{live: p.Live, said: stream.Said{Session: task.Session, Call: task.Call, Attempt: task.Attempt}}
	defer v.close()
	return executor.Execute(ctx, task, v)
}

// ExecutorOf splits {"exec": …} into the executor's name and its settings.
func ExecutorOf(raw json.RawMessage) (string, json.RawMessage, error) {
	var by map[string]json.RawMessage
	if err := json.Unmarshal(raw, &by); err != nil || len(by) != 1 {
		return "", nil, fmt.Errorf("%.80q names no executor", raw)
	}
	for kind, settings := range by {
		return kind, settings, nil
	}
	return "", nil, errors.New("no executor")
}

// taskOf builds what the executor is given.
func taskOf(t workflows.Task, settings json.RawMessage) (Task, error) {
	e := t.Envelope
	input, err := events.Marshal(struct {
		Inputs  map[string]json.RawMessage `json:"inputs"`
		Context map[string]json.RawMessage `json:"context"`
		Item    json.RawMessage            `json:"item"`
		Call    sessions.Envelope          `json:"call"`
	}{e.Inputs, e.ContextIn, orNull(t.Item), e})
	if err != nil {
		return Task{}, fmt.Errorf("input document: %w", err)
	}
	task := Task{
		Session: e.Session, Call: e.CallID, Run: e.Run, Step: e.Step, Attempt: e.Attempt, EffectKey: e.EffectKey,
		Skill: e.Skill, Intent: e.Intent, Execute: settings, Input: input, Folder: t.Folder, Workspace: t.Workspace,
		Env: t.Env, Timeout: time.Duration(t.Timeout * float64(time.Second)), TerminalExits: t.TerminalExits,
		Sandbox: t.Sandbox,
	}
	if t.Sandbox != nil {
		task.MaxOutput = t.Sandbox.Output
	}
	return task, nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// environment is the run's own, with the worker's and the variables that the template names; secrets are
// looked up now and stand nowhere else.
func (p *Pool) environment(t workflows.Task) (map[string]string, error) {
	if len(t.Named)+len(p.Env) == 0 {
		return t.Env, nil
	}
	env := map[string]string{}
	maps.Copy(env, t.Env)
	maps.Copy(env, p.Env)
	for name, text := range t.Named {
		value, err := template.Resolve(text, p.lookup)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", name, err)
		}
		env[name] = value
	}
	return env, nil
}

func (p *Pool) lookup(kind, name string) (string, error) {
	if p.Lookup == nil {
		return "", fmt.Errorf("%s:%s cannot be looked up here", kind, name)
	}
	return p.Lookup(kind, name)
}

// firstBeat is how long an attempt runs before it beats: its claim has just been heard of.
const firstBeat = 50 * time.Millisecond

// beat keeps the attempt alive until stop is called, which waits for the beat under way. An attempt that is
// over before the first beat costs none.
func (p *Pool) beat(ctx context.Context, a *attempt, d stream.Delivery) (stop func()) {
	alive, end := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	a.first = time.AfterFunc(min(firstBeat, p.Lease/3), func() {
		defer close(done)
		p.keepAlive(alive, a, d)
	})
	return func() {
		end()
		if !a.first.Stop() {
			<-done
		}
	}
}

// keepAlive beats every third of a lease, and ends the attempt on anything but [sessions.GoOn]. The baton's
// redelivery is put off only after a beat was answered.
func (p *Pool) keepAlive(ctx context.Context, a *attempt, d stream.Delivery) {
	tick := time.NewTicker(p.Lease / 3)
	defer tick.Stop()
	for {
		answer, err := p.conductor.Beat(ctx, a.beat)
		switch {
		case err != nil:
			if ctx.Err() == nil {
				p.Logger.Debug("heartbeat", "call", a.beat.Call, "err", err)
			}
		case answer == sessions.Cancelled:
			a.end(ErrCancelled)
		case answer == sessions.StaleResult:
			a.end(ErrStale)
		case d != nil:
			p.settle(d.Extend(ctx))
		}
		select {
		case <-tick.C:
		case <-a.look:
		case <-ctx.Done():
			return
		}
	}
}

// report commits the outcome. It tries until the result is in or fenced off: a result in hand is not
// dropped because the log is out of reach for a while.
func (p *Pool) report(ctx context.Context, a *attempt, t workflows.Task, out Outcome, d stream.Delivery) *workflows.Task {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, ErrStopping):
		p.giveBack(a, "its worker had to stop")
		return nil
	case errors.Is(cause, ErrStale), errors.Is(cause, ErrCancelled):
		p.Logger.Info("attempt ended unrecorded", "session", a.beat.Session, "call", a.beat.Call, "attempt", a.beat.Attempt, "why", cause)
		return nil
	}
	finish, reduced := p.finish(a, t, out, d), false
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		finished, err := p.conductor.Finish(p.life, a.beat.Session, finish)
		if err == nil {
			return finished.Next
		}
		if r := refusal(err); r.Kind != sessions.Unreachable && r.Code != "store_full" {
			if r.Kind == sessions.Conflict {
				p.Logger.Info("result refused", "session", a.beat.Session, "call", a.beat.Call, "attempt", a.beat.Attempt, "why", err)
				return nil
			}
			if reduced { // even that it failed is refused: the lease will tell
				p.Logger.Error("result cannot be recorded", "session", a.beat.Session, "call", a.beat.Call, "attempt", a.beat.Attempt, "why", err)
				return nil
			}
			finish, reduced = failFinish(finish, r), true
		}
		stream.Pause(p.life, wait)
		if p.life.Err() != nil {
			p.giveBack(a, "its worker had to stop before its result was in")
			return nil
		}
	}
}

func (p *Pool) finish(a *attempt, t workflows.Task, out Outcome, d stream.Delivery) workflows.Finish {
	f := workflows.Finish{
		Call: a.beat.Call, Attempt: a.beat.Attempt, Worker: a.beat.Worker,
		Artifacts: out.Artifacts, Note: out.Note, Usage: out.Usage, Failure: out.Failure,
	}
	if out.Failure == nil {
		f.Value = events.Value{JSON: compact(out.Value)}
	}
	p.mu.Lock()
	drained := p.drained
	p.mu.Unlock()
	if !drained {
		f.Next = &sessions.Next{Queue: t.Envelope.Queue, Worker: a.beat.Worker}
		if d != nil {
			f.Next.Baton, f.Next.Delivery = d.Sequence(), d.Count()
		}
	}
	return f
}

// failFinish turns a result that the log will never take into a failure that it will.
func failFinish(f workflows.Finish, r *sessions.Refusal) workflows.Finish {
	f.Value, f.Outputs, f.Artifacts, f.Usage = events.Value{}, nil, nil, nil
	f.Failure = &events.Failure{Class: Terminal, Code: r.Code, Message: r.Message + "; " + r.Hint}
	return f
}

func (p *Pool) giveBack(a *attempt, reason string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.life), 2*time.Second)
	defer cancel()
	err := p.conductor.Release(ctx, a.beat.Session, workflows.Release{Call: a.beat.Call, Attempt: a.beat.Attempt, Worker: a.beat.Worker, Reason: reason})
	if err != nil {
		p.Logger.Debug("give an attempt back", "call", a.beat.Call, "err", err)
	}
}

// compact takes the blanks out of a value, so that it stands in the log as it will be read.
func compact(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw
	}
	return b.Bytes()
}

func refusal(err error) *sessions.Refusal {
	var r *sessions.Refusal
	if errors.As(err, &r) {
		return r
	}
	return &sessions.Refusal{Kind: sessions.Failed, Code: "internal", Message: err.Error()}
}
