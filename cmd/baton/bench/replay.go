package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream"
)

// rounds is how often what is short is measured; the middle one counts.
const rounds = 5

// replay measures what is read back: a long session, and the whole log into the projections.
func replay(ctx context.Context, b *bench) error {
	return b.within(ctx, func(ctx context.Context, s *host.Server) error {
		session, err := b.longSession(ctx, s)
		if err != nil {
			return err
		}
		var reads, replays []time.Duration
		for range rounds {
			read, err := timed(func() error { return readAll(ctx, s.Store(), session) })
			if err != nil {
				return err
			}
			again, err := timed(func() error {
				_, err := s.Queries()["replay"](ctx, session, json.RawMessage("{}"))
				return err
			})
			if err != nil {
				return err
			}
			reads, replays = append(reads, read), append(replays, again)
		}
		of := fmt.Sprintf("reading a session of %d events", b.Events)
		b.add(of, milli(spread(reads).median()), "ms")
		b.compare(fmt.Sprintf("replay of a session of %d events", b.Events), milli(spread(replays).median()), "ms", milli(spread(reads).median()), of)
		return b.rebuild(ctx, s)
	})
}

// longSession has runs, one after the other, until it is long enough.
func (b *bench) longSession(ctx context.Context, s *host.Server) (session string, err error) {
	text := chainText(10*chainSteps, b.Payload)
	b.reset()
	ended, session, err := b.start(ctx, s, text, "")
	for events := 0; err == nil; {
		if err = completed(ctx, ended, session); err != nil {
			break
		}
		_, more, _ := b.reset()
		if events += more; events >= b.Events {
			return session, nil
		}
		b.runs++
		ended = b.expect(session)
		err = b.startIn(ctx, s, session, operation.DerivedRun(fmt.Sprint(session, b.runs)), text, "")
	}
	return session, err
}

func readAll(ctx context.Context, s store, session string) error {
	for _, err := range s.Read(ctx, stream.SessionEntity(session), 0) {
		if err != nil {
			return err
		}
	}
	return nil
}

// rebuild folds the whole log into the projections again.
func (b *bench) rebuild(ctx context.Context, s *host.Server) error {
	log, err := engine.As[engine.Audited](s.Queries()["audit"](ctx, "", json.RawMessage("{}")))
	if err != nil {
		return err
	}
	if len(log.Problems) > 0 {
		return fmt.Errorf("%w: %+v", errCommits, log.Problems[0])
	}
	took, err := timed(func() error {
		_, err := s.Projector().Rebuild(ctx, "")
		return err
	})
	if err != nil {
		return err
	}
	b.add("projections rebuild", float64(log.Events)/took.Seconds(), "events/s")
	return nil
}

func timed(f func() error) (time.Duration, error) {
	begun := time.Now()
	err := f()
	return time.Since(begun), err
}
