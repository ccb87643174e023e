package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/batonflow/baton/workflows"
)

// progress shows on stderr how a run gets on: a bar a step on a terminal, else a line a change.
type progress struct {
	app    *app
	bars   bool
	height int               // lines drawn last
	said   map[string]string // step -> what was said of it last
	widest int
}

// widestName bounds how much of a step's id is shown in its bar.
const widestName = 40

func (a *app) newProgress(v workflows.View) *progress {
	p := &progress{app: a, bars: isTerminal(a.err) && a.Env("TERM") != "dumb", said: map[string]string{}}
	for _, s := range v.Steps {
		p.widest = min(max(p.widest, width(s.ID)), widestName)
	}
	return p
}

func (p *progress) update(v workflows.View) {
	switch {
	case p.app.quiet:
	case p.bars:
		p.draw(v)
	default:
		p.lines(v)
	}
}

// lines says what has changed since it was called last.
func (p *progress) lines(v workflows.View) {
	for _, s := range v.Steps {
		now := s.Status
		if s.Attempts > 1 {
			now = fmt.Sprintf(p.app.say("%s, attempt %d"), s.Status, s.Attempts)
		}
		if p.said[s.ID] == now || s.Status == string(workflows.StepPending) {
			continue
		}
		p.said[s.ID] = now
		if s.Error != nil && s.Status != string(workflows.StepDone) {
			p.app.note("%s: %s: %s: %s", s.ID, now, s.Error.Code, s.Error.Message)
			continue
		}
		p.app.note("%s: %s", s.ID, now)
	}
}

// draw writes the block of bars over the one before it.
func (p *progress) draw(v workflows.View) {
	columns, rows := p.size()
	out := &page{app: p.app, colour: p.app.coloured(p.app.err)}
	if p.height > 0 {
		fmt.Fprintf(out, "\x1b[%dA", p.height)
	}
	shown := pick(v.Steps, max(rows-2, 1))
	for _, s := range shown {
		room := max(columns-p.widest-30, 0)
		more := ""
		if s.Error != nil && s.Status != string(workflows.StepDone) {
			more = cut(s.Error.Code+": "+s.Error.Message, max(room, 2))
		} else if s.Seconds > 0 {
			more = fmt.Sprintf("%.1fs", s.Seconds)
		}
		fmt.Fprintf(out, "\x1b[2K")
		out.line("  %s %s %s %s", styled(pad(cut(s.ID, widestName), p.widest)), styled(bar(s.Status)), out.status(s.Status, 9), more)
	}
	done := 0
	for _, s := range v.Steps {
		if s.Status == string(workflows.StepDone) || s.Status == string(workflows.StepSkipped) {
			done++
		}
	}
	fmt.Fprintf(out, "\x1b[2K")
	out.line("%s  %d/%d", out.status(string(v.Status), 9), done, len(v.Steps))
	p.height = len(shown) + 1
	fmt.Fprint(p.app.err, out.String())
}

// pick chooses the steps to show when they do not all fit: those that are under way, and around them.
func pick(steps []workflows.StepView, most int) []workflows.StepView {
	if len(steps) <= most {
		return steps
	}
	from := 0
	for i, s := range steps {
		if s.Status != string(workflows.StepDone) && s.Status != string(workflows.StepSkipped) {
			from = i
			break
		}
	}
	from = min(from, len(steps)-most)
	return steps[from : from+most]
}

// bar is a step's progress: nothing is known of a step but where it stands.
func bar(status string) string {
	const long = 10
	full := 0
	switch status {
	case "queued":
		full = 1
	case "leased", "running", "waiting", "backoff", "suspended":
		full = long / 2
	case "completed", "skipped":
		full = long
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", long-full) + "]"
}

func (p *progress) size() (columns, rows int) {
	if f, ok := p.app.err.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// end leaves the block where it stands.
func (p *progress) end() { p.height = 0 }
