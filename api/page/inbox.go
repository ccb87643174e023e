package page

import (
	"cmp"
	"slices"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/schedules"
	"github.com/batonflow/baton/workflows"
)

// inboxPage is what waits for a person: questions, and steps that failed for good.
type inboxPage struct {
	base
	Now    time.Time
	Asking []question
	Dead   []workflows.DeadLetter
}

// question is an approval with the run that asks it.
type question struct {
	workflows.ApprovalView
	Name string
}

// mostQuestions bounds how many questions are shown with all they are about.
const mostQuestions = 50

func (p *page) inbox(r *request) error {
	r.Page = "inbox"
	data := inboxPage{Now: p.Now()}
	waiting, err := r.waiting()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, a := range waiting {
		if seen[a.Session] || len(data.Asking) >= mostQuestions {
			continue
		}
		seen[a.Session] = true
		open, err := p.openOf(r, a.Session, waiting)
		if err != nil {
			return err
		}
		data.Asking = append(data.Asking, open...)
	}
	slices.SortStableFunc(data.Asking, func(a, b question) int { return a.AskedAt.Compare(b.AskedAt) })
	if data.Dead, err = ask[[]workflows.DeadLetter](r, "run.dead", "", engine.RunAsk{}); err != nil {
		return err
	}
	data.base = r.base
	return r.render("inbox", data)
}

// openOf reads the questions of a session that nobody has answered.
func (p *page) openOf(r *request, session string, open []projections.ApprovalRow) ([]question, error) {
	all, err := ask[[]workflows.ApprovalView](r, "run.approvals", session, engine.RunAsk{})
	if err != nil {
		return nil, err
	}
	var out []question
	for _, a := range all {
		if slices.ContainsFunc(open, func(o projections.ApprovalRow) bool { return o.Session == session && o.Approval == a.Approval }) {
			out = append(out, question{ApprovalView: a})
		}
	}
	return out, nil
}

// systemPage is what the server is and does.
type systemPage struct {
	base
	Now       time.Time
	Info      serverInfo
	Work      engine.Workload
	Schedules []schedules.Row
	Live      string
}

// serverInfo is what a server says of itself, as far as the page shows it.
type serverInfo struct {
	PID          int       `json:"pid"`
	Process      string    `json:"process"`
	URL          string    `json:"url"`
	HTTP         string    `json:"http"`
	Version      string    `json:"version"`
	Started      time.Time `json:"started"`
	Home         string    `json:"home"`
	Durability   string    `json:"durability"`
	Installation string    `json:"installation"`
	Uptime       float64   `json:"uptime"`
	Go           string    `json:"go"`
	NATSServer   string    `json:"nats_server"`
	Queues       []string  `json:"queues"`
	Workers      int       `json:"workers"`
	Running      int       `json:"running"`
	Busy         bool      `json:"busy"`
}

// Up is how long the server has been running.
func (i serverInfo) Up() time.Duration {
	return time.Duration(i.Uptime * float64(time.Second)).Truncate(time.Second)
}

func (p *page) system(r *request) error {
	r.Page = "system"
	data := systemPage{Now: p.Now(), Live: "/live"}
	var err error
	if data.Info, err = ask[serverInfo](r, "server", "", engine.None{}); err != nil {
		return err
	}
	if data.Work, err = ask[engine.Workload](r, "work", "", engine.None{}); err != nil {
		return err
	}
	for _, name := range data.Info.Queues {
		if !slices.ContainsFunc(data.Work.Queues, func(q engine.QueueRow) bool { return q.Queue == name }) {
			data.Work.Queues = append(data.Work.Queues, engine.QueueRow{Queue: name, Served: data.Info.Workers > 0})
		}
	}
	slices.SortFunc(data.Work.Queues, func(a, b engine.QueueRow) int { return cmp.Compare(a.Queue, b.Queue) })
	if data.Schedules, err = ask[[]schedules.Row](r, "schedule.list", "", engine.None{}); err != nil && !absent(err) {
		return err
	}
	r.waits(len(data.Work.Approvals))
	data.base = r.base
	return r.render("system", data)
}
