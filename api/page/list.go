package page

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// perPage is how many lines a list shows at once.
const perPage = 100

// filter narrows a list down. It stands in the address, so it can be kept and handed on.
type filter struct {
	Status, Find, Since, Sort, Skill string
	Start                            int
}

// spans are the times that a list can be narrowed to.
var spans = map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour}

func filterOf(q url.Values) filter {
	return filter{Status: q.Get("status"), Find: q.Get("q"), Since: q.Get("since"), Sort: q.Get("sort"), Skill: q.Get("skill"), Start: number(q.Get("start"))}
}

func (f filter) since(now time.Time) time.Time {
	if span, ok := spans[f.Since]; ok {
		return now.Add(-span)
	}
	return time.Time{}
}

// chip is a choice of a filter, with how much it would leave.
type chip struct {
	Value, Name string
	Count       int
	On          bool
}

func chips(order []string, counts map[string]int, chosen string) []chip {
	all := 0
	for _, n := range counts {
		all += n
	}
	out := []chip{{Name: "all", Count: all, On: chosen == ""}}
	for _, status := range order {
		if counts[status] > 0 || chosen == status {
			out = append(out, chip{status, status, counts[status], chosen == status})
		}
	}
	return out
}

// runsPage is the list of runs.
type runsPage struct {
	base
	filter
	Now   time.Time
	Rows  []runLine
	Total int
	Any   bool // there are runs at all
	Chips []chip
	Spans []string
	Next  int
	Prev  int
	Notes []note
}

// Orders lists how runs can be sorted, besides the newest first.
func (runsPage) Orders() []string { return []string{"oldest", "longest", "cost", "name"} }

type runLine struct {
	projections.RunRow
	Goal   string
	Forked bool
	Took   time.Duration
}

// note says what became of one line that was acted on.
type note struct {
	Run, Text string
	Failed    bool
}

func (p *page) runs(r *request) error {
	data, err := p.listRuns(r)
	if err != nil {
		return err
	}
	return r.render("runs", data)
}

func (p *page) listRuns(r *request) (runsPage, error) {
	r.Page = "runs"
	data := runsPage{filter: filterOf(r.URL.Query()), Now: p.Now(), Spans: []string{"1h", "24h", "7d", "30d"}}
	rows, err := ask[[]projections.RunRow](r, "run.list", "", engine.ListAsk{Since: data.since(data.Now)})
	if err != nil {
		return data, err
	}
	list, err := ask[[]projections.SessionRow](r, "session.list", "", engine.None{})
	if err != nil {
		return data, err
	}
	goals := map[string]projections.SessionRow{}
	for _, s := range list {
		goals[s.ID] = s
	}
	data.Any = len(rows) > 0 || data.Since != ""
	counts := map[string]int{}
	find := strings.ToLower(data.Find)
	var kept []runLine
	for _, row := range rows {
		line := runLine{RunRow: row, Goal: goals[row.Session].Goal, Forked: goals[row.Session].First > row.First, Took: row.EndedAt.Sub(row.StartedAt)}
		if row.EndedAt.IsZero() {
			line.Took = data.Now.Sub(row.StartedAt)
		}
		if !line.matches(find, strings.ToLower(data.Skill)) {
			continue
		}
		counts[row.Status]++
		if data.Status == "" || row.Status == data.Status {
			kept = append(kept, line)
		}
	}
	sortRuns(kept, data.Sort)
	data.Total = len(kept)
	data.Chips = chips([]string{"running", "waiting", "failed", "completed", "cancelled"}, counts, data.Status)
	data.Rows, data.Prev, data.Next = paged(kept, data.Start)
	data.base = r.withInbox()
	return data, nil
}

// matches says whether a text stands in what a run is called, and uses a skill of that name.
func (l *runLine) matches(find, skill string) bool {
	text := strings.ToLower(strings.Join([]string{l.Name, l.ID, l.Session, l.Goal}, "\n"))
	return strings.Contains(text, find) && strings.Contains(strings.ToLower(strings.Join(l.Skills, "\n")), skill)
}

