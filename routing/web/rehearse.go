package web

// Rehearsal is what a task would do. Its JSON is a contract.
type Rehearsal struct {
	Trace []Event `json:"trace"`
	Notes []Note  `json:"notes"`
	Final Final   `json:"final"`
}

// Rehearse goes through a case as if its calls came to the outcomes, one after the other; a call
// beyond the list comes to ok. Nothing is called.
func Rehearse(c Case, a Adapters) Rehearsal {
	t := New(c.Request, c.Host, a)
	outcomes := c.Outcomes
	for {
		call, ok := t.Next()
		if !ok {
			return Rehearsal{t.Trace(), t.Notes(), *t.Final()}
		}
		o := Outcome{Result: OK}
		if len(outcomes) > 0 {
			o, outcomes = outcomes[0], outcomes[1:]
		}
		_ = t.Settle(call.ID, o) // the call was made a moment ago
	}
}
