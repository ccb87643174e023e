package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

const (
	// maxPage is how many events one question asks for: few enough for one message of the bus.
	maxPage = 500
	// followEvery is how often a follower asks for news.
	followEvery = 200 * time.Millisecond
)

func (a *app) eventsCommand() *cobra.Command {
	var kind string
	var follow, all bool
	c := a.verb(verb{
		use: "events [--type T] [--follow] [--all]", short: "print the raw log, of the session or of all of them",
		example: `
baton events --type call.closed --json
baton events --all --follow`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&kind, "type", "", a.say("only events of this type"))
			f.BoolVar(&follow, "follow", false, a.say("go on as events come in"))
			f.BoolVar(&all, "all", false, a.say("of all sessions (also when none is active)"))
		},
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				session := ""
				if !all {
					var err error
					if session, err = a.chosen(ctx, l); err != nil {
						return err
					}
				}
				if session != "" {
					if _, err := l.Query(ctx, "session.show", session, engine.None{}); err != nil {
						return err
					}
				}
				return a.events(ctx, l, session, kind, follow)
			})
		},
	})
	c.AddCommand(a.eventsSchema())
	return c
}

// events prints one page after the other, one event a line.
func (a *app) events(ctx context.Context, l *link, session, kind string, follow bool) error {
	var after uint64
	for {
		page, err := engine.As[engine.EventPage](l.Query(ctx, "events", session, engine.EventsAsk{Type: kind, After: after, Limit: maxPage}))
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if err := a.event(e); err != nil {
				return err
			}
		}
		after = page.After
		if after < page.Head {
			continue
		}
		if !follow {
			return nil
		}
		if !stream.Pause(ctx, followEvery) {
			return nil
		}
	}
}

func (a *app) event(e engine.EventLine) error {
	if a.json {
		raw, err := events.Marshal(e)
		if err != nil {
			return err
		}
		return a.write(append(raw, '\n'))
	}
	p := &page{app: a, colour: a.coloured(a.out)}
	p.line("%6d %s %s %s %s", e.Seq, e.Time, styled(pad(cut(e.Session, 9), 9)), styled(pad(e.Type, 20)), cut(string(e.Data), 200))
	return a.write(p.Bytes())
}
