package timeline

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const session = "019ad3b0-0000-7000-8000-00000000000a"

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// story folds commits that are made by hand, with a clock in the test's hand.
type story struct {
	Timeline
	now time.Time
	n   uint64
}

func newStory() *story { return &story{now: noon} }

func (s *story) after(seconds float64) *story {
	s.now = s.now.Add(time.Duration(seconds * float64(time.Second)))
	return s
}

func (s *story) add(facts ...events.Data) *story {
	s.n++
	f := events.Frame{Session: session, N: s.n}
	for _, d := range facts {
		f.Events = append(f.Events, events.Event{Type: events.TypeOf(d), Time: s.now, Data: d})
	}
	s.Fold(s.n*10, f)
	return s
}

const text = `
name: trip
order: dataflow
limits: {parallel: 2, budget: {usd: 1}}
steps:
  - {id: left, run: {exec: [a]}, retry: {attempts: 3}}
  - {id: right, run: {exec: [b]}, output: r}
  - {id: spare, run: {exec: [c]}, output: s}
  - {id: book, needs: [left, right, spare], run: {exec: [d]}, confirm: {question: "Sure?"}}
  - {id: each, needs: [book], foreach: "[1, 2, 3]", run: {exec: [e]}}
  - {id: end, needs: [each], when: "false", run: {exec: [f]}}
`

func open(step string) events.CallOpened {
	return events.CallOpened{Call: "r-1/" + step, Run: "r-1", Step: strings.TrimRight(step, "[]012"), Queue: "default", Execute: json.RawMessage(`{"exec":["x"]}`)}
}

func start(step string, attempt int) events.CallStarted {
	return events.CallStarted{Call: "r-1/" + step, Attempt: attempt, Worker: fmt.Sprintf("p1.%d", attempt)}
}

func done(step string, attempt int) events.CallClosed {
	return events.CallClosed{Call: "r-1/" + step, Attempt: attempt, Status: "ok", Usage: json.RawMessage(`{"usd":0.25,"tokens":100}`)}
}

// trip is a run with all that a bar can be.
func trip() *story {
	s := newStory()
	s.add(events.SessionStarted{Goal: "a journey", Mode: "auto"})
	s.after(1).add(events.RunStarted{Run: "r-1", Name: "trip", Text: text}, open("left"), start("left", 1), open("right"))
	s.after(1).add(start("right", 1))
	s.after(1).add(events.CallFailed{Call: "r-1/left", Attempt: 1, Failure: events.Failure{Class: "retryable", Code: "exit", Exit: 7, Message: "no seat"}},
		events.TimerSet{Timer: "t1", Kind: "backoff", At: s.now.Add(2 * time.Second).Format(time.RFC3339Nano), Run: "r-1", Call: "r-1/left"})
	s.after(2).add(events.TimerFired{Timer: "t1"})
	s.after(0.5).add(start("left", 2))
	s.after(1).add(events.CallLost{Call: "r-1/left", Attempt: 2, Reason: "its worker is gone"})
	s.after(0.5).add(start("left", 3))
	s.after(2).add(done("left", 3), open("spare"), start("spare", 1))
	s.after(1).add(done("right", 1))
	s.after(1).add(done("spare", 1), open("book"), events.ApprovalAsked{Approval: "a1", Run: "r-1", Step: "book", Call: "r-1/book", Question: "Sure?", ExpiresIn: 60})
	return s
}

func whole() *story {
	s := trip()
	s.after(5).add(events.ApprovalAnswered{Approval: "a1", Yes: true, By: "ada"})
	s.after(1).add(start("book", 1))
	s.after(1).add(done("book", 1), events.ItemsListed{Run: "r-1", Step: "each", Count: 3}, open("each[0]"), start("each[0]", 1), open("each[1]"), start("each[1]", 1))
	s.after(2).add(done("each[0]", 1), open("each[2]"), start("each[2]", 1))
	s.after(1).add(done("each[1]", 1))
	s.after(1).add(done("each[2]", 1), events.StepJoined{Run: "r-1", Step: "each", Done: 3}, events.StepSkipped{Run: "r-1", Step: "end", Reason: "when is false"}, events.RunCompleted{Run: "r-1"})
	return s
}

