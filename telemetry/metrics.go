package telemetry

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// Metrics counts what happens while this process runs. What stands open it asks the index for, when
// somebody looks.
type Metrics struct {
	registry *prometheus.Registry
	commits  prometheus.Counter
	events   *prometheus.CounterVec
	attempts *prometheus.CounterVec
	runs     *prometheus.CounterVec
	took     map[string]prometheus.Histogram // by stage

	calls map[callKey]*timing
}

type callKey struct{ session, call string }

// timing is when a call that has not ended was opened, and its attempt begun.
type timing struct {
	opened  time.Time
	started time.Time
	follows bool // it was opened by the end of another attempt
}

// The stages of a call.
const (
	assignment = "assignment"
	execution  = "execution"
	transition = "transition"
)

var stages = []struct{ name, help string }{
	{assignment, "Seconds from a call's opening to the start of its first attempt by a worker."},
	{execution, "Seconds from the start of an attempt to its end."},
	{transition, "Seconds from the end of an attempt to the start of a call that was opened by it."},
}

// seconds are the bounds of the histograms: from a tenth of a millisecond to an hour.
var seconds = []float64{.0001, .0005, .001, .005, .01, .05, .1, .5, 1, 5, 15, 60, 300, 900, 3600}

// NewMetrics makes the numbers; state is asked for the rest at each look.
func NewMetrics(version string, state func() State) *Metrics {
	m := &Metrics{
		registry: prometheus.NewPedanticRegistry(),
		commits:  prometheus.NewCounter(prometheus.CounterOpts{Name: "baton_commits_total", Help: "Commits seen in the log."}),
		events:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "baton_events_total", Help: "Events seen in the log."}, []string{"type"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "baton_attempts_total", Help: "Attempts that ended."}, []string{"outcome"}),
		runs:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "baton_runs_total", Help: "Runs that ended."}, []string{"outcome"}),
		took:     map[string]prometheus.Histogram{},
		calls:    map[callKey]*timing{},
	}
	m.registry.MustRegister(m.commits, m.events, m.attempts, m.runs, &open{state, version}, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, stage := range stages {
		m.took[stage.name] = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "baton_" + stage.name + "_seconds", Help: stage.help, Buckets: seconds})
		m.registry.MustRegister(m.took[stage.name])
	}
	return m
}

// Handler answers Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true, MaxRequestsInFlight: 4})
}

// Seen counts a commit. One goroutine at a time calls it.
func (m *Metrics) Seen(rec stream.Record) {
	m.commits.Inc()
	ended := false // an attempt ended in this commit: what is opened in it follows from that
	for _, ev := range rec.Frame.Events {
		kind := ev.Type
		if _, unknown := ev.Data.(events.Unknown); unknown {
			kind = "unknown"
		}
		m.events.WithLabelValues(kind).Inc()
		switch d := ev.Data.(type) {
		case events.CallOpened:
			m.calls[callKey{rec.Frame.Session, d.Call}] = &timing{opened: ev.Time, follows: ended}
		case events.CallStarted:
			m.started(callKey{rec.Frame.Session, d.Call}, d, ev.Time)
		case events.CallClosed:
			ended = m.ended(callKey{rec.Frame.Session, d.Call}, d.Status, true, ev.Time) || ended
		case events.CallFailed:
			ended = m.ended(callKey{rec.Frame.Session, d.Call}, "failed", d.Final, ev.Time) || ended
		case events.CallLost:
			m.ended(callKey{rec.Frame.Session, d.Call}, "lost", d.Final, ev.Time)
		case events.CallCancelled:
			m.ended(callKey{rec.Frame.Session, d.Call}, "cancelled", true, ev.Time)
		case events.RunCompleted:
			m.runs.WithLabelValues("completed").Inc()
		case events.RunFailed:
			m.runs.WithLabelValues("failed").Inc()
		case events.RunCancelled:
			m.runs.WithLabelValues("cancelled").Inc()
		}
	}
}

func (m *Metrics) started(key callKey, d events.CallStarted, at time.Time) {
	t := m.calls[key]
	if t == nil { // opened before this process looked
		t = &timing{}
		m.calls[key] = t
	}
	t.started = at
	if t.opened.IsZero() || d.Worker == "" || d.Attempt > 1 {
		return
	}
	waited := at.Sub(t.opened).Seconds()
	m.took[assignment].Observe(waited)
	if t.follows {
		m.took[transition].Observe(waited)
	}
}

// ended says whether an attempt ended with it.
func (m *Metrics) ended(key callKey, outcome string, over bool, at time.Time) bool {
	t := m.calls[key]
	if over {
		delete(m.calls, key)
	}
	m.attempts.WithLabelValues(outcome).Inc()
	if t == nil || t.started.IsZero() {
		return false
	}
	m.took[execution].Observe(at.Sub(t.started).Seconds())
	t.started = time.Time{}
	return true
}
