package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream/jetstream"
)

// examineAnchor says whether the log is as it was acknowledged: a finding for each line that is not.
func examineAnchor(i host.Info) []finding {
	s := i.Standing
	if s.Epoch == 0 {
		return nil // a cluster's log has no anchor here
	}
	f := finding{Name: "anchor", Level: "ok", Found: fmt.Sprintf("epoch %d, anchored up to sequence %d", s.Epoch, s.Highest)}
	if s.Unclean {
		f.Found += fmt.Sprintf("; the server before was not stopped in order: %s", couldLose(i.Durability))
	}
	for _, gap := range slices.Concat(s.Gaps, s.Voids) {
		f.Found += fmt.Sprintf("; sequences %d to %d are lost", gap.From, gap.To)
	}
	out := []finding{f}
	for _, name := range s.Restored {
		out = append(out, finding{Name: "store", Level: "warn", Found: "the description of " + name + " was damaged, and is restored from the anchor", Do: "check the disk"})
	}
	for _, q := range s.Quarantined {
		found := fmt.Sprintf("%s at sequence %d: %s", q.Entity, q.Sequence, q.Problem)
		if q.GivenUp > 0 {
			out = append(out, finding{Name: "given up", Level: "warn", Found: fmt.Sprintf("%s; in epoch %d", found, q.GivenUp), Do: "read it with `baton events`; `baton session fork` goes on from a commit before"})
			continue
		}
		out = append(out, finding{Name: "quarantine", Level: "failed", Found: found, Code: "session_quarantined",
			Do: "restore the store from a copy, or give up what is gone with `baton doctor --repair`"})
	}
	return out
}

// couldLose says what a stop out of order costs in a class of durability.
func couldLose(durability string) string {
	if every, ok := strings.CutPrefix(durability, "interval="); ok {
		return "a killed process loses nothing, a power loss at most the last " + every
	}
	return "nothing acknowledged is lost by that"
}

func (a *app) repair(ctx context.Context, l *link) error {
	got, err := engine.As[jetstream.Repaired](l.Query(ctx, "repair", "", engine.None{}))
	if err != nil {
		return err
	}
	return a.answer(got, func(p *page) error {
		p.line("epoch %d begins", got.Epoch)
		for _, q := range got.GoOn {
			p.line("%s goes on; given up: %s", string(q.Entity), q.Problem)
		}
		for _, q := range got.GivenUp {
			p.line("%s is given up at sequence %d: %s", string(q.Entity), q.Sequence, q.Problem)
		}
		for _, s := range got.Lost {
			p.line("sequences %d to %d are lost", s.From, s.To)
		}
		return nil
	})
}
