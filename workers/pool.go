package workers

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// Conductor decides for a pool: an engine in the same process, or one that is asked over the bus.
// Refusals are *sessions.Refusal.
type Conductor interface {
	// Claim asks for the next attempt of the call that a baton is about.
	Claim(ctx context.Context, session string, c workflows.Claim) (workflows.Task, error)
	// Finish ends an attempt, and may bring the next call of the queue.
	Finish(ctx context.Context, session string, c workflows.Finish) (workflows.Finished, error)
	// Release gives an attempt back unfinished.
	Release(ctx context.Context, session string, c workflows.Release) error
	// Beat tells that an attempt is alive; the answer is [sessions.GoOn], [sessions.Cancelled] or [sessions.StaleResult].
	Beat(ctx context.Context, b stream.Beat) (string, error)
}

// Config is what a pool is made of.
type Config struct {
	Queue     stream.Queue
	Beats     stream.Beats
	Executors map[string]Executor // by the name that a call's settings give
	Process   string              // id of this process
	Queues    []string            // served, in no order
	Slots     int                 // attempts at once
	Lease     time.Duration
	Logger    *slog.Logger
	// Lookup resolves a reference to a secret, of kind "env" or "file", when it is used; nil refuses.
	Lookup func(kind, name string) (string, error)
	// Env are variables of each program that stand in no event, such as how to reach a cluster.
	Env map[string]string
	// Live takes what attempts say while they work; nil drops it.
	Live stream.Live
}

// Pool runs attempts in a fixed number of slots. A slot is one worker, called "<process>.<slot>". It
// takes a baton only while a slot is free.
type Pool struct {
	Config
	conductor Conductor

	mu      sync.Mutex
	free    []int
	waiting chan struct{} // closed and made anew when a slot becomes free
	running map[string]*attempt
	drained bool
	again   atomic.Int64
	alone   bool // one attempt runs, or is about to, that nothing else may run beside
	group   sync.WaitGroup
	abort   context.CancelCauseFunc
	life    context.Context
}

// NewPool makes a pool; Run starts it.
func NewPool(c Config) *Pool {
	life, abort := context.WithCancelCause(context.Background())
	p := &Pool{Config: c, waiting: make(chan struct{}), running: map[string]*attempt{}, life: life, abort: abort}
	for slot := range c.Slots {
		p.free = append(p.free, c.Slots-slot)
	}
	return p
}

// Conduct says who decides for the pool. From now on its slots can be reserved.
func (p *Pool) Conduct(c Conductor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conductor = c
}

// Run serves the queues until ctx is done, then lets running attempts finish. It returns when the
// last one has ended.
func (p *Pool) Run(ctx context.Context) error {
	if err := p.Beats.Told(p.life, p.Process, p.told); err != nil {
		return fmt.Errorf("listen to what workers are told: %w", err)
	}
	var pulls sync.WaitGroup
	for _, queue := range p.Queues {
		pulls.Go(func() { p.pull(ctx, queue) })
	}
	<-ctx.Done()
	p.drain()
	pulls.Wait()
	p.group.Wait()
	p.abort(nil)
	return nil
}

// Abort ends running attempts and gives them back; nothing new starts here. Run then returns soon.
func (p *Pool) Abort() {
	p.drain()
	p.abort(ErrStopping)
}

func (p *Pool) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drained = true
}

// Busy is how many attempts are running.
func (p *Pool) Busy() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.running)
}

// Redelivered is how many batons came here that had been delivered before.
func (p *Pool) Redelivered() int64 { return p.again.Load() }

// Reserve takes a free slot if the pool serves the queue.
func (p *Pool) Reserve(queue string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drained || p.alone || p.conductor == nil || len(p.free) == 0 || !slices.Contains(p.Queues, queue) {
		return "", false
	}
	slot := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	p.group.Add(1)
	return fmt.Sprintf("%s.%d", p.Process, slot), true
}

// Free gives a reserved slot back.
func (p *Pool) Free(worker string) {
	var slot int
	if _, err := fmt.Sscanf(worker[len(p.Process):], ".%d", &slot); err != nil {
		return // not a worker of this pool
	}
	p.mu.Lock()
	p.free = append(p.free, slot)
	p.freed()
	p.mu.Unlock()
	p.group.Done()
}

