package projections

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
)

// line is one line of a trace before it is laid out: an event with its mark, or, without a time, a
// detail of the event above it. All text in it is escaped.
type line struct {
	depth int
	at    time.Time
	mark  string
	text  string
}

// taskLength is how much of a task or intent a line shows.
const taskLength = 90

// tree gives the lines in the order of the tree: what happened inside a call stands below it.
func (t *Trace) tree(w *words) []line {
	var out []line
	var walk func(nodes []*node)
	walk = func(nodes []*node) {
		for _, n := range nodes {
			if !n.merged() {
				out = append(out, n.lines(w)...)
			}
			walk(n.Nodes)
		}
	}
	walk(t.roots)
	return out
}

// merged says that another line of the tree tells the same: the end of an attempt tells its start,
// a timer's own line how it went.
func (n *node) merged() bool {
	c := n.Change
	switch {
	case c == nil:
		return false
	case n.Type == "call.started":
		return c.handmade() || c.try != nil && c.try.Status != "running"
	}
	return n.Type == "timer.fired" || n.Type == "timer.voided"
}

// handmade says that the change is the start of a call by hand, which is no news beside its opening.
func (c *change) handmade() bool {
	return c.Status == "started" && c.call != nil && c.call.Queue == "" && c.try != nil && c.try.Worker == ""
}

func (n *node) lines(w *words) []line {
	var mark, text string
	var details []string
	switch {
	case n.Call != nil:
		mark, text, details = "→", callText(n.Call, w), callDetails(n.Call, w)
	case n.Run != nil:
		mark, text, details = "▷", runText(n.Run, w), some(w.inputs, pairs(n.Run.Inputs))
	case n.Route != nil:
		mark, text, details = "?", routeText(n.Route, w), routeDetails(n.Route, w)
	case n.Blocked != nil:
		mark, text, details = "!", blockedText(n.Blocked, w), blockedDetails(n.Blocked, w)
	case n.Switch != nil:
		mark, text, details = "⇄", switchText(n.Switch, w), switchDetails(n.Switch, w)
	case n.Context != nil:
		mark, text = contextText(n, w)
	case n.Timer != nil:
		mark, text = "…", timerText(n.Timer, w)
	case n.Approval != nil:
		mark, text = "?", approvalText(n.Approval, w)
	case n.Answer != nil:
		mark, text = answerText(n.Answer, w)
	case n.Signal != nil:
		mark, text = "~", signalText(n.Signal, w)
	case n.List != nil:
		mark, text = "≡", listText(n.List, w)
	case n.Join != nil:
		mark, text = "≡", joinText(n.Join, w)
	case n.Feedback != nil:
		mark, text = "+", feedbackText(n.Feedback, w)
	case n.Change != nil:
		mark, text, details = changeLines(n.Change, w)
	}
	out := []line{{n.depth, n.Time, mark, text}}
	for _, d := range details {
		out = append(out, line{depth: n.depth, text: d})
	}
	return out
}

func callText(c *callNode, w *words) string {
	state := []string{w.in(c.Status)}
	if len(c.Attempts) > 1 {
		state = append(state, fmt.Sprintf(w.attempts, len(c.Attempts)))
	}
	if !c.Closed.IsZero() {
		state = append(state, lasted(c.Seconds, w))
	}
	head := strings.TrimSpace(Escape(c.name()) + " " + Escape(c.Skill))
	return head + after(w.colon, short(c.Intent, taskLength)) + " [" + strings.Join(state, " · ") + "]"
}

func callDetails(c *callNode, w *words) []string {
	there, absent := readKeys(c.Reads)
	return gather(some(w.inputs, pairs(c.Inputs)), some(w.reads, list(there)), some(w.absent, list(absent)),
		some(w.promises, list(c.Writes)), some(w.awaits, Escape(c.Signal)), some(w.apart, Escape(c.Child)))
}

func runText(r *runNode, w *words) string {
	state := w.in(r.Status)
	if !r.Ended.IsZero() {
		state += " · " + lasted(r.Seconds, w)
	}
	return fmt.Sprintf(w.run, Escape(r.ID)) + " " + short(r.Name, taskLength) + " [" + state + "]"
}

func routeText(r *events.RouteDecided, w *words) string {
	text := short(r.Task, taskLength) + " → " + w.in(r.Decision)
	if r.Step != "" {
		text = Escape(r.Step) + w.colon + text
	}
	if r.Router != "" {
		text = Escape(r.Router) + w.colon + text
	}
	return text + after(w.colon, Escape(r.Chosen))
}

