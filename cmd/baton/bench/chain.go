package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows"
)

const chainSteps = 10

var (
	errRun     = errors.New("the run did not complete")
	errCommits = errors.New("the log grew otherwise than it should")
)

// chainText is a template of steps one after the other, each of which takes what the one before gave.
func chainText(steps, payload int) string {
	var b strings.Builder
	b.WriteString("name: bench-chain\n")
	if payload > 0 {
		b.WriteString("inputs: {data: {type: string}}\n")
	}
	b.WriteString("steps:\n")
	from := "inputs.data"
	for i := range steps {
		if payload > 0 {
			fmt.Fprintf(&b, "  - {id: s%04d, run: {builtin: echo}, inputs: {data: \"${%s}\"}, output: out.s%04d}\n", i, from, i)
		} else {
			fmt.Fprintf(&b, "  - {id: s%04d, run: {builtin: noop}, output: out.s%04d}\n", i, i)
		}
		from = fmt.Sprintf("ctx['out.s%04d'].data", i)
	}
	return b.String()
}

// start begins a run of a template in a session of its own, and gives that.
func (b *bench) start(ctx context.Context, s *host.Server, text, workspace string) (ended <-chan string, session string, err error) {
	b.mu.Lock()
	b.runs++
	name := fmt.Sprintf("bench %d %d", time.Now().UnixNano(), b.runs)
	b.mu.Unlock()
	session = operation.DerivedSession(name)
	ended = b.expect(session)
	return ended, session, b.startIn(ctx, s, session, operation.DerivedRun(name), text, workspace)
}

func (b *bench) startIn(ctx context.Context, s *host.Server, session, run, text, workspace string) error {
	start := workflows.Start{Run: run, Name: "bench", Text: text, Goal: "bench", Mode: "auto", Workspace: workspace, Folder: workspace}
	if strings.Contains(text, "inputs: {data:") {
		start.Inputs = map[string]json.RawMessage{"data": fmt.Appendf(nil, "%q", strings.Repeat("x", max(0, b.Payload-len(`{"data":""}`))))}
	}
	_, err := s.Engine().Do(ctx, session, start, engine.Meta{Actor: "bench"})
	return err
}

// run starts a run and waits for its end.
func (b *bench) run(ctx context.Context, s *host.Server, text, workspace string) error {
	ended, session, err := b.start(ctx, s, text, workspace)
	if err != nil {
		return err
	}
	return completed(ctx, ended, session)
}

func completed(ctx context.Context, ended <-chan string, session string) error {
	select {
	case how := <-ended:
		if how != events.New(events.RunCompleted{}).Type {
			return fmt.Errorf("session %s: %w: %s", session, errRun, how)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// chained measures chains in some runs at once, after a few to warm up.
func (b *bench) chained(ctx context.Context, runs int, workspace string, tell func(measured) error) error {
	text := chainText(chainSteps, b.Payload)
	var missing []int
	if _, known := b.raw[runs]; !known {
		missing = []int{runs}
	}
	return b.within(ctx, func(ctx context.Context, s *host.Server) error {
		if err := b.repeat(ctx, s, text, workspace, 1, 5); err != nil {
			return err
		}
		got, err := b.measure(ctx, s, text, workspace, runs)
		if err != nil {
			return err
		}
		if err := b.settled(ctx, s); err != nil {
			return err
		}
		return tell(got)
	}, missing...)
}

// repeat does rounds of runs at once until the time, or a number of rounds, is over; rounds 0: the time.
func (b *bench) repeat(ctx context.Context, s *host.Server, text, workspace string, runs, rounds int) error {
	until := time.Now().Add(b.For)
	errs := make([]error, runs)
	var group sync.WaitGroup
	for i := range runs {
		group.Go(func() {
			for n := 0; errs[i] == nil && (rounds == 0 && time.Now().Before(until) || n < rounds); n++ {
				errs[i] = b.run(ctx, s, text, workspace)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// chainAlone: one run at a time.
func chainAlone(ctx context.Context, b *bench) error {
	return b.chained(ctx, 1, "", func(got measured) error {
		if want := got.runs*chainSteps + got.runs; got.commits != want {
			return fmt.Errorf("%w: %d commits for %d runs of %d steps, want %d", errCommits, got.commits, got.runs, chainSteps, want)
		}
		of, raw := publishers(1), b.raw[1]
		b.compare("chain, 1 run", got.perSecond(), "steps/s", raw.perSecond, of)
		b.compare("chain, 1 run, latency a step", 1e6/got.perSecond(), "µs", 1e6/raw.perSecond, of+", latency")
		b.add("chain commits per step", float64(got.commits)/float64(got.steps()), "commits")
		b.spread("chain, 1 run, assignment", got.times.assignment)
		b.spread("chain, 1 run, execution", got.times.execution)
		b.spread("chain, 1 run, transition", got.times.transition)
		b.add("chain, 1 run, CPU", got.cpu.Seconds()*1000/float64(got.steps()), "s/1,000 steps")
		return nil
	})
}

// chainMany: many runs at once.
func chainMany(ctx context.Context, b *bench) error {
	return b.chained(ctx, b.Runs, "", func(got measured) error {
		name := fmt.Sprintf("chain, %d runs", b.Runs)
		b.compare(name, got.perSecond(), "steps/s", b.raw[b.Runs].perSecond, publishers(b.Runs))
		b.add(name+", CPU", got.cpu.Seconds()*1000/float64(got.steps()), "s/1,000 steps")
		b.add(name+", disk", float64(got.disk)/float64(got.steps()), "bytes a step")
		return nil
	})
}

// chainFiled: as chainMany, with the files of each run written to its workspace.
func chainFiled(ctx context.Context, b *bench) error {
	return b.chained(ctx, b.Runs, b.workspace(), func(got measured) error {
		name := fmt.Sprintf("chain, %d runs, with their files", b.Runs)
		b.compare(name, got.perSecond(), "steps/s", b.raw[b.Runs].perSecond, publishers(b.Runs))
		b.add(name+", CPU", got.cpu.Seconds()*1000/float64(got.steps()), "s/1,000 steps")
		return nil
	})
}

// measured is a stretch of chains.
type measured struct {
	runs, commits int
	took, cpu     time.Duration
	disk          int64 // bytes that the log grew by
	times         times
}

func (m measured) steps() int         { return m.runs * chainSteps }
func (m measured) perSecond() float64 { return float64(m.steps()) / m.took.Seconds() }

func (b *bench) measure(ctx context.Context, s *host.Server, text, workspace string, runs int) (got measured, err error) {
	if err := b.settled(ctx, s); err != nil {
		return got, err
	}
	b.reset()
	before := diskUsed(b.Host.Home.Store())
	first, cpu, begun := b.runs, cpuUsed(), time.Now()
	if err := b.repeat(ctx, s, text, workspace, runs, 0); err != nil {
		return got, err
	}
	got.took, got.cpu, got.runs = time.Since(begun), cpuUsed()-cpu, b.runs-first
	got.disk = diskUsed(b.Host.Home.Store()) - before
	got.commits, _, got.times = b.reset()
	return got, nil
}

// diskUsed is how many bytes the files of a folder take.
func diskUsed(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // a file that went meanwhile takes nothing
		}
		if info, err := d.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}

// spread adds how long something took: on average, the middle one, and the one that a hundredth takes longer than.
func (b *bench) spread(name string, took spread) {
	b.add(name, micro(took.mean()), "µs")
	b.add(name+", median", micro(took.median()), "µs")
	b.add(name+", 99 of 100", micro(took.under(0.99)), "µs")
}
