// Package quality measures how well requests find the skill that serves them.
//
// A change of the scoring is judged by figures, not by the example at hand: hit at first place, recall
// and completeness among five, what becomes of requests that nothing serves, and all of it beside
// plain BM25. Each set is split in two halves by a hash of the request's id; settings are picked on
// the tuning half and reported on the other, so that a figure that was only learned by heart shows.
//
// The package is pure: sets come in as readers, figures go out. cmd/eval reads the files and prints.
package quality
