package projections

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	clock  = "15:04:05"
	day    = "2006-01-02"
	indent = "  "
)

// Text writes the trace for people, in English or, with lang "zh", in Chinese: a heading, then a
// line an event with its time (UTC), its mark and what happened, indented by call.
func (t *Trace) Text(w io.Writer, lang string) error {
	say := language(lang)
	out := bufio.NewWriter(w)
	for _, h := range t.headings(say) {
		fmt.Fprintf(out, "%s  %s\n", h[0], h[1])
	}
	fmt.Fprintln(out)
	writeLines(out, t.tree(say), "")
	return out.Flush()
}

// Follow writes, as the log has them, the events from the given one on (0 for all) and gives the
// number to go on from. It is Text for a reader who watches, so it shows starts as they come.
func (t *Trace) Follow(w io.Writer, lang string, from int) (int, error) {
	say := language(lang)
	out := bufio.NewWriter(w)
	last := ""
	if from > 0 && from <= len(t.order) {
		last = t.order[from-1].Time.Format(day)
	}
	var lines []line
	for _, n := range t.order[min(from, len(t.order)):] {
		if n.Change == nil || !n.Change.handmade() {
			lines = append(lines, n.lines(say)...)
		}
	}
	writeLines(out, lines, last)
	return len(t.order), out.Flush()
}

// writeLines lays lines out in columns. A new day gets a line of its own.
func writeLines(w io.Writer, lines []line, last string) {
	for _, l := range lines {
		if l.at.IsZero() {
			fmt.Fprintf(w, "%s  %s    %s\n", strings.Repeat(" ", len(clock)), strings.Repeat(indent, l.depth), l.text)
			continue
		}
		if today := l.at.Format(day); today != last {
			fmt.Fprintln(w, today)
			last = today
		}
		fmt.Fprintf(w, "%s  %s%s %s\n", l.at.Format(clock), strings.Repeat(indent, l.depth), l.mark, l.text)
	}
}

// headings are the label and text of each line above the tree.
func (t *Trace) headings(w *words) [][2]string {
	h := t.head
	status := w.in(h.Status) + after(w.colon, Escape(h.Summary))
	started := h.Started.Format(time.RFC3339) + w.separator + fmt.Sprintf(w.updated, h.Updated.Format(time.RFC3339))
	return [][2]string{
		{w.session, Escape(h.Session)},
		{w.goal, Escape(h.Goal)},
		{w.mode, Escape(h.Mode)},
		{w.status, status},
		{w.started, started},
		{w.counts, strings.Join(t.counts(w), " · ")},
	}
}

// counts tells calls and switches always, the rest where there is any.
func (t *Trace) counts(w *words) []string {
	c := t.tally
	out := []string{fmt.Sprintf(w.calls, c.Calls), fmt.Sprintf(w.open, c.Open), fmt.Sprintf(w.switches, c.Switches)}
	for _, more := range []struct {
		format string
		count  int
	}{{w.routes, c.Routes}, {w.runs, c.Runs}, {w.writes, c.Writes}, {w.lost, c.Lost}, {w.skipped, t.skipped}} {
		if more.count > 0 {
			out = append(out, fmt.Sprintf(more.format, more.count))
		}
	}
	return out
}
