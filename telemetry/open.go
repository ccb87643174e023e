package telemetry

import "github.com/prometheus/client_golang/prometheus"

// State is what stands open, and what was counted elsewhere, at one moment.
type State struct {
	Queued map[string]int // calls that wait for a worker, by queue
	Held   map[string]int // calls that a worker has, by queue

	Approvals, Timers, Slots, Busy int

	Conflicts, Duplicates, Redeliveries, Found, Flushes, Unreadable int64
	Sequence                                                        uint64
}

// open collects a State whenever somebody looks.
type open struct {
	state   func() State
	version string
}

// describe names one number that is collected.
func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("baton_"+name, help, labels, nil)
}

var (
	descQueued = describe("queue_depth", "Calls that wait for a worker.", "queue")
	descHeld   = describe("queue_held", "Calls that a worker has.", "queue")
	descInfo   = describe("build_info", "The version that runs.", "version")
)

// numbers are those of a State that need no label.
var numbers = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(State) float64
}{
	{describe("approvals_open", "Questions that nobody has answered."), prometheus.GaugeValue, func(s State) float64 { return float64(s.Approvals) }},
	{describe("timers_set", "Timers that have neither fired nor been voided."), prometheus.GaugeValue, func(s State) float64 { return float64(s.Timers) }},
	{describe("worker_slots", "Attempts that this process can run at once."), prometheus.GaugeValue, func(s State) float64 { return float64(s.Slots) }},
	{describe("worker_busy", "Attempts that this process runs."), prometheus.GaugeValue, func(s State) float64 { return float64(s.Busy) }},
	{describe("log_sequence", "The last commit of the log that was folded."), prometheus.GaugeValue, func(s State) float64 { return float64(s.Sequence) }},
	{describe("unreadable_commits", "Commits that could not be read."), prometheus.GaugeValue, func(s State) float64 { return float64(s.Unreadable) }},
	{describe("conflicts_total", "Appends that another process's commit came before."), prometheus.CounterValue, func(s State) float64 { return float64(s.Conflicts) }},
	{describe("duplicates_refused_total", "Commands under a known request id, and results of attempts that are no longer current."), prometheus.CounterValue, func(s State) float64 { return float64(s.Duplicates) }},
	{describe("redeliveries_total", "Wake-ups that were delivered to a worker of this process more than once."), prometheus.CounterValue, func(s State) float64 { return float64(s.Redeliveries) }},
	{describe("flushes_total", "Flushes of the embedded server's store to disk."), prometheus.CounterValue, func(s State) float64 { return float64(s.Flushes) }},
	{describe("reconciler_finds_total", "Calls and timers that stood still and were woken."), prometheus.CounterValue, func(s State) float64 { return float64(s.Found) }},
}

// Describe names what is collected.
func (o *open) Describe(to chan<- *prometheus.Desc) {
	to <- descQueued
	to <- descHeld
	to <- descInfo
	for _, n := range numbers {
		to <- n.desc
	}
}

// Collect asks for the state.
func (o *open) Collect(to chan<- prometheus.Metric) {
	s := o.state()
	to <- prometheus.MustNewConstMetric(descInfo, prometheus.GaugeValue, 1, o.version)
	for queue, n := range s.Queued {
		to <- prometheus.MustNewConstMetric(descQueued, prometheus.GaugeValue, float64(n), queue)
	}
	for queue, n := range s.Held {
		to <- prometheus.MustNewConstMetric(descHeld, prometheus.GaugeValue, float64(n), queue)
	}
	for _, n := range numbers {
		to <- prometheus.MustNewConstMetric(n.desc, n.kind, n.of(s))
	}
}
