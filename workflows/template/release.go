package template

// release says what of the language this release takes. Moving a word from one list to the other
// switches what it stands for on or off; nothing else has to change. A template that says a word of
// later is told so with [CodeNotYet].
var release = struct{ now, later []string }{
	now: []string{
		"http", "mcp", "approve", "wait", // executors
		"foreach", "concurrency", "join", "quorum",
		"confirm", "env",
		"workflow", "limit", "limits.budget",
		"effects: at-most-once", "unknown",
		"compensate", "on_failure: compensate", "on_failure: STEP",
		"session: own", // of a child run
	},
}

// takes says whether what a word stands for may be used; it reports it where it may not.
func (r *reader) takes(p place, word string) bool {
	if !has(r.later, word) {
		return true
	}
	r.notYet(p, word)
	return false
}
