// Package projections turns the log into what people and programs read: the trace of a session,
// the index of everything that is open, and the files of a run.
//
// Each projection is a fold over commits. It decides nothing, and it can be thrown away and folded
// again from the log at any time.
//
// Promises: the same commits give the same bytes, whatever the clock, the locale or the machine; a
// commit folded twice counts once; a fold cannot fail; an event that this binary does not know is
// skipped and counted. Text that came from outside is shown with its control characters escaped, so
// that nothing a person typed can forge a line.
//
// The package uses events and the standard library only. Adding a projection is a file and a line
// in [Projections].
package projections

import "github.com/batonflow/baton/events"

// Projection is what every read model can do. Fold takes the next commit with its sequence in the
// log; Skipped counts the events that were of no known type or version.
type Projection interface {
	Fold(sequence uint64, f events.Frame)
	Skipped() int
	Sequence() uint64
}

// Entry is one line of the table of projections.
type Entry struct {
	Name    string
	Session bool // folds the commits of one session; otherwise those of the whole log
	Shows   string
	New     func() Projection
}

// Projections lists every read model there is.
var Projections = []Entry{
	{"index", false, "sessions, runs, and the work that is open", func() Projection { return new(Index) }},
	{"pipeline", true, "pipeline_trace.json and one file a step", func() Projection { return new(Pipeline) }},
	{"spans", true, "spans for OpenTelemetry: runs, attempts, decisions", func() Projection { return new(Spans) }},
	{"trace", true, "the call tree with decisions, switches, context and times", func() Projection { return new(Trace) }},
}

// checkpoint is how far a projection has folded, and what it could not read on the way.
type checkpoint struct {
	sequence uint64
	skipped  int
}

// Sequence is that of the last commit folded; 0 before the first.
func (c *checkpoint) Sequence() uint64 { return c.sequence }

// Skipped counts the events of unknown type or version.
func (c *checkpoint) Skipped() int { return c.skipped }

// Pass moves on over a sequence at which no commit can be read.
func (c *checkpoint) Pass(sequence uint64) { c.advance(sequence) }

// advance moves on to a commit; false for one that is folded already.
func (c *checkpoint) advance(sequence uint64) bool {
	if sequence <= c.sequence {
		return false
	}
	c.sequence = sequence
	return true
}