// shownCandidates bounds the lines of one route; the JSON has all of them.
const shownCandidates = 10

func routeDetails(r *events.RouteDecided, w *words) []string {
	var out []string
	for i, c := range r.Candidates {
		if i == shownCandidates {
			out = append(out, fmt.Sprintf(w.more, len(r.Candidates)-i))
			break
		}
		text := fmt.Sprintf("%s %s (%s)", score(c.Score), Escape(c.Name), Escape(c.Tier))
		out = append(out, text+after(" ", list(c.Why)))
	}
	reason := Escape(r.Reason)
	if r.Router == "" {
		reason += " (" + fmt.Sprintf(w.threshold, number(r.Threshold), number(r.Margin)) + ")"
	}
	return gather(out, some(w.reason, reason), some(w.excluded, list(r.Exclude)),
		some(w.judge, judged(r.Judge, w)), some(w.highRisk, Escape(r.HighRisk)), some(w.warning, list(r.Warnings)))
}

// judged is who was asked, whom it chose, and its words or what kept it from choosing.
func judged(j events.Judged, w *words) string {
	text := Escape(j.By) + after(" → ", Escape(j.Chosen))
	return text + after(w.colon, Escape(j.Why)) + after(w.colon, Escape(j.Error))
}

func blockedText(b *events.RouteBlocked, w *words) string {
	return short(b.Task, taskLength) + " → " + w.in("blocked") + after(w.colon, Escape(b.Reason))
}

func blockedDetails(b *events.RouteBlocked, w *words) []string {
	return gather(some(w.matched, Escape(b.Matched)), some(w.suggestion, Escape(b.Suggestion)))
}

func switchText(s *events.SwitchMade, w *words) string {
	text := w.in(s.Kind) + after(" ", Escape(s.From)) + " → " + Escape(s.To)
	return text + after(w.colon, Escape(s.Reason))
}

func switchDetails(s *events.SwitchMade, w *words) []string {
	there, absent := readKeys(s.Carry)
	return gather(some(w.carries, list(there)), some(w.absent, list(append(absent, s.Missing...))),
		some(w.staysOpen, Escape(s.Suspended)), some(w.leftBehind, list(s.Left)))
}

func contextText(n *node, w *words) (mark, text string) {
	c := n.Context
	text = Escape(c.Key) + " " + fmt.Sprintf(w.revision, c.Rev)
	mark = "•"
	switch n.Type {
	case "context.deleted":
		mark = "×"
	case "context.rolled_back":
		mark, text = "↶", text+w.colon+fmt.Sprintf(w.back, c.To)
	default:
		text += " = " + short(c.Preview, taskLength)
	}
	return mark, text + given(" (%s)", given(w.by, Escape(c.By)))
}

func timerText(t *timerNode, w *words) string {
	text := fmt.Sprintf(w.waitsUntil, Escape(t.At), w.in(t.Kind))
	switch t.Status {
	case "fired":
		return text + w.separator + w.rang
	case "voided":
		return text + w.separator + w.void + after(w.colon, Escape(t.Reason))
	}
	return text
}

// readKeys splits what was read into "key@revision" and the keys that were not there.
func readKeys(reads []events.Read) (there, absent []string) {
	for _, r := range reads {
		if r.Rev == 0 {
			absent = append(absent, r.Key)
			continue
		}
		there = append(there, r.Key+"@"+strconv.Itoa(r.Rev))
	}
	return there, absent
}

func lasted(s float64, w *words) string { return fmt.Sprintf(w.after, number(s)) }
func score(f float64) string            { return strconv.FormatFloat(f, 'f', 2, 64) }
func number(f float64) string           { return strconv.FormatFloat(f, 'f', -1, 64) }

// list joins texts, each escaped.
func list(texts []string) string {
	escaped := make([]string, len(texts))
	for i, s := range texts {
		escaped[i] = Escape(s)
	}
	return strings.Join(escaped, ", ")
}

// after puts a lead before a text, unless there is none.
func after(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

// some formats a text, unless there is none.
func some(format, text string) []string {
	if text == "" {
		return nil
	}
	return []string{fmt.Sprintf(format, text)}
}

func given(format, text string) string { return strings.Join(some(format, text), "") }

func gather(parts ...[]string) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
