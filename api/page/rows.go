package page

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/batonflow/baton/projections/timeline"
)

// chunkRows is how many rows are drawn together. Chunks out of sight are empty, so that a run of ten
// thousand steps costs the browser no more than one of a hundred.
const chunkRows = 40

// chunk is a stretch of rows; only the first is drawn with the page.
type chunk struct {
	From, Count int
	Rows        []rowView
}

func chunksOf(w timeline.Window) []chunk {
	var out []chunk
	for from := 0; from < w.Total; from += chunkRows {
		out = append(out, chunk{From: from, Count: min(chunkRows, w.Total-from)})
	}
	return out
}

// scale maps times to places on the axis: all of it, or the part that was zoomed into.
type scale struct {
	Start    time.Time
	From, To time.Duration // since Start
	Whole    time.Duration
	Now      time.Time
	Ticks    []tickView
	Load     string // the path of the overview
	Zoomed   bool
	Left     string // where the zoomed part begins in the overview, and how wide it is
	Width    string
}

type tickView struct{ X, Label, Anchor string }

const mostTicks = 6

// breath is the share of the axis that stays free behind the end, for what is written there.
const breath = 0.02

func scaleOf(b base, w timeline.Window, now time.Time) scale {
	s := scale{Start: w.Start, Whole: max(w.End.Sub(w.Start), time.Millisecond), Now: now}
	if !w.Open || w.Place < w.Commits || now.Before(w.End) {
		s.Now = w.End
	}
	s.To = s.Whole + time.Duration(breath*float64(s.Whole))
	from, to := number(b.Query("t0")), number(b.Query("t1"))
	if to > from {
		s.From, s.To, s.Zoomed = time.Duration(from)*time.Millisecond, time.Duration(to)*time.Millisecond, true
	}
	for _, tick := range timeline.Ticks(s.From, s.To, mostTicks) {
		anchor := "middle"
		if tick.At == s.From {
			anchor = "start"
		}
		s.Ticks = append(s.Ticks, tickView{s.at(tick.At), tick.Label, anchor})
	}
	s.Left = percent(float64(s.From), float64(s.Whole)*(1+breath))
	s.Width = percent(float64(s.To-s.From), float64(s.Whole)*(1+breath))
	s.Load = loadPath(w)
	return s
}

// share is where an offset lies on the axis, from 0 to 1.
func (s scale) share(at time.Duration) float64 {
	return max(0, min(1, float64(at-s.From)/float64(s.To-s.From)))
}

func (s scale) at(d time.Duration) string { return percent(s.share(d), 1) }

// loadPath draws how much worked at once, on a field of 1000 by 100.
func loadPath(w timeline.Window) string {
	if w.Most == 0 || len(w.Load) == 0 {
		return ""
	}
	most := 0.0
	for _, n := range w.Load {
		most = max(most, n)
	}
	var d strings.Builder
	d.WriteString("M0 100")
	part := 1000 / (1 + breath) / float64(len(w.Load))
	for i, n := range w.Load {
		y := 100 - 88*n/max(most, 0.001)
		fmt.Fprintf(&d, "L%.1f %.1fL%.1f %.1f", float64(i)*part, y, float64(i+1)*part, y)
	}
	fmt.Fprintf(&d, "L%.1f 100Z", 1000/(1+breath))
	return d.String()
}

// rowView is a row as it is drawn.
type rowView struct {
	timeline.Row
	Index    int
	Selected bool
	Bars     []barView
	Text     string // beside the bars
	X        string // where it stands
	Anchor   string
	Inside   bool
	Steps    []int // depth, for indentation
	Lines    *laneView
	Newest   bool
}

type barView struct {
	Class, X, Width, Fill, Title string
	Open                         bool
}

// laneView is the gutter of a row: lines of its run's branches.
type laneView struct {
	Width int
	Paths []string
	Dot   int // its x; -1: none
}

const (
	laneWidth = 12
	rowHeight = 36 // as the style sheet has it
)

func rowsOf(t tracePage, w timeline.Window, say func(string, ...any) string) []rowView {
	out := make([]rowView, len(w.Rows))
	for i, row := range w.Rows {
		v := rowView{Row: row, Index: w.From + i, Selected: row.ID == t.Query("row"), Newest: w.From+i == w.Newest, Steps: make([]int, row.Depth)}
		if row.Lane != nil {
			v.Lines = lanesOf(*row.Lane, w.Lanes)
		}
		for _, b := range row.Bars {
			if bar, seen := barOf(b, t.Scale, say); seen {
				v.Bars = append(v.Bars, bar)
			}
		}
		v.label(t, say)
		out[i] = v
	}
	return out
}

// fills are the patterns of bars that are not plain.
var fills = map[timeline.Kind]string{timeline.Limit: "url(#hatch)", timeline.Backoff: "url(#dots)"}

func barOf(b timeline.Bar, s scale, say func(string, ...any) string) (barView, bool) {
	from, to := b.From.Sub(s.Start), s.Now.Sub(s.Start)
	if !b.To.IsZero() {
		to = b.To.Sub(s.Start)
	}
	if to < s.From || from > s.To {
		return barView{}, false
	}
	x, end := s.share(from), s.share(to)
	v := barView{Class: "bar " + string(b.Kind), X: percent(x, 1), Width: percent(max(end-x, 0.0015), 1), Fill: fills[b.Kind], Open: b.To.IsZero()}
	if b.Outcome != "" {
		v.Class += " " + b.Outcome
	}
	if v.Open {
		v.Class += " open"
	}
	if b.Outcome == "lost" {
		v.Fill = "url(#lost)"
	}
	v.Title = barTitle(b, to-from, say)
	return v, true
}

