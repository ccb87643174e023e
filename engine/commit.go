package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// A commit is closed when it is half full: one more command with its consequences always fits then.
const (
	closeBytes  = events.MaxFrameBytes / 2
	closeEvents = events.MaxFrameEvents * 4 / 5
)

// draft is a commit being decided: its events are folded already, its answers not yet given.
type draft struct {
	w       *writer
	batch   events.Batch
	said    []*ask // who is answered by it
	answers []answer
	starts  []start
	effects effects
	unsaid  bool
}

// start is a call claimed for a slot of this process.
type start struct {
	worker string
	task   workflows.Task
}

// commit decides as many of the commands as fit, appends, answers and lets the effects out. It gives
// the commands that are still to be decided: all of them when nothing was stored. unsaid says that
// consequences of what is stored wait for a commit of their own.
func (w *writer) commit(commands []*ask) (rest []*ask, unsaid bool, err error) {
	d := &draft{w: w}
	if err := d.follow(""); err != nil { // what a crash left unsaid comes first
		return commands, false, err
	}
	for len(commands) > 0 && !d.full() {
		if err := d.decide(commands[0]); err != nil {
			return slices.Concat(d.said, commands), false, err
		}
		commands = commands[1:]
	}
	if err := d.stand(); err != nil {
		return slices.Concat(d.said, commands), false, err
	}
	d.reply() // who asked need not wait for what takes another message
	d.release()
	return commands, d.unsaid, nil
}

// stand makes the draft true: its events are stored directly after what they were decided on, or, when
// there are none, nothing has been stored since by others that would change the answers.
func (d *draft) stand() error {
	if d.batch.Len() > 0 {
		err := d.append()
		if err != nil {
			d.free()
		}
		return err
	}
	seen := d.w.last
	if err := d.w.refresh(d.w.e.ctx); err != nil {
		return err
	}
	if d.w.last != seen {
		return fmt.Errorf("answers of session %s: %w", d.w.entity.Name(), stream.ErrConflict)
	}
	return nil
}

func (d *draft) full() bool { return d.batch.Size() > closeBytes || d.batch.Len() > closeEvents }

// decide puts one command's events and all that follows from them into the draft.
func (d *draft) decide(a *ask) error {
	w := d.w
	command, digest := a.command, commandDigest(a)
	if done, known := w.state.Requests[a.meta.Request]; known && a.meta.Request != "" {
		w.e.Counts.Duplicates.Add(1)
		d.say(a, d.repeated(a, done, digest))
		return nil
	}
	if err := w.state.Readable(); err != nil {
		d.say(a, answer{err: err})
		return nil
	}
	switch c := command.(type) {
	case workflows.Claim:
		command = w.e.knowing(w.state, c)
	case workflows.Fire:
		c.Now = w.e.Now()
		command = c
	case workflows.Fork:
		if err := w.prepare(c); err != nil {
			d.say(a, answer{err: asRefusal(err)})
			return nil
		}
	}
	facts, err := command.Decide(w.state, w.hearing(a.meta.Judge))
	if err != nil {
		w.e.Counts.refused(err)
		d.say(a, answer{err: asRefusal(err)})
		if w.link.N == 0 && d.batch.Len() == 0 {
			w.state = workflows.New(w.entity.Name()).Parsing(w.e.parse) // the past of a fork that is none is not its own
		}
		return nil
	}
	first, err := d.record(facts, events.Event{Actor: a.meta.Actor, Request: a.meta.Request, Command: digest})
	if err != nil {
		return err
	}
	if err := d.follow(first); err != nil {
		return err
	}
	if err := d.takeNext(a); err != nil {
		return err
	}
	value, err := command.Answer(w.state, ref(w.state, first, facts), w.world())
	d.say(a, answer{value, asRefusal(err)})
	return nil
}

func asRefusal(err error) error {
	if err == nil {
		return nil
	}
	return unreachable(err)
}

func (d *draft) say(a *ask, got answer) {
	d.said, d.answers = append(d.said, a), append(d.answers, got)
}

// repeated answers a request that took effect before, and refuses another command under its id.
func (d *draft) repeated(a *ask, done sessions.Done, digest string) answer {
	if done.Command != digest {
		return answer{err: sessions.Refuse(sessions.Conflict, "request_id_taken", "give another --request-id",
			"request %s was another command", a.meta.Request)}
	}
	value, err := a.command.Answer(d.w.state, done.Ref, d.w.world())
	return answer{value, asRefusal(err)}
}

// record stamps facts, folds them and gives the id of the first. Facts after the first are caused by it.
func (d *draft) record(facts []events.Data, stamp events.Event) (first string, err error) {
	now := d.w.e.Now().UTC().Round(0) // as it will be read: without the monotonic clock
	for _, fact := range facts {
		e := events.New(fact)
		e.ID, e.Time, e.Actor, e.Causation = d.w.e.NewID(), now, stamp.Actor, stamp.Causation
		if first == "" {
			first = e.ID
			e.Request, e.Command = stamp.Request, stamp.Command
			if e.Request == "" {
				e.Command = ""
			}
		} else {
			e.Causation = first
		}
		if err := d.batch.Add(e); err != nil {
			d.w.state = nil
			return "", fmt.Errorf("record %s: %w", e.Type, err)
		}
		d.effects.foresee(d.w.state, e)
		d.w.state.Fold(e)
		d.effects.note(d.w.state, e)
	}
	return first, nil
}