// Start runs a call that was claimed for a reserved slot, without a baton.
func (p *Pool) Start(session, worker string, task workflows.Task) {
	go p.chain(session, worker, task, nil)
}

// pull takes batons of one queue while there are free slots.
func (p *Pool) pull(ctx context.Context, queue string) {
	for ctx.Err() == nil {
		if !p.awaitSlot(ctx) {
			return
		}
		d, err := p.Queue.Pull(ctx, queue)
		if err != nil {
			if ctx.Err() == nil {
				p.Logger.Warn("pull a baton", "queue", queue, "err", err)
				stream.Pause(ctx, time.Second)
			}
			continue
		}
		worker, ok := p.Reserve(queue)
		if !ok { // the slot was taken meanwhile; somebody else may have one
			p.settle(d.Nak(p.life, 50*time.Millisecond))
			continue
		}
		go p.serve(worker, queue, d)
	}
}

func (p *Pool) awaitSlot(ctx context.Context) bool {
	for {
		p.mu.Lock()
		free, waiting := len(p.free) > 0 && !p.alone, p.waiting
		p.mu.Unlock()
		if free {
			return ctx.Err() == nil
		}
		select {
		case <-waiting:
		case <-ctx.Done():
			return false
		}
	}
}

// serve claims what the baton is about and runs it.
func (p *Pool) serve(worker, queue string, d stream.Delivery) {
	b := d.Baton()
	if d.Count() > 1 {
		p.again.Add(1)
	}
	c := workflows.Claim{Claim: sessions.Claim{
		Call: b.Call, Queue: queue, Worker: worker, Baton: d.Sequence(), Delivery: d.Count(), Wake: b.Wake,
	}}
	task, err := p.conductor.Claim(p.life, b.Session, c)
	if err != nil && refusal(err).Code == sessions.ClaimAlone {
		if leave, ok := p.quiet(p.life, d); ok {
			defer leave()
			c.Alone = true
			task, err = p.conductor.Claim(p.life, b.Session, c)
		}
	}
	if err != nil {
		p.refused(d, err)
		p.Free(worker)
		return
	}
	p.chain(b.Session, worker, task, d)
}

// refused deals with a baton whose claim was not granted.
func (p *Pool) refused(d stream.Delivery, err error) {
	switch r := refusal(err); {
	case r.Code == sessions.ClaimHeld || r.Code == sessions.ClaimAlone:
		p.settle(d.Nak(p.life, p.Lease/8))
	case r.Kind == sessions.Unreachable || r.Kind == sessions.Failed:
		p.Logger.Warn("claim", "session", d.Baton().Session, "call", d.Baton().Call, "err", err)
		p.settle(d.Nak(p.life, time.Second))
	case r.Code == sessions.ClaimForget || r.Code == sessions.ClaimLimited: // who gives a permit back sends another
		p.settle(d.Ack(p.life))
	default: // the session is gone, or was written by a newer Baton: nothing a worker can do
		p.Logger.Warn("baton set aside", "session", d.Baton().Session, "call", d.Baton().Call, "err", err)
		p.settle(d.Ack(p.life))
	}
}

// chain runs a call, and then every call that its ending brings. Only then is the baton done with.
func (p *Pool) chain(session, worker string, task workflows.Task, d stream.Delivery) {
	defer p.Free(worker)
	for next := &task; next != nil; {
		next = p.attempt(session, worker, *next, d)
	}
	if d != nil && p.life.Err() == nil {
		p.settle(d.Ack(p.life))
	}
}

func (p *Pool) settle(err error) {
	if err != nil && p.life.Err() == nil {
		p.Logger.Debug("settle a baton", "err", err)
	}
}

// told looks at an attempt at once, since somebody said that it changed.
func (p *Pool) told(b stream.Beat) {
	p.mu.Lock()
	a := p.running[b.Worker]
	p.mu.Unlock()
	if a == nil || a.beat.Call != b.Call {
		return
	}
	select {
	case a.look <- struct{}{}:
	default:
	}
	if a.first.Stop() {
		a.first.Reset(0)
	}
}
