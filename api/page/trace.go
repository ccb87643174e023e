package page

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/projections/timeline"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// tracePage is a session or a run: what it is, and one way of looking at it.
type tracePage struct {
	base
	Session  string
	Run      string
	View     string // timeline, graph, events, context, decisions
	Place    int    // 0: as it is now
	Now      time.Time
	W        timeline.Window
	Scale    scale
	Chunks   []chunk
	Chips    []chip
	Why      []workflows.Reason
	Asking   []workflows.ApprovalView // that wait for an answer
	Meters   []meter
	Panel    *panel
	Graph    *graphView
	Facts    *factsView
	Context  engine.Some
	Routes   []routeView
	Switches []sessions.Switch
	Live     string // where to hear of news; empty: nothing will come
	Forks    []projections.SessionRow
}

// views lists the ways of looking at a trace.
var views = []string{"timeline", "graph", "events", "context", "decisions"}

// Views lists them for the tabs.
func (t tracePage) Views() []string { return views }

// Title is what the page is about.
func (t tracePage) Title() string {
	if t.W.Run != nil {
		return t.W.Run.Name
	}
	if t.W.Head.Goal != "" {
		return t.W.Head.Goal
	}
	return shortID(t.Session)
}

// Status is where the run stands, or the session.
func (t tracePage) Status() string {
	if t.W.Run != nil {
		return t.W.Run.Status
	}
	return t.W.Head.Status
}

// Over says whether the run has ended.
func (t tracePage) Over() bool { return t.W.Run != nil && !t.W.Run.Ended.IsZero() }

// Past says whether an earlier state is looked at.
func (t tracePage) Past() bool { return t.Place > 0 && t.Place < t.W.Commits }

func (p *page) trace(r *request) error {
	part := r.Header.Get("Baton-Part")
	top := part == "" || part == "top" || part == "main"
	if top { // a session that has rested is folded twice: its rows and its state, side by side
		folded := make(chan struct{})
		go func() {
			defer close(folded)
			_, _ = p.Backend.Query(r.Context(), "session.show", r.PathValue("session"), engine.None{}) // who needs it asks again
		}()
		defer func() { <-folded }()
	}
	data, err := p.openTrace(r)
	if err != nil {
		return err
	}
	if top {
		if err := p.head(r, &data); err != nil {
			return err
		}
	}
	if part != "top" && part != "panel" && part != "axis" && part != "chips" {
		if err := p.look(r, &data); err != nil {
			return err
		}
	}
	if row := data.Query("row"); row != "" && (part == "" || part == "main" || part == "panel") {
		if data.Panel, err = p.panel(r, data, row); err != nil {
			return err
		}
	}
	if top {
		data.base = r.base // with what head heard of the inbox
	}
	return r.render("trace", data)
}

// openTrace reads what every part of the page rests on.
func (p *page) openTrace(r *request) (tracePage, error) {
	r.Page = "runs"
	t := tracePage{Session: r.PathValue("session"), Run: r.Query("run"), View: "timeline", Place: number(r.Query("at")), Now: p.Now().UTC()}
	if slices.Contains(views, r.Query("view")) {
		t.View = r.Query("view")
	}
	if t.Run == "" {
		r.Page = "sessions"
	}
	t.base = r.base
	w, err := ask[timeline.Window](r, "timeline", t.Session, t.rowsAsk(0, chunkRows))
	if err != nil {
		return t, err
	}
	t.W = w
	if t.Place > w.Commits {
		t.Place = 0
	}
	t.Scale = scaleOf(r.base, w, t.Now)
	t.Chips = chips([]string{"running", "queued", "waiting", "failed", "ok", "skipped", "cancelled", "pending"}, w.Counts, r.Query("show"))
	if !t.Past() && (w.Open || w.Head.Status == "active") {
		t.Live = "/live?session=" + t.Session + "&after=" + strconv.FormatUint(w.Head.Sequence, 10)
	}
	return t, nil
}

// rowsAsk asks for some rows as the address narrows them down.
func (t tracePage) rowsAsk(from, count int) engine.TimelineAsk {
	return engine.TimelineAsk{Place: t.Place, Ask: timeline.Ask{
		Run: t.Run, From: from, Count: count, Show: t.Query("show"), Find: t.Query("find"), Folded: t.query["fold"],
	}}
}

// head reads why the run is not done, what it asks and what it has used.
func (p *page) head(r *request, t *tracePage) error {
	answers, err := p.readings(r, *t, read("run.approvals", engine.RunAsk{Run: t.Run}))
	if err != nil {
		return err
	}
	var asked []workflows.ApprovalView
	if err := json.Unmarshal(answers[0].Value, &asked); len(answers[0].Value) > 0 && err != nil {
		return err
	}
	open := map[string]bool{}
	waiting, err := r.waiting()
	if err != nil {
		return err
	}
	for _, a := range waiting {
		open[a.Session+" "+a.Approval] = true
	}
	for _, a := range asked {
		if !a.Decided && open[t.Session+" "+a.Approval] {
			t.Asking = append(t.Asking, a)
		}
	}
	t.Meters = metersOf(*t)
	if t.Run == "" || t.Past() {
		return nil
	}
	why, err := ask[workflows.Why](r, "run.why", t.Session, engine.RunAsk{Run: t.Run})
	t.Why = why.Reasons
	if err != nil {
		return err
	}
	return p.forksOf(r, t)
}

