package page

import (
	"encoding/json"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections/timeline"
	"github.com/batonflow/baton/sessions"
)

// comparePage is one run in two sessions, side by side: what a fork made of it.
type comparePage struct {
	base
	Run    string
	Sides  [2]side
	Rows   []pair
	Shown  int
	Total  int
	Parted string // the call at which the two part
}

type side struct {
	Session string
	W       timeline.Window
}

// pair is a step in both, either of which may lack it.
type pair struct {
	ID, Name string
	Depth    int
	Sides    [2]half
	Differs  bool
	Lines    []diffLine // of the values, where they differ
}

// half is a step on one side: its row, and how long it took beside the longest of both.
type half struct {
	There bool
	Row   timeline.Row
	Width string
	Took  string
}

// mostCompared bounds how many steps are laid side by side, and mostOpened of how many the values are
// compared.
const (
	mostCompared = 500
	mostOpened   = 40
)

func (p *page) compare(r *request) error {
	r.Page = "runs"
	data := comparePage{Run: r.Query("run"), Sides: [2]side{{Session: r.Query("a")}, {Session: r.Query("b")}}}
	data.base = r.withInbox()
	for i := range data.Sides {
		w, err := ask[timeline.Window](r, "timeline", data.Sides[i].Session, engine.TimelineAsk{Ask: timeline.Ask{Run: data.Run, Count: mostCompared}})
		if err != nil {
			return err
		}
		data.Sides[i].W = w
		if w.Head.From == data.Sides[1-i].Session {
			data.Parted = w.Head.At
		}
		data.Total = max(data.Total, w.Total)
	}
	data.Rows = pairs(data.Sides)
	data.Shown = len(data.Rows)
	opened := 0
	for i := range data.Rows {
		if row := &data.Rows[i]; row.Differs && opened < mostOpened {
			opened++
			if err := p.values(r, data, row); err != nil {
				return err
			}
		}
	}
	return r.render("compare", data)
}

// pairs lays the rows of two sides beside one another.
func pairs(sides [2]side) []pair {
	at := map[string]int{}
	var out []pair
	longest := time.Millisecond
	for _, s := range sides {
		for _, row := range s.W.Rows {
			longest = max(longest, lasted(row, s.W))
		}
	}
	for i, s := range sides {
		for _, row := range s.W.Rows {
			n, ok := at[row.ID]
			if !ok {
				n = len(out)
				at[row.ID] = n
				out = append(out, pair{ID: row.ID, Name: row.Name, Depth: row.Depth})
			}
			out[n].Sides[i] = halfOf(row, s.W, longest)
		}
	}
	for i := range out {
		a, b := out[i].Sides[0], out[i].Sides[1]
		out[i].Differs = a.There != b.There || a.Row.Status != b.Row.Status || !a.Row.From.Equal(b.Row.From) || !a.Row.To.Equal(b.Row.To)
	}
	return out
}

// lasted is how long a row took, or has taken so far.
func lasted(row timeline.Row, w timeline.Window) time.Duration {
	switch {
	case row.From.IsZero():
		return 0
	case row.To.IsZero():
		return w.End.Sub(row.From)
	}
	return row.To.Sub(row.From)
}

func halfOf(row timeline.Row, w timeline.Window, longest time.Duration) half {
	h := half{There: true, Row: row, Width: "0%"}
	if took := lasted(row, w); took > 0 {
		h.Width, h.Took = percent(max(float64(took), 0.004*float64(longest)), float64(longest)), timeline.Short(took)
	}
	return h
}

// values compares what a step gave on both sides.
func (p *page) values(r *request, data comparePage, row *pair) error {
	var texts [2]string
	for i, s := range data.Sides {
		if row.Sides[i].Row.Call == "" {
			continue
		}
		call, err := ask[sessions.Row](r, "call.show", s.Session, engine.CallAsk{Call: row.Sides[i].Row.Call})
		if err != nil {
			return err
		}
		raw, err := json.Marshal(map[string]any{"inputs": call.Inputs, "outputs": call.Outputs, "value": call.Value})
		if err != nil {
			return err
		}
		texts[i] = pretty(raw)
	}
	if texts[0] != texts[1] {
		row.Lines = diff(texts[0], texts[1])
	}
	return nil
}
