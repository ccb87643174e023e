// Package templates makes the template of a run from what the Task Router decided.
//
// A task runs on the same engine as any workflow, so that resume, lease, trace and replay need nothing
// of their own. A chain is a sequence of steps; parallel children are branches that fail each for
// itself, with one step that brings them together; a loop is written out to its bound, and every step
// behind a cycle asks what the cycle decided, so that the log says why the rest was not run.
//
// The query is an input of the run and stands in no text that is evaluated: what a child is asked is
// the query byte for byte. The package is pure; the same decision gives the same text.
package templates
