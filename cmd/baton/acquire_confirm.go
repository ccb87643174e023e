package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/acquire"
	"github.com/batonflow/baton/skills/audit"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// acquisition follows an acquisition to its end, asking at the terminal where it asks; without one it
// waits for somebody to answer elsewhere.
func (a *app) acquisition(ctx context.Context, l *link, v workflows.View) error {
	listening, stop := context.WithCancel(ctx)
	var hearing sync.WaitGroup
	hearing.Go(func() { a.hear(listening, l, v) })
	defer hearing.Wait()
	defer stop()
	return a.untilAnswered(ctx, l, v)
}

// hear tells what the steps say while they work: how far a download is.
func (a *app) hear(ctx context.Context, l *link, v workflows.View) {
	_ = l.Listen(ctx, v.Session, func(s stream.Said) { // it is only for the eye
		step, mine := strings.CutPrefix(s.Call, v.Run+"/")
		for line := range strings.Lines(s.Text) {
			if mine {
				a.notice("%s: %s", step, strings.TrimSpace(line))
			}
		}
	})
}

func (a *app) untilAnswered(ctx context.Context, l *link, v workflows.View) error {
	far := func(w engine.Watched) bool { return w.Over || w.View.Status == workflows.Waiting && asking(w.View) }
	return a.follow(ctx, l, v, far, func(l *link, w engine.Watched) error {
		if w.View.Status != workflows.Waiting {
			return a.endedAcquisition(ctx, l, w.View)
		}
		answered, err := a.askPerson(ctx, l, w.View)
		switch {
		case err != nil:
			return err
		case answered:
			return a.untilAnswered(ctx, l, w.View)
		}
		return a.waitingAcquisition(ctx, l, w.View)
	})
}

// asking says whether a run waits for a person's confirmation.
func asking(v workflows.View) bool {
	for _, s := range v.Steps {
		if s.ID == "confirm" && s.Status == "waiting" {
			return true
		}
	}
	return false
}

// endedAcquisition prints how it ended; one that failed has the exit status of what it failed with.
func (a *app) endedAcquisition(ctx context.Context, l *link, v workflows.View) error {
	view, err := a.viewOf(ctx, l, v)
	if err != nil {
		return err
	}
	if err := a.answer(view, func(p *page) error { p.acquisition(view); return nil }); err != nil {
		return err
	}
	switch {
	case view.Error != nil:
		fmt.Fprintf(a.err, "error: %s\n", projections.Escape(view.Error.Code+": "+view.Error.Message+"; step "+view.Step+"; "+view.Error.Hint))
		return answered(exits[acquire.KindOf(view.Error.Code)])
	case v.Status != workflows.Completed:
		return answered(exitFailed)
	}
	return nil
}

func (a *app) waitingAcquisition(ctx context.Context, l *link, v workflows.View) error {
	view, err := a.viewOf(ctx, l, v)
	if err != nil {
		return err
	}
	if err := a.answer(view, func(p *page) error { p.acquisition(view); return nil }); err != nil {
		return err
	}
	a.notice("waiting: a person must confirm; `baton acquire resume %s` at a terminal, or `baton workflow approve %s confirm --yes --by NAME`", v.Run, v.Run)
	return answered(exits[sessions.Waits])
}

// askPerson asks at the terminal, never on stdin: what is piped in is nobody's consent. It says whether
// an answer was recorded.
func (a *app) askPerson(ctx context.Context, l *link, v workflows.View) (bool, error) {
	view, err := a.viewOf(ctx, l, v)
	if err != nil || view.Approval == nil || view.Approval.Decided {
		return view.Approval != nil, err
	}
	t, ok := openTerminal()
	if !ok {
		return false, nil
	}
	defer t.Close()
	p := &page{app: a, colour: true}
	p.question(view)
	if _, err := t.Write(p.Bytes()); err != nil {
		return false, nil // it is gone
	}
	line, ok := readLine(ctx, t)
	if !ok {
		return false, ctx.Err()
	}
	c := workflows.Approve{Run: v.Run, Step: "confirm", By: a.actor(), Note: "typed at the terminal: " + cut(line, 80)}
	if c.Yes, ok = saysYes(view, line); !ok {
		return false, nil
	}
	_, err = l.Do(ctx, v.Session, c, a.meta())
	return err == nil, err
}

// question shows what was found, and asks.
func (p *page) question(v operation.Acquisition) {
	p.findings(v.Findings, 20)
	p.line("%s", v.Approval.Question)
	if v.Verdict == audit.P0 {
		p.text(fmt.Sprintf(p.app.say("Type the skill's name in full (%s) to install it, or n: "), projections.Escape(v.Slug)))
	} else {
		p.text(p.app.say("Install it? [y/n] "))
	}
	p.Truncate(p.Len() - 1) // the answer stands on the same line
}

// saysYes reads an answer: P0 wants the name in full. What is neither yes nor no is no answer.
func saysYes(v operation.Acquisition, line string) (yes, clear bool) {
	word := strings.ToLower(strings.TrimSpace(line))
	switch {
	case v.Slug != "" && strings.TrimSpace(line) == v.Slug:
		return true, true
	case word == "n" || word == "no" || word == "否" || word == "不":
		return false, true
	}
	return true, v.Verdict != audit.P0 && (word == "y" || word == "yes" || word == "是")
}

// findings lists the first few findings.
func (p *page) findings(list []audit.Finding, most int) {
	for i, f := range list {
		if i == most {
			p.line("  … and %d more; see `baton acquire status --json`", len(list)-most)
			return
		}
		p.line("  %s  %s  %s:%d  %s", p.status(string(f.Level), 6), styled(pad(f.Rule, 22)), f.File, f.Line, p.app.say(f.Note))
	}
}
