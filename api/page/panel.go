package page

import (
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections/timeline"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// panel is the selected row: a call with all that is known of it, or a step that has none yet.
type panel struct {
	tracePage
	Row      timeline.Row
	Tab      string
	Call     *sessions.Row
	Envelope *sessions.Envelope
	Changes  []changeView
	Routes   []routeView
	Asked    []workflows.ApprovalView
	Bars     []stretch
	Progress []operation.Progress
	Facts    *factsView
	Why      *workflows.Reason
	Dead     bool
	Step     string // as commands name it
	Plan     string // the step of the template, as it is written
	Forkable bool
}

// stretch is one bar in words.
type stretch struct {
	timeline.Bar
	Took time.Duration
}

// changeView is what a call made of a context key, line by line.
type changeView struct {
	engine.Change
	Lines []diffLine
}

// Tabs lists the ways of looking at a call.
func (panel) Tabs() []string {
	return []string{"call", "context", "decision", "attempts", "events", "fork"}
}

// panel reads what is known of the selected row.
func (p *page) panel(r *request, t tracePage, id string) (*panel, error) {
	v := &panel{tracePage: t, Tab: "call"}
	if slices.Contains(v.Tabs(), r.Query("tab")) {
		v.Tab = r.Query("tab")
	}
	found := t.rowsAsk(0, 0)
	found.Only = id
	w, err := ask[timeline.Window](r, "timeline", t.Session, found)
	if err != nil {
		return nil, err
	}
	if len(w.Rows) == 0 {
		return nil, nil // it was in the address, and is not in this state
	}
	v.Row = w.Rows[0]
	v.Step = stepOf(v.Row.ID, v.Row.Run)
	for _, b := range v.Row.Bars {
		s := stretch{Bar: b, Took: t.Scale.Now.Sub(b.From)}
		if !b.To.IsZero() {
			s.Took = b.To.Sub(b.From)
		}
		if b.Kind == timeline.Queue && s.Took < time.Millisecond && len(v.Row.Bars) > 1 {
			continue // it did not wait
		}
		v.Bars = append(v.Bars, s)
	}
	if v.Row.Call != "" {
		if err := p.callOf(r, v); err != nil {
			return nil, err
		}
	}
	if v.Tab == "events" {
		if v.Facts, err = p.factsOf(r, t, engine.FactsAsk{Row: id, Until: t.Place, Count: 200}); err != nil {
			return nil, err
		}
	}
	return v, p.whyRow(r, v)
}

// callOf reads the call as it was at the place that is looked at.
func (p *page) callOf(r *request, v *panel) error {
	q := engine.CallAsk{Call: v.Row.Call}
	got, err := p.readings(r, v.tracePage, read("call.show", q), read("call.envelope", q), read("call.changes", q), read("call.routes", q), read("run.approvals", engine.RunAsk{Run: v.Row.Run}))
	if err != nil {
		return err
	}
	if v.Call, err = told[*sessions.Row](got[0]); err != nil {
		return err
	}
	if v.Envelope, err = told[*sessions.Envelope](got[1]); err != nil {
		return err
	}
	changes, err := told[[]engine.Change](got[2])
	if err != nil {
		return err
	}
	for _, c := range changes {
		v.Changes = append(v.Changes, changeView{c, diff(pretty(c.Before), pretty(c.After))})
	}
	routes, err := told[[]sessions.Route](got[3])
	if err != nil {
		return err
	}
	v.Routes = routesOf(routes)
	asked, err := told[[]workflows.ApprovalView](got[4])
	if err != nil && v.Row.Run != "" {
		return err
	}
	for _, a := range asked {
		if a.CallID == v.Row.Call {
			v.Asked = append(v.Asked, a)
		}
	}
	v.Forkable = v.Row.Kind != timeline.OfProbe && v.Row.Kind != timeline.OfCompensate
	if v.Call.ClosedAt != nil || v.Past() {
		return nil
	}
	live, err := ask[operation.CallShown](r, "call.show", v.Session, q)
	v.Progress = live.Progress
	return err
}

// whyRow says why a row is not done, and whether it is a dead letter.
func (p *page) whyRow(r *request, v *panel) error {
	if v.Row.Run == "" || v.Past() {
		return nil
	}
	run, _, _ := strings.Cut(v.Row.Run, "/")
	why, err := ask[workflows.Why](r, "run.why", v.Session, engine.RunAsk{Run: run})
	if err != nil {
		return err
	}
	for _, reason := range why.Reasons {
		if reason.Step == v.Row.Step {
			v.Why = &reason
			break
		}
	}
	if v.Row.Status != "failed" || v.Row.Step == "" {
		return nil
	}
	dead, err := ask[[]workflows.DeadLetter](r, "run.dead", "", engine.RunAsk{Run: v.Row.Run})
	v.Dead = slices.ContainsFunc(dead, func(d workflows.DeadLetter) bool {
		return d.Session == v.Session && d.Run == v.Row.Run && d.Step == v.Row.Step
	})
	return err
}

// Asks says whether the question is still open.
func (v panel) Asks(a workflows.ApprovalView) bool {
	return !a.Decided && v.Row.Status == "waiting" && v.Row.Waits == timeline.Approval && !v.Past()
}

// routeView is a decision with what it rested on.
type routeView struct {
	sessions.Route
	Candidates []candidateView
	Bar        string // where the threshold lies
	Threshold  float64
}

// candidateView is one that was weighed; its score as a share of the scale.
type candidateView struct {
	events.Candidate
	Share  string
	Chosen bool
}

func routesOf(routes []sessions.Route) []routeView {
	var out []routeView
	for _, route := range routes {
		v := routeView{Route: route}
		if d := route.Decided; d != nil {
			most := max(d.Threshold, 0.001)
			for _, c := range d.Candidates {
				most = max(most, c.Score)
			}
			for _, c := range d.Candidates {
				v.Candidates = append(v.Candidates, candidateView{c, percent(c.Score, most*1.05), c.Name == d.Chosen})
			}
			v.Bar, v.Threshold = percent(d.Threshold, most*1.05), d.Threshold
		}
		out = append(out, v)
	}
	return out
}

// decisions reads every route and hand-over of the session.
func (p *page) decisions(r *request, t tracePage) ([]routeView, []sessions.Switch, error) {
	got, err := p.readings(r, t, read("route.list", engine.None{}), read("switch.list", engine.None{}))
	if err != nil {
		return nil, nil, err
	}
	routes, err := told[[]sessions.Route](got[0])
	if err != nil {
		return nil, nil, err
	}
	if t.Run != "" {
		routes = slices.DeleteFunc(routes, func(r sessions.Route) bool { return r.Decided == nil || r.Decided.Run != t.Run })
	}
	switches, err := told[[]sessions.Switch](got[1])
	return routesOf(routes), switches, err
}

// mostKeys bounds how many context keys one page shows.
const mostKeys = 200

// keys reads the context as it was at the place that is looked at.
func (p *page) keys(r *request, t tracePage) (engine.Some, error) {
	got, err := p.readings(r, t, read("context.some", engine.SomeAsk{Find: r.Query("find"), Count: mostKeys}))
	if err != nil {
		return engine.Some{}, err
	}
	return told[engine.Some](got[0])
}