var inks = map[Kind]string{Work: "#", Queue: ".", Limit: "~", Approval: "?", Backoff: "-", Timer: "t", Signal: "s", Child: "c", Outside: "o", Suspended: "_"}

// picture draws a window as text.
func picture(w Window, columns int) string {
	var out strings.Builder
	scale := float64(w.End.Sub(w.Start)) / float64(columns)
	fmt.Fprintf(&out, "%d rows, %v, at most %d at once, commit %d of %d, open %v\n", w.Total, w.Counts, w.Most, w.Place, w.Commits, w.Open)
	if w.Run != nil {
		fmt.Fprintf(&out, "%s %s: %d of %d steps, used %g of %g USD, %d tokens\n", w.Run.Name, w.Run.Status, w.Run.Done, w.Run.Steps, w.Run.Used.USD, w.Run.Allowed.USD, w.Run.Used.Tokens)
	}
	for _, row := range w.Rows {
		line := []rune(strings.Repeat(" ", columns+1))
		for _, b := range row.Bars {
			to := b.To
			if to.IsZero() {
				to = w.End
			}
			for i := int(float64(b.From.Sub(w.Start)) / scale); i < max(int(float64(to.Sub(w.Start))/scale), 1+int(float64(b.From.Sub(w.Start))/scale)) && i < columns; i++ {
				line[i] = []rune(inks[b.Kind])[0]
			}
		}
		fmt.Fprintf(&out, "%-6s %s%-10s |%s| %s", lanes(row.Lane), strings.Repeat("  ", row.Depth), row.Name, string(line[:columns]), row.Status)
		if row.Attempt > 1 {
			fmt.Fprintf(&out, ", attempt %d of %d", row.Attempt, row.Attempts)
		}
		if row.Total > 0 {
			fmt.Fprintf(&out, ", %d of %d", row.Done, row.Total)
		}
		if row.Error != "" {
			fmt.Fprintf(&out, ", %s", row.Error)
		}
		if !row.Until.IsZero() {
			fmt.Fprintf(&out, ", until %s", row.Until.Sub(w.Start))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// lanes draws a row's lines: o its dot, | what goes through, / what comes in or leaves beside the dot.
func lanes(l *Lane) string {
	if l == nil {
		return ""
	}
	line := []rune(strings.Repeat(" ", l.Width))
	for _, i := range append(append([]int{}, l.In...), l.Out...) {
		line[i] = '/'
	}
	for _, i := range l.Through {
		line[i] = '|'
	}
	if l.Dot >= 0 {
		line[l.Dot] = 'o'
	}
	return string(line)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	all := Ask{Run: "r-1", Count: 100}
	golden(t, "waiting.txt", picture(trip().Window(all, noon.Add(12*time.Second)), 60))
	golden(t, "whole.txt", picture(whole().Window(all, noon.Add(time.Hour)), 60))
	golden(t, "folded.txt", picture(whole().Window(Ask{Run: "r-1", Count: 100, Folded: []string{"r-1/each"}}, noon), 60))
	golden(t, "session.txt", picture(whole().Window(Ask{Count: 100}, noon), 60))
}

func TestWindowsArePartsOfTheWhole(t *testing.T) {
	t.Parallel()
	s := whole()
	whole := s.Window(Ask{Run: "r-1", Count: 100}, noon)
	for from := range whole.Total {
		part := s.Window(Ask{Run: "r-1", From: from, Count: 2}, noon)
		if diff := cmp.Diff(whole.Rows[from:min(from+2, whole.Total)], part.Rows); diff != "" || part.Total != whole.Total {
			t.Errorf("rows from %d (-want +got):\n%s", from, diff)
		}
	}
	for show, n := range whole.Counts {
		if got := s.Window(Ask{Run: "r-1", Count: 100, Show: show}, noon); got.Total != n {
			t.Errorf("%d rows are %s, %d are counted", got.Total, show, n)
		}
	}
	if got := s.Window(Ask{Run: "r-1", Count: 100, Find: "EACH["}, noon); got.Total != 3 {
		t.Errorf("found %d items, not 3", got.Total)
	}
	if got := s.Window(Ask{Run: "r-9", Count: 100, From: 50}, noon); got.Total != 0 || len(got.Rows) != 0 {
		t.Errorf("a run that is not there has %d rows", got.Total)
	}
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to time.Duration
		most     int
		want     string
	}{
		{0, 10 * time.Second, 6, "0 2s 4s 6s 8s 10s"},
		{0, 850 * time.Millisecond, 5, "0 200ms 400ms 600ms 800ms"},
		{300 * time.Millisecond, 850 * time.Millisecond, 5, "400ms 600ms 800ms"},
		{0, 90 * time.Minute, 4, "0 30m 1h 1h 30m"},
		{0, 0, 4, ""},
		{0, 3 * time.Microsecond, 4, "0"},
	} {
		var got []string
		for _, tick := range Ticks(c.from, c.to, c.most) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("Ticks(%s, %s, %d) = %q, want %q", c.from, c.to, c.most, strings.Join(got, " "), c.want)
		}
	}
}

func TestTicksAreFewAndInside(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "from"))
		span := time.Duration(rapid.Int64Range(1, int64(10000*time.Hour)).Draw(t, "span"))
		most := rapid.IntRange(1, 12).Draw(t, "most")
		ticks := Ticks(from, from+span, most)
		if len(ticks) > most+1 {
			t.Fatalf("%d ticks, at most %d", len(ticks), most)
		}
		for _, tick := range ticks {
			if tick.At < from || tick.At > from+span {
				t.Fatalf("tick at %s is outside", tick.At)
			}
		}
	})
}

