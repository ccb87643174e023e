package web

import "slices"

// Opening is what would be done first for a request, and why. Its JSON is a contract.
type Opening struct {
	Query      string      `json:"query"`
	Targets    []string    `json:"targets"`
	Call       *Call       `json:"call"`       // null when nothing can be called yet
	Candidates []Candidate `json:"candidates"` // for the first target, the best first
	Trace      []Event     `json:"trace"`
	Notes      []Note      `json:"notes"`
	Final      *Final      `json:"final"` // null while the task would go on
}

// Open says what would be done first. The error is [ErrInput] when there is nothing to do.
func Open(r Request, h Host, a Adapters) (Opening, error) {
	if err := r.check(); err != nil {
		return Opening{}, wrapInput("request", err)
	}
	if err := h.check(); err != nil {
		return Opening{}, wrapInput("host", err)
	}
	t := New(r, h, a)
	o := Opening{Query: r.Query, Targets: []string{}, Candidates: []Candidate{}}
	if l := t.foremost(); l != nil {
		o.Candidates = append(o.Candidates, t.explained(l)...)
	}
	if call, ok := t.Next(); ok {
		o.Call = &call
	}
	for _, l := range slices.Concat(t.lanes, t.queue) {
		o.Targets = append(o.Targets, l.target)
	}
	o.Trace, o.Notes, o.Final = t.Trace(), t.Notes(), t.Final()
	return o, nil
}

// foremost is the lane that is served first.
func (t *Task) foremost() *lane {
	switch {
	case t.search != nil && len(t.weigh(t.search)) > 0:
		return t.search
	case len(t.queue) > 0:
		return t.queue[0]
	}
	return nil
}

// explained weighs the tools for a lane and says what puts each before the next.
func (t *Task) explained(l *lane) []Candidate {
	all := t.weigh(l)
	for i := range all[:max(0, len(all)-1)] {
		all[i].Ahead = t.request.ahead(all[i], all[i+1])
	}
	return all
}
