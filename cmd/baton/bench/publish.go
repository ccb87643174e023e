package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream"
)

type store = *jetstream.Store

// rate is how fast something was done over and over.
type rate struct {
	perSecond float64
	latency   time.Duration // of the middle one
}

const (
	commitOverhead = 900 // bytes of a step's commit without its value, about
	publishAlone   = 4_000
	publishMany    = 24_000 // by all publishers together
)

func publishers(n int) string {
	if n == 1 {
		return "raw publish, 1 publisher"
	}
	return fmt.Sprintf("raw publish, %d publishers", n)
}

// publish measures plain publishes of a commit's size by a number of publishers.
func (b *bench) publish(ctx context.Context, s store, n int) error {
	each := max(publishAlone, publishMany/n)
	if n > 1 {
		each = publishMany / n
	}
	lines := make([]*line, n)
	for i := range lines {
		lines[i] = newLine(s.Installation(), fmt.Sprintf("bench raw %d %d", time.Now().UnixNano(), i), each, commitOverhead+b.Payload)
	}
	errs := make([]error, n)
	var group sync.WaitGroup
	begun := time.Now()
	for i, l := range lines {
		group.Go(func() { errs[i] = l.publish(ctx, s, begun.Add(b.For)) })
	}
	group.Wait()
	took := time.Since(begun)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	var all []time.Duration
	for _, l := range lines {
		all = append(all, l.took...)
	}
	slices.Sort(all)
	got := rate{float64(len(all)) / took.Seconds(), all[len(all)/2]}
	b.raw[n] = got
	b.add(publishers(n), got.perSecond, "publishes/s")
	b.add(publishers(n)+", latency", micro(got.latency), "µs")
	return nil
}

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
func milli(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// line is a session whose commits are made beforehand and published as they are.
type line struct {
	entity stream.Entity
	frames []events.Frame
	took   []time.Duration
	last   uint64 // sequence of the last commit that was stored
}

func newLine(installation, name string, commits, size int) *line {
	session := operation.DerivedSession(name)
	link := events.Genesis(installation, session)
	l := &line{entity: stream.SessionEntity(session), took: make([]time.Duration, 0, commits)}
	value := fmt.Appendf(nil, "%q", strings.Repeat("x", max(1, size-commitOverhead/2)))
	now := time.Now().UTC()
	for i := range commits {
		var fact events.Data = events.ContextSet{Key: "raw", Value: events.Value{JSON: value}, Rev: i, By: "bench"}
		if i == 0 {
			fact = events.SessionStarted{Goal: name, Mode: "auto"}
		}
		e := events.New(fact)
		e.ID, e.Time, e.Actor = fmt.Sprintf("%s-%06d", session, i), now, "bench"
		frame, err := events.Seal(session, link, "bench", []events.Event{e})
		if err != nil {
			break // the payload is larger than a commit; what there is shows nothing, and publish says so
		}
		link = frame.Link()
		l.frames = append(l.frames, frame)
	}
	return l
}

// publish sends the line's commits one after the other until they or the time are over.
func (l *line) publish(ctx context.Context, s store, until time.Time) error {
	for i, frame := range l.frames {
		begun := time.Now()
		if i > 0 && begun.After(until) {
			break
		}
		sequence, err := s.Raw(ctx, l.entity, frame.Bytes())
		if err == nil {
			err = s.Settle(ctx, sequence)
		}
		if err != nil {
			return err
		}
		l.took, l.last = append(l.took, time.Since(begun)), sequence
	}
	if len(l.took) == 0 {
		return errTooLarge
	}
	s.Adopt(l.entity, l.last, l.frames[len(l.took)-1])
	return nil
}

var errTooLarge = errors.New("a step's value is larger than a commit")