func sortRuns(rows []runLine, by string) {
	switch by {
	case "name":
		slices.SortStableFunc(rows, func(a, b runLine) int { return strings.Compare(a.Name, b.Name) })
	case "longest":
		slices.SortStableFunc(rows, func(a, b runLine) int { return cmp.Compare(b.Took, a.Took) })
	case "cost":
		slices.SortStableFunc(rows, func(a, b runLine) int { return cmp.Or(cmp.Compare(b.USD, a.USD), cmp.Compare(b.Tokens, a.Tokens)) })
	case "oldest":
		slices.SortStableFunc(rows, func(a, b runLine) int { return a.StartedAt.Compare(b.StartedAt) })
	}
}

// paged cuts one page out of a list; prev and next are where others begin, -1: there is none.
func paged[T any](rows []T, start int) (out []T, prev, next int) {
	start = max(0, min(start, len(rows)))
	prev, next = -1, -1
	if start > 0 {
		prev = max(0, start-perPage)
	}
	if start+perPage < len(rows) {
		next = start + perPage
	}
	return rows[start:min(start+perPage, len(rows))], prev, next
}

// bulk does one thing to several runs and says what became of each.
func (p *page) bulk(r *request) error {
	if err := r.ParseForm(); err != nil {
		return sessions.Refuse(sessions.Usage, "bad_form", "go back and try again", "the form cannot be read: %v", err)
	}
	var notes []note
	for _, id := range r.PostForm["run"][:min(len(r.PostForm["run"]), perPage)] {
		session, run, ok := strings.Cut(id, " ")
		if !ok {
			continue
		}
		var c workflows.Command = workflows.Cancel{Run: run, By: r.User}
		if r.PostFormValue("action") == "retry" {
			c = workflows.ResumeRun{Run: run, By: r.User}
		}
		n := note{Run: run}
		if _, err := r.do(session, c); err != nil {
			var refusal *sessions.Refusal
			if !errors.As(err, &refusal) {
				return err
			}
			n.Failed, n.Text = true, refusal.Message
		}
		notes = append(notes, n)
	}
	back := r.back("/runs")
	if !slices.ContainsFunc(notes, func(n note) bool { return n.Failed }) {
		return r.redirect(back)
	}
	u, _ := url.Parse(back) // it was parsed before, see local
	r.URL.RawQuery, r.query = u.RawQuery, u.Query()
	data, err := p.listRuns(r)
	if err != nil {
		return err
	}
	data.Notes = notes
	return r.render("runs", data)
}

// sessionsPage is the list of sessions.
type sessionsPage struct {
	base
	filter
	Now   time.Time
	Rows  []projections.SessionRow
	Total int
	Any   bool
	Chips []chip
	Spans []string
	Next  int
	Prev  int
}

func (p *page) sessions(r *request) error {
	r.Page = "sessions"
	data := sessionsPage{filter: filterOf(r.URL.Query()), Now: p.Now(), Spans: []string{"1h", "24h", "7d", "30d"}}
	rows, err := ask[[]projections.SessionRow](r, "session.list", "", engine.None{})
	if err != nil {
		return err
	}
	data.Any = len(rows) > 0
	counts := map[string]int{}
	since, find := data.since(data.Now), strings.ToLower(data.Find)
	var kept []projections.SessionRow
	for _, row := range rows {
		text := strings.ToLower(strings.Join([]string{row.Goal, row.ID, row.Workspace, row.Skill}, "\n"))
		if row.StartedAt.Before(since) || find != "" && !strings.Contains(text, find) {
			continue
		}
		counts[row.Status]++
		if data.Status == "" || row.Status == data.Status {
			kept = append(kept, row)
		}
	}
	data.Total = len(kept)
	data.Chips = chips([]string{"active", "ended"}, counts, data.Status)
	data.Rows, data.Prev, data.Next = paged(kept, data.Start)
	data.base = r.withInbox()
	return r.render("sessions", data)
}