// forksOf lists the sessions in which the run goes on another way.
func (p *page) forksOf(r *request, t *tracePage) error {
	rows, err := ask[[]projections.RunRow](r, "run.list", "", engine.ListAsk{})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.ID == t.Run && row.Session != t.Session {
			t.Forks = append(t.Forks, projections.SessionRow{ID: row.Session, StartedAt: row.StartedAt, Status: row.Status})
		}
	}
	return nil
}

// look reads what the chosen view shows.
func (p *page) look(r *request, t *tracePage) (err error) {
	switch t.View {
	case "timeline":
		t.Chunks = chunksOf(t.W)
	case "graph":
		t.Graph, err = p.graph(r, *t)
	case "events":
		t.Facts, err = p.facts(r, *t)
	case "context":
		t.Context, err = p.keys(r, *t)
	case "decisions":
		t.Routes, t.Switches, err = p.decisions(r, *t)
	}
	return err
}

// read is a question to be asked of the state at the place that is looked at.
func read(name string, data any) engine.Question {
	raw, _ := events.Marshal(data) // questions always encode
	return engine.Question{Name: name, Data: raw}
}

// readings asks them all of the same state.
func (p *page) readings(r *request, t tracePage, asks ...engine.Question) ([]engine.Told, error) {
	return ask[[]engine.Told](r, "past", t.Session, engine.PastAsk{Place: t.Place, Asks: asks})
}

// told decodes one answer; a refusal of it is the asker's.
func told[T any](a engine.Told) (T, error) {
	var out T
	if a.Refusal != nil {
		return out, a.Refusal
	}
	return out, json.Unmarshal(a.Value, &out)
}

// meter is one number of the strip, beside its limit where it has one.
type meter struct {
	Name, Value, Of string
	Part            float64 // of the limit; negative: none is set
	Limit           bool    // somebody is asked when it is used up
}

func metersOf(t tracePage) []meter {
	if t.W.Run == nil {
		return nil
	}
	run := t.W.Run
	limited := func(used, allowed float64) float64 {
		if allowed <= 0 {
			return -1
		}
		return used / allowed
	}
	m := []meter{{Name: "Steps", Value: grouped(run.Done), Of: grouped(run.Steps), Part: limited(float64(run.Done), float64(run.Steps))}}
	m = append(m, meter{Name: "Calls", Value: grouped(run.Calls), Part: -1})
	at := meter{Name: "At once", Value: grouped(run.Working), Part: limited(float64(run.Working), float64(run.Parallel))}
	if run.Parallel > 0 {
		at.Of = grouped(run.Parallel)
	}
	tokens := meter{Name: "Tokens", Value: grouped(run.Used.Tokens), Part: limited(float64(run.Used.Tokens), float64(run.Allowed.Tokens)), Limit: true}
	if run.Allowed.Tokens > 0 {
		tokens.Of = grouped(run.Allowed.Tokens)
	}
	money := meter{Name: "Cost", Value: "$" + strconv.FormatFloat(run.Used.USD, 'f', decimals(run.Used.USD), 64), Part: limited(run.Used.USD, run.Allowed.USD), Limit: true}
	if run.Allowed.USD > 0 {
		money.Of = "$" + strconv.FormatFloat(run.Allowed.USD, 'f', 2, 64)
	}
	return append(m, at, meter{Name: "Most at once", Value: grouped(t.W.Most), Part: -1}, tokens, money)
}

// number reads a number of the address; 0 for what is none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// permalink finds the session of a run and goes there.
func (p *page) permalink(r *request) error {
	row, err := ask[projections.RunRow](r, "run.find", "", engine.FindAsk{ID: r.PathValue("run")})
	if err != nil {
		return err
	}
	return r.redirect("/s/" + row.Session + "?run=" + row.ID)
}

// withInbox adds how much waits for somebody, where that can be heard.
func (r *request) withInbox() base {
	_, _ = r.waiting()
	return r.base
}

// waiting lists the questions that nobody has answered, and has the page say how many they are.
func (r *request) waiting() ([]projections.ApprovalRow, error) {
	open, err := ask[[]projections.ApprovalRow](r, "waiting", "", engine.None{})
	if err == nil {
		r.waits(len(open))
	}
	return open, err
}

// waits says how much waits for somebody; a part of a page says it beside itself.
func (r *request) waits(n int) {
	r.Waiting = n
	r.w.Header().Set("Baton-Waiting", strconv.Itoa(n))
}

// absent says whether an error is that something is not there.
func absent(err error) bool {
	var refusal *sessions.Refusal
	return errors.As(err, &refusal) && refusal.Kind == sessions.NotFound
}

// stepOf is the step's name in a row's id.
func stepOf(row, run string) string { return strings.TrimPrefix(row, run+"/") }