func TestShort(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0", 123 * time.Microsecond: "0.12ms", 4200 * time.Microsecond: "4.2ms", 850 * time.Millisecond: "850ms", 1400 * time.Millisecond: "1.4s",
		12340 * time.Millisecond: "12.3s", 125 * time.Second: "2m 05s", 200 * time.Minute: "3h 20m", 73 * time.Hour: "3d 01h", -2 * time.Second: "-2s",
	} {
		if got := Short(d); got != want {
			t.Errorf("Short(%d) = %q, want %q", d, got, want)
		}
	}
}

// TestBarsFollowOneAnother: whatever happens to a call in whatever order, its bars touch and only the
// last one is open; folding a commit twice changes nothing.
func TestBarsFollowOneAnother(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStory()
		s.add(events.RunStarted{Run: "r-1", Name: "trip", Text: text}, open("left"))
		attempt := 0
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			s.after(float64(rapid.IntRange(0, 3).Draw(t, "pause")))
			var d events.Data
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				attempt++
				d = start("left", attempt)
			case 1:
				d = events.CallFailed{Call: "r-1/left", Attempt: attempt}
			case 2:
				d = events.CallLost{Call: "r-1/left", Attempt: attempt, Final: rapid.Bool().Draw(t, "final")}
			case 3:
				d = done("left", attempt)
			case 4:
				d = open("left")
			case 5:
				d = events.TimerSet{Timer: "t", Kind: "backoff", Call: "r-1/left", At: s.now.Format(time.RFC3339Nano)}
			case 6:
				d = events.TimerFired{Timer: "t"}
			case 7:
				d = events.ApprovalAsked{Approval: "a", Run: "r-1", Call: "r-1/left"}
			case 8:
				d = events.ApprovalAnswered{Approval: "a", Yes: rapid.Bool().Draw(t, "yes")}
			case 9:
				d = events.CallSuspended{Call: "r-1/left"}
			}
			s.add(d)
			before := s.Commits()
			s.Fold(s.n*10, events.Frame{Session: session, Events: []events.Event{{Time: s.now, Data: d}}})
			if s.Commits() != before {
				t.Fatal("a commit was counted twice")
			}
			bars := s.calls["r-1/left"].bars
			for i, b := range bars {
				if last := i == len(bars)-1; b.To.IsZero() && !last || !b.To.IsZero() && b.To.Before(b.From) || !last && bars[i+1].From.Before(b.To) {
					t.Fatalf("bars overlap or run backwards: %+v", bars)
				}
			}
		}
	})
}

