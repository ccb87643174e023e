// Driver for Baton: the server that `baton serve` runs, in this process, on the embedded store. Steps are the
// built-in echo, which gives its 200 bytes on; they go through the table of executors, the pool and the claim
// as any other.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"peers/bench"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

func main() {
	bench.Main("baton-"+class(), func() bench.Peer { return &peer{ended: map[string]chan error{}} })
}

// class is the durability that is measured: BATON_DURABILITY, else group.
func class() string {
	if set := os.Getenv("BATON_DURABILITY"); set != "" {
		return strings.ReplaceAll(set, "=", "-")
	}
	return "group"
}

type peer struct {
	server *host.Server
	stop   context.CancelFunc
	over   chan error

	mu    sync.Mutex
	ended map[string]chan error // by session
}

// counted tells the shared part of each step that runs.
type counted struct{ workers.Executor }

func (c counted) Execute(ctx context.Context, t workers.Task, live io.Writer) workers.Outcome {
	step := 0
	_, _ = fmt.Sscanf(t.Step, "s%d", &step)
	bench.Step(bench.Payload{Run: t.Run, Step: step})
	return c.Executor.Execute(ctx, t, live)
}

func (p *peer) Open(ctx context.Context, dir string) error {
	durability, err := stream.ParseDurability(strings.ReplaceAll(class(), "-", "="))
	if err != nil {
		return err
	}
	ctx, p.stop = context.WithCancel(ctx)
	ready, over := make(chan *host.Server, 1), make(chan error, 1)
	o := host.Options{
		Home: host.Home{Dir: dir}, Durability: durability, NoHTTP: true, Queues: []string{"default"}, Workers: 128,
		Lease: 10 * time.Second, Log: io.Discard, Version: "0.0.0", Env: map[string]string{"HOME": dir},
		Watch: host.Watch{
			Executor:  func(_ string, x workers.Executor) workers.Executor { return counted{x} },
			Committed: p.committed,
		},
	}
	go func() {
		over <- host.Within(ctx, o, nil, func(ctx context.Context, s *host.Server) error {
			ready <- s
			<-ctx.Done()
			return nil
		})
	}()
	p.over = over
	select {
	case p.server = <-ready:
		return nil
	case err := <-over:
		return errors.Join(errors.New("the server ended"), err)
	}
}

func (p *peer) committed(rec stream.Record) {
	for _, e := range rec.Frame.Events {
		var err error
		switch d := e.Data.(type) {
		case events.RunCompleted:
		case events.RunFailed:
			err = fmt.Errorf("run failed: %+v", d)
		default:
			continue
		}
		p.mu.Lock()
		if ended := p.ended[rec.Entity.Session()]; ended != nil {
			ended <- err
			delete(p.ended, rec.Entity.Session())
		}
		p.mu.Unlock()
	}
}

func (p *peer) start(ctx context.Context, id, text string) (<-chan error, error) {
	ended := make(chan error, 1)
	session := operation.DerivedSession(id)
	p.mu.Lock()
	p.ended[session] = ended
	p.mu.Unlock()
	c := workflows.Start{Run: operation.DerivedRun(id), Name: "bench", Text: text, Goal: "bench", Mode: "auto"}
	payload, err := json.Marshal(bench.NewPayload(id, 0))
	if err != nil {
		return nil, err
	}
	c.Inputs = map[string]json.RawMessage{"data": payload}
	_, err = p.server.Engine().Do(ctx, session, c, engine.Meta{Actor: "bench"})
	return ended, err
}

func (p *peer) run(ctx context.Context, id, text string) error {
	ended, err := p.start(ctx, id, text)
	if err != nil {
		return err
	}
	return <-ended
}

// chain is a template of n steps, each of which takes what the one before gave.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("inputs: {data: {type: object}}\nsteps:\n")
	from := "inputs.data"
	for i := range n {
		fmt.Fprintf(&b, "  - {id: s%04d, run: {builtin: echo}, inputs: {data: \"${%s}\"}, output: o%04d}\n", i, from, i)
		from = fmt.Sprintf("ctx['o%04d'].data", i)
	}
	return b.String()
}

func fan(n int) string {
	return fmt.Sprintf("inputs: {data: {type: object}}\nsteps:\n"+
		"  - {id: branch, foreach: \"1..%d\", run: {builtin: echo}, inputs: {data: \"${inputs.data}\"}, output: all}\n"+
		"  - {id: join, run: {builtin: noop}, needs: [branch]}\n", n)
}

func (p *peer) Seq(ctx context.Context, id string, n int) error { return p.run(ctx, id, chain(n)) }
func (p *peer) Fan(ctx context.Context, id string, n int) error { return p.run(ctx, id, fan(n)) }

func (p *peer) StartSeq(ctx context.Context, id string, n int) error {
	_, err := p.start(ctx, id, chain(n))
	return err
}

// Load reads the whole history of the run's session.
func (p *peer) Load(ctx context.Context, id string) (n int, err error) {
	for rec, err := range p.server.Store().Read(ctx, stream.SessionEntity(operation.DerivedSession(id)), 0) {
		if err != nil {
			return n, err
		}
		n += len(rec.Frame.Events)
	}
	return n, nil
}

// Replay folds it into its state as well.
func (p *peer) Replay(ctx context.Context, id string) error {
	_, err := p.server.Queries()["replay"](ctx, operation.DerivedSession(id), json.RawMessage("{}"))
	return err
}

func (p *peer) Durability(context.Context) string { return p.server.Durability() }

func (p *peer) Close() {
	p.stop()
	<-p.over
}

var (
	_ bench.Peer     = (*peer)(nil)
	_ bench.Replayer = (*peer)(nil)
)