// follow says everything that follows from the state as it stands, until the draft is full: the rest
// is unsaid, and waits for the next commit.
func (d *draft) follow(cause string) error {
	for {
		facts := workflows.Follow(d.w.state, d.w.world())
		if len(facts) == 0 {
			return nil
		}
		if _, err := d.record(facts, events.Event{Actor: workflows.Actor, Causation: cause}); err != nil {
			return err
		}
		if d.full() {
			d.unsaid = true
			return nil
		}
	}
}

// startReady starts calls that have just become ready on free slots of this process.
func (d *draft) startReady() error {
	if d.w.e.Slots == nil {
		return nil
	}
	for _, id := range d.effects.opened {
		call := d.w.state.Calls[id]
		if call == nil || call.Phase != sessions.Queued || call.Outside() || call.Alone() || len(call.Limits) > 0 {
			continue
		}
		worker, ok := d.w.e.Slots.Reserve(call.Queue)
		if !ok {
			continue
		}
		fact := events.CallStarted{Call: id, Attempt: call.Attempt + 1, Worker: worker}
		if _, err := d.record([]events.Data{fact}, events.Event{Actor: "worker:" + worker, Causation: call.OpenedBy}); err != nil {
			d.w.e.Slots.Free(worker)
			return err
		}
		task, err := d.w.state.Task(call, d.w.world())
		if err != nil {
			d.w.e.Slots.Free(worker)
			return err
		}
		d.starts = append(d.starts, start{worker, task})
	}
	return nil
}

// takeNext starts the next call of the queue for the worker that has just ended one.
func (d *draft) takeNext(a *ask) error {
	c, ok := a.command.(workflows.Finish)
	if !ok {
		return nil
	}
	fact, ok := c.After(d.w.state)
	if !ok {
		return nil
	}
	_, err := d.record([]events.Data{fact}, events.Event{Actor: "worker:" + fact.Worker, Causation: d.w.state.Calls[fact.Call].OpenedBy})
	return err
}

// append seals and stores the draft's events, then starts what it claimed.
func (d *draft) append() error {
	w := d.w
	if err := d.startReady(); err != nil {
		return err
	}
	frame, err := d.batch.Seal(w.entity.Name(), w.link, w.e.Process)
	if err != nil {
		w.state = nil
		return err
	}
	sequence, err := w.e.Log.Append(w.e.ctx, w.entity, w.last, frame)
	if err != nil {
		w.state = nil // it holds what was not stored
		return fmt.Errorf("append to session %s: %w", w.entity.Name(), err)
	}
	w.took(sequence, frame)
	if err := w.e.Log.Settle(w.e.ctx, sequence); err != nil {
		return fmt.Errorf("settle commit %d: %w", sequence, err)
	}
	if w.e.Committed != nil {
		w.e.Committed(stream.Record{Sequence: sequence, Entity: w.entity, Frame: frame})
	}
	for _, s := range d.starts {
		w.e.Slots.Start(w.entity.Session(), s.worker, s.task)
	}
	return nil
}

// release lets out what rests on the stored events.
func (d *draft) release() {
	if d.batch.Len() > 0 {
		d.w.e.release(d.w.entity.Session(), d.w.state, d.w.last, &d.effects)
	}
}

func (d *draft) free() {
	for _, s := range d.starts {
		d.w.e.Slots.Free(s.worker)
	}
	d.starts = nil
}

func (d *draft) reply() {
	for i, a := range d.said {
		a.reply(d.answers[i].value, d.answers[i].err)
	}
}

// ref names what the command made: what its first event made, as the fold remembers it.
func ref(s *workflows.State, first string, facts []events.Data) sessions.Ref {
	if first == "" {
		return sessions.Ref{}
	}
	return s.RefOf(facts[0])
}

// commandDigest tells one command from another under the same request id.
func commandDigest(a *ask) string {
	if a.meta.Request == "" {
		return ""
	}
	command := a.command
	if start, ok := command.(workflows.Start); ok {
		start.Env = nil // how the shell was set up makes it no other command
		command = start
	}
	raw, err := events.Marshal(command)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(append(raw, workflows.NameOf(command)...))
	return hex.EncodeToString(sum[:8])
}

// askWinner sends the commands to the process that won the last commits, which decides them with its
// own. It gives back those that the winner did not answer.
func (w *writer) askWinner(commands []*ask) []*ask {
	w.second = false
	if w.rival == "" || w.rival == w.e.Process {
		return commands
	}
	var group sync.WaitGroup
	done := make([]bool, len(commands))
	for i, a := range commands {
		if a.meta.Forwarded { // it is asked here because somebody else lost to us: no further
			continue
		}
		group.Go(func() {
			value, err := w.e.forward(w.e.ctx, w.rival, w.entity.Session(), a)
			if done[i] = !errors.Is(err, stream.ErrUnavailable); done[i] {
				a.reply(value, err)
			}
		})
	}
	group.Wait()
	var rest []*ask
	for i, a := range commands {
		if !done[i] {
			rest = append(rest, a)
		}
	}
	w.second = len(rest) == 0
	return rest
}