func TestGraph(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	g := whole().Graph("r-1")
	for _, n := range g.Nodes {
		fmt.Fprintf(&out, "%d.%g %s %s ×%d\n", n.Column, n.Row, n.Name, n.Status, n.Count)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&out, "%s -> %s\n", g.Nodes[e.From].Name, g.Nodes[e.To].Name)
	}
	golden(t, "graph.txt", out.String())
}

// TestManyBranches: steps that stand alike become one box, and their lines stay few.
func TestManyBranches(t *testing.T) {
	t.Parallel()
	var yaml strings.Builder
	yaml.WriteString("name: wide\norder: dataflow\nsteps:\n  - {id: a, run: {exec: [x]}}\n")
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("b%d", i))
		fmt.Fprintf(&yaml, "  - {id: b%d, needs: [a], run: {exec: [x]}}\n", i)
	}
	fmt.Fprintf(&yaml, "  - {id: z, needs: [%s], run: {exec: [x]}}\n", strings.Join(names, ", "))
	s := newStory()
	s.add(events.RunStarted{Run: "r-1", Name: "wide", Text: yaml.String()})
	g := s.Graph("r-1")
	if len(g.Nodes) != 3 || g.Nodes[1].Count != 1000 || len(g.Edges) != 2 || g.Columns != 3 {
		t.Errorf("the graph has %d nodes, %d edges in %d columns", len(g.Nodes), len(g.Edges), g.Columns)
	}
	w := s.Window(Ask{Run: "r-1", From: 500, Count: 1}, noon)
	if w.Total != 1002 || w.Lanes != 3 || lanes(w.Rows[0].Lane) != "||o" {
		t.Errorf("%d rows in %d lanes, the middle one %q", w.Total, w.Lanes, lanes(w.Rows[0].Lane))
	}
	last := s.Window(Ask{Run: "r-1", From: 1001, Count: 1}, noon)
	if got := last.Rows[0].Lane; got.Dot != 1 || len(got.Through) != 0 {
		t.Errorf("the join stands at %+v", got)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	s := whole()
	for place := 1; place <= s.Commits(); place++ {
		c, at := s.At(place)
		if at != place || s.Place(c.Sequence) != place || s.Place(c.Sequence+1) != place {
			t.Errorf("commit %d stands at %d", place, s.Place(c.Sequence))
		}
	}
	if _, at := s.At(0); at != s.Commits() {
		t.Errorf("the last commit stands at %d", at)
	}
}

// TestAForkHoldsNothingBack: the time between the past and the fork is nobody's wait.
func TestAForkHoldsNothingBack(t *testing.T) {
	t.Parallel()
	s := trip()
	s.after(3600).add(events.SessionForked{From: "another", Call: "r-1/book"}, events.RunResumed{Run: "r-1"})
	s.after(1).add(open("book"))
	s.after(1).add(start("book", 1))
	book := s.Window(Ask{Run: "r-1", Only: "r-1/book"}, s.now).Rows[0]
	if first := book.Bars[len(book.Bars)-2]; first.Kind != Queue || first.To.Sub(first.From) != time.Second {
		t.Errorf("in the fork it first had %s for %s", first.Kind, first.To.Sub(first.From))
	}
	if held := s.Window(Ask{Run: "r-1", Only: "r-1/left"}, s.now).Rows[0]; held.Status != "ok" {
		t.Errorf("what was done in the past is %s", held.Status)
	}
}
