package projections

import "encoding/json"

// doer says by whom a call gets done.
type doer struct {
	outside bool   // not by one of Baton's workers
	nobody  bool   // by none: it ends when a person answers, a time or a signal comes, or its child run ends
	signal  string // the name of the signal that it waits for
}

// handQueue is where a step waits whose skill has no entry point: for an agent or a person.
const handQueue = "skills"

// doerOf reads it from the queue and the settings that a call was opened with.
func doerOf(queue string, execute json.RawMessage) doer {
	var kind struct{ Claim, Approve, Wait, Workflow json.RawMessage }
	if json.Unmarshal(execute, &kind) != nil {
		return doer{outside: queue == "" || queue == handQueue}
	}
	who := doer{nobody: kind.Approve != nil || kind.Wait != nil || kind.Workflow != nil}
	who.outside = queue == "" || queue == handQueue || kind.Claim != nil || who.nobody
	var wait struct{ Signal string }
	if kind.Wait != nil && json.Unmarshal(kind.Wait, &wait) == nil {
		who.signal = wait.Signal
	}
	return who
}
