package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/workers"
)

// command measures a whole command of the shell that reads one thing from the running server.
func command(ctx context.Context, b *bench) error {
	if len(b.Command) == 0 {
		return nil
	}
	return b.within(ctx, func(ctx context.Context, _ *host.Server) error {
		var took []time.Duration
		for range 4 * rounds {
			cmd := exec.CommandContext(ctx, b.Command[0], append(b.Command[1:], "--home", b.Host.Home.Dir, "status", "--json")...)
			cmd.Env, cmd.Dir = append(os.Environ(), "BATON_NATS_URL="), b.workspace()
			one, err := timed(func() error {
				out, err := cmd.CombinedOutput()
				if err != nil {
					return fmt.Errorf("%w: %.300s", err, out)
				}
				return nil
			})
			if err != nil {
				return err
			}
			took = append(took, one)
		}
		b.add("command that reads one thing", milli(spread(took).median()), "ms")
		return nil
	})
}

// resume stops a server in the middle of a long run, starts another on the same home, and measures the
// time from there to the first step that had not begun before.
func resume(ctx context.Context, b *bench) error {
	reached := make(chan string, 1)
	steps := 0
	b.hold = func(ctx context.Context, _ workers.Task) {
		if steps++; steps == b.Steps/2 {
			reached <- "half"
			<-ctx.Done()
		}
	}
	var session string
	err := b.within(ctx, func(ctx context.Context, s *host.Server) (err error) {
		if _, session, err = b.start(ctx, s, chainText(b.Steps, b.Payload), ""); err != nil {
			return err
		}
		select {
		case <-reached:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	if err != nil {
		return err
	}
	b.on(b.Host.Workers)
	fresh := make(chan time.Time, 1)
	steps = 0
	b.hold = func(context.Context, workers.Task) {
		if steps++; steps == 2 { // the first is the one that was cut off
			fresh <- time.Now()
		}
	}
	ended := b.expect(session)
	begun := time.Now()
	return b.within(ctx, func(ctx context.Context, _ *host.Server) error {
		select {
		case at := <-fresh:
			b.add(fmt.Sprintf("resume at step %d of %d, with the start of the server", b.Steps/2, b.Steps), milli(at.Sub(begun)), "ms")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		return completed(ctx, ended, session)
	})
}