func barTitle(b timeline.Bar, took time.Duration, say func(string, ...any) string) string {
	parts := []string{say("bar." + string(b.Kind))}
	if b.Kind == timeline.Work && b.Attempt > 0 {
		parts = append(parts, say("attempt %d", b.Attempt))
	}
	if b.Outcome != "" {
		parts = append(parts, say(b.Outcome))
	}
	parts = append(parts, timeline.Short(took), b.From.Format("15:04:05.000"))
	if b.Worker != "" {
		parts = append(parts, b.Worker)
	}
	if b.Error != "" {
		parts = append(parts, cut(b.Error, 160))
	}
	return strings.Join(parts, " · ")
}

// label says beside the bars how long it took, which attempt it is and what went wrong; it stands where
// there is room.
func (v *rowView) label(t tracePage, say func(string, ...any) string) {
	var parts []string
	s := t.Scale
	end := v.To
	switch {
	case v.From.IsZero():
	case v.Status == "skipped" && len(v.Bars) == 0, v.Status == "failed" && len(v.Bars) == 0:
		parts = append(parts, say(v.Status))
	case end.IsZero():
		end = s.Now
		parts = append(parts, timeline.Short(max(end.Sub(v.From), 0).Round(time.Millisecond)))
	default:
		parts = append(parts, v.took(end, say)...)
	}
	if v.Waits != "" {
		parts = append(parts, say("bar."+string(v.Waits)))
	}
	if v.Attempt > 1 || v.Status == "backoff" {
		text := say("attempt %d", v.Attempt)
		if v.Attempts > 0 {
			text = say("attempt %d of %d", v.Attempt, v.Attempts)
		}
		parts = append(parts, text)
	}
	if v.Error != "" && v.Status != "ok" {
		parts = append(parts, cut(v.Error, 60))
	}
	if v.Total > 0 && v.Kind == timeline.OfList {
		parts = append(parts, say("%d of %d", v.Done, v.Total))
	}
	if v.Reason != "" && v.Status == "skipped" {
		parts = append(parts, cut(v.Reason, 60))
	}
	v.Text = strings.Join(parts, " · ")
	v.stand(s.share(cmp.Or(v.From, s.Start).Sub(s.Start)), s.share(cmp.Or(end, cmp.Or(v.From, s.Start)).Sub(s.Start)))
}

// took says how long a row worked and, where that is worth saying, how long it waited.
func (v *rowView) took(end time.Time, say func(string, ...any) string) []string {
	var work time.Duration
	for _, b := range v.Row.Bars {
		if b.Kind == timeline.Work && !b.To.IsZero() {
			work += b.To.Sub(b.From)
		}
	}
	whole := end.Sub(v.From)
	if wait := whole - work; work > 0 && wait > work && wait > 20*time.Millisecond && v.Attempt < 2 {
		return []string{timeline.Short(work), say("waited %s", timeline.Short(wait))}
	}
	return []string{timeline.Short(whole)}
}

// letter is roughly the share of the axis that a letter takes on a wide screen.
const letter = 0.0085

func (v *rowView) stand(from, to float64) {
	room := float64(len([]rune(v.Text))) * letter
	switch {
	case to+room < 1 || to < 0.5:
		v.X, v.Anchor = percent(to, 1), "start"
	case from-room > 0 || from > 0.4:
		v.X, v.Anchor = percent(from, 1), "end"
	default:
		v.X, v.Anchor, v.Inside = percent(to, 1), "end", true
	}
}

// lanesOf draws the lines that pass by a row.
func lanesOf(l timeline.Lane, width int) *laneView {
	x := func(lane int) int { return laneWidth/2 + lane*laneWidth }
	v := &laneView{Width: width * laneWidth, Dot: -1}
	mid := rowHeight / 2
	for _, lane := range l.Through {
		v.Paths = append(v.Paths, fmt.Sprintf("M%d 0V%d", x(lane), rowHeight))
	}
	if l.Dot < 0 {
		return v
	}
	v.Dot = x(l.Dot)
	for _, lane := range l.In {
		v.Paths = append(v.Paths, fmt.Sprintf("M%d 0C%d %d %d %d %d %d", x(lane), x(lane), mid/2, v.Dot, mid/2, v.Dot, mid))
	}
	for _, lane := range l.Out {
		v.Paths = append(v.Paths, fmt.Sprintf("M%d %dC%d %d %d %d %d %d", v.Dot, mid, v.Dot, mid+mid/2, x(lane), mid+mid/2, x(lane), rowHeight))
	}
	return v
}

// rowsPage is one chunk of rows.
type rowsPage struct {
	tracePage
	Rows []rowView
}

// rows answers with some rows, for a chunk that has come into sight.
func (p *page) rows(r *request) error {
	t := tracePage{base: r.base, Session: r.PathValue("session"), Run: r.Query("run"), Place: number(r.Query("at")), Now: p.Now().UTC()}
	w, err := ask[timeline.Window](r, "timeline", t.Session, t.rowsAsk(number(r.Query("from")), chunkRows))
	if err != nil {
		return err
	}
	t.W, t.Path = w, "/s/"+t.Session
	t.query.Del("from")
	t.Scale = scaleOf(t.base, w, t.Now)
	r.w.Header().Set("Baton-Total", strconv.Itoa(w.Total))
	r.Header.Del("Baton-Part")
	return r.render("rows", rowsPage{t, rowsOf(t, w, r.say)})
}

func (r *request) say(text string, args ...any) string { return translate(r.Lang, text, args...) }
