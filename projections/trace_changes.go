package projections

import (
	"fmt"
	"strings"

	"github.com/batonflow/baton/events"
)

// marks are the signs of what an event did to a call, a run or the session.
var marks = map[string]string{
	"ended": "■", "opened": "→", "started": "▸", "suspended": "‖", "resumed": "▶", "ok": "✓", "partial": "✓",
	"failed": "✗", "lost": "∅", "skipped": "–", "cancelled": "⊘", "completed": "■", "fired": "…", "voided": "…",
	"downgraded": "↓", "advanced": "·",
}

// changeLines say what an event did: "✓ c002 ok on host.1: note", and details below.
func changeLines(c *change, w *words) (mark, text string, details []string) {
	mark = marks[c.Status]
	if mark == "" {
		mark = "·"
	}
	text = strings.TrimSpace(c.subject() + " " + w.in(c.Status))
	text += given(" (%s)", strings.Join(circumstances(c, w), w.separator))
	switch {
	case c.Failure != nil:
		text += w.colon + failureText(*c.Failure)
	default:
		text += after(w.colon, Escape(c.Reason))
	}
	if c.closes() {
		details = gather(some(w.outputs, pairs(c.call.Outputs)), some(w.artifacts, list(c.call.Artifacts)),
			some(w.missing, list(c.call.Missing)))
	}
	details = gather(details, some(w.redo, list(c.Redo)), some(w.stale, list(c.Stale)))
	return mark, text, details
}

// subject is what was changed; a run's own line stands above, so it needs no name.
func (c *change) subject() string {
	switch {
	case c.call != nil:
		return Escape(c.call.name())
	case c.Call != "":
		return Escape(c.Call)
	case c.Timer != "":
		return Escape(c.Timer)
	case c.Step != "":
		return Escape(c.Step)
	}
	return list(c.Steps)
}

// circumstances are the attempt with its worker and length, and who asked.
func circumstances(c *change, w *words) []string {
	var out []string
	if c.try != nil && !c.byHand() {
		out = append(out, fmt.Sprintf(w.attempt, c.Attempt))
		out = append(out, some(w.on, Escape(c.try.Worker))...)
		if c.Status != "started" && !c.try.Started.IsZero() {
			out = append(out, lasted(c.try.Seconds, w))
		}
	}
	if c.Status == "failed" && c.Call != "" && c.Failure != nil || c.Status == "lost" {
		out = append(out, followUp(c.Final, w))
	}
	return append(out, some(w.by, Escape(c.By))...)
}

func followUp(final bool, w *words) string {
	if final {
		return w.lastTry
	}
	return w.tryAgain
}

// byHand says that attempts are nothing to speak of: one, by nobody in particular.
func (c *change) byHand() bool {
	return c.call.Queue == "" && len(c.call.Attempts) == 1 && c.try.Worker == ""
}

// closes says that the change is the end of a call with a result. A call that was opened again has
// its result at its last end only.
func (c *change) closes() bool {
	if c.call == nil || c.Failure != nil {
		return false
	}
	switch c.Status {
	case "ok", "partial", "failed", "skipped":
		return c.try == nil || c.call.Attempts[len(c.call.Attempts)-1] == c.try
	}
	return false
}

func failureText(f events.Failure) string {
	text := Escape(f.Class) + "/" + Escape(f.Code)
	if f.Exit != 0 {
		text += fmt.Sprintf(" (exit %d)", f.Exit)
	}
	return text + after(": ", Escape(f.Message))
}
