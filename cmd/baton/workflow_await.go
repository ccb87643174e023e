package main

import (
	"context"
	"errors"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// mostLost is how often in a row the server may be lost before the wait is given up.
const mostLost = 5

// await shows the run's progress until it is over, and then its result. A server that goes away does
// not end the run: another one is started, and the wait goes on.
func (a *app) await(ctx context.Context, l *link, view workflows.View, result func(workflows.View) any) error {
	return a.watchUntil(ctx, l, view, func(_ *link, w engine.Watched) error { return a.result(w.View, result(w.View)) })
}

// watchUntil shows the run's progress until it is over, or nothing but a person moves it where the run
// goes by a router. Then it hands it on, with the connection that is good by then.
func (a *app) watchUntil(ctx context.Context, l *link, view workflows.View, then func(*link, engine.Watched) error) error {
	return a.follow(ctx, l, view, func(w engine.Watched) bool { return w.Over || w.Asks }, then)
}

// follow shows the run's progress until it has come as far as wanted. A server that goes away does not
// end the run: another one is started, and the wait goes on.
func (a *app) follow(ctx context.Context, l *link, view workflows.View, far func(engine.Watched) bool, then func(*link, engine.Watched) error) error {
	show := a.newProgress(view)
	defer show.end()
	var after uint64
	for lost := 0; ; {
		w, err := watch(ctx, l, view, after)
		if ctx.Err() != nil {
			show.end()
			a.note("run %s goes on; look at it with `baton workflow show %s`", view.Run, view.Run)
			return ctx.Err()
		}
		if err != nil {
			if lost++; lost > mostLost || !isUnreachable(err) {
				return err
			}
			next, err := a.connect(ctx)
			if err != nil {
				return err
			}
			defer next.Close() // at most mostLost in a row
			l = next
			continue
		}
		lost, after = 0, w.Sequence
		show.update(w.View)
		if far(w) {
			show.end()
			return then(l, w)
		}
	}
}

// watchPatience is how long a question about a run is waited for: the server answers within five
// seconds, news or not.
const watchPatience = 10 * time.Second

func watch(ctx context.Context, l *link, view workflows.View, after uint64) (engine.Watched, error) {
	bounded, cancel := context.WithTimeout(ctx, watchPatience)
	defer cancel()
	w, err := engine.As[engine.Watched](l.Query(bounded, "run.watch", view.Session, engine.WatchAsk{Run: view.Run, After: after}))
	if err != nil && bounded.Err() != nil {
		err = sessions.Refuse(sessions.Unreachable, "no_answer", "see `baton doctor`", "the server does not answer: %v", err)
	}
	return w, err
}

func isUnreachable(err error) bool {
	var r *sessions.Refusal
	return errors.As(err, &r) && r.Kind == sessions.Unreachable
}

// result prints how a run ended; one that did not complete is an answer with an exit status of its own.
func (a *app) result(v workflows.View, answer any) error {
	text := func(p *page) error { p.run(v); return nil }
	if told, ok := answer.(interface{ tell(*page) }); ok {
		text = func(p *page) error { told.tell(p); return nil }
	}
	if err := a.answer(answer, text); err != nil {
		return err
	}
	if v.Status == workflows.Completed {
		return nil
	}
	if v.Status == workflows.Failed {
		a.note("see `baton why %s`; when it is mended, `baton workflow resume %s` goes on where it stopped", v.Run, v.Run)
	}
	return answered(exitFailed)
}
