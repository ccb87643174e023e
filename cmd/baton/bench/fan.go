package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/batonflow/baton/cmd/baton/host"
)

// fanText is a template of steps side by side, and one that waits for all.
func fanText(branches int) string {
	return fmt.Sprintf("name: bench-fan\nsteps:\n"+
		"  - {id: branch, foreach: \"1..%d\", run: {builtin: noop}, output: all}\n"+
		"  - {id: join, run: {builtin: noop}, needs: [branch]}\n", branches)
}

// fanOut measures branches side by side and their join, with as many slots as the server has.
func fanOut(ctx context.Context, b *bench) error {
	return b.within(ctx, func(ctx context.Context, s *host.Server) error {
		if err := b.run(ctx, s, fanText(50), ""); err != nil { // warm up
			return err
		}
		var took []time.Duration
		b.reset()
		const rounds = 3
		for range rounds {
			if err := b.settled(ctx, s); err != nil {
				return err
			}
			begun := time.Now()
			if err := b.run(ctx, s, fanText(b.Branch), ""); err != nil {
				return err
			}
			took = append(took, time.Since(begun))
		}
		commits, _, _ := b.reset()
		name := fmt.Sprintf("fan-out of %d, %d slots", b.Branch, b.Host.Workers)
		b.add(name, milli(spread(took).median()), "ms")
		b.add(name+", branches a commit", float64(rounds*b.Branch)/float64(commits), "branches")
		return nil
	})
}
