package projections

import "io"

// JSON writes the whole trace as one document: the session, the counts and the tree with every
// event of the log. Its keys are part of the command line's contract. Values are previews.
func (t *Trace) JSON(w io.Writer) error {
	return indented(w, struct {
		heading
		Counts   tally   `json:"counts"`
		Skipped  int     `json:"skipped_events"`
		Sequence uint64  `json:"sequence"`
		Nodes    []*node `json:"nodes"`
	}{t.head, t.tally, t.skipped, t.sequence, append([]*node{}, t.roots...)})
}
