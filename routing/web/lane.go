package web

import "slices"

// lane is the way of one target from its first call to its end.
type lane struct {
	page
	target   string
	discover bool            // the target is a query, and what is sought are addresses
	url      bool            // the target is an address
	static   bool            // what is served has no content
	out      map[string]bool // tools that are out for this target
	retried  map[string]bool
	again    *again // the retry that is due
	left     *left  // the tool that failed and is to be replaced
	flying   Candidate
	call     int // of the call in flight; 0: none
	end      ending
	reason   string
	found    Outcome
}

type again struct {
	tool  Candidate
	waitS float64
}

type left struct{ tool, reason string }

// ending says how a lane is over.
type ending int

const (
	open    ending = iota
	good           // there is a source
	blocked        // it is left alone
	failed         // there is nothing to be had
	halted         // it waits for a person, and the task with it
	aborted        // it ends the task
)

func newLane(target string) *lane {
	return &lane{target: target, out: map[string]bool{}, retried: map[string]bool{}}
}

func (l *lane) idle() bool { return l.end == open && l.call == 0 }

func (l *lane) over(end ending, reason string) { l.end, l.reason = end, reason }

// pick gives the tool for the lane's next call.
func (t *Task) pick(l *lane) (Candidate, bool) {
	if l.again != nil {
		return l.again.tool, true
	}
	if all := t.weigh(l); len(all) > 0 {
		return all[0], true
	}
	return Candidate{}, false
}

// begin makes the lane's next call with a tool. It gives none when somebody must be asked first.
func (t *Task) begin(l *lane, c Candidate) (Call, bool) {
	first := l.again == nil
	if first && l.left != nil {
		l.add(Event{Event: "switched", From: l.left.tool, To: c.Tool, Reason: l.left.reason})
		l.note(NoteSwitch, l.left.reason)
		l.left = nil
	}
	if first && !l.discover && !t.confirmed(l) {
		return Call{}, false
	}
	call := Call{Tool: c.Tool, Capability: c.Capability, Target: l.target}
	if l.again != nil {
		call.WaitS, l.again = l.again.waitS, nil
	}
	t.calls++
	call.ID, l.call, l.flying = t.calls, t.calls, c
	l.add(Event{Event: "call", Tool: c.Tool, Capability: c.Capability, Target: &l.target})
	return call, true
}

// confirmed uses the confirmations that the request's actions need, or halts to ask for the first
// that is missing. None is used while one is missing, and none is asked for before its time.
func (t *Task) confirmed(l *lane) bool {
	needed := t.request.needed()
	if action, missing := t.grants.missing(needed); missing {
		l.add(Event{Event: "confirmation_requested", Action: action})
		l.note(NoteAuthorisation, action)
		l.over(halted, action)
		return false
	}
	t.grants.use(needed)
	for _, action := range needed {
		l.add(Event{Event: "confirmation_used", Action: action})
	}
	return true
}

// settle takes the outcome of the lane's call.
func (t *Task) settle(l *lane, o Outcome) {
	l.call = 0
	write := !l.discover && t.request.writes()
	switch {
	case o.Result != OK:
		t.failed(l, o, write)
	case !o.Skeleton:
		l.found = o
		l.over(good, "")
	case write:
		l.add(Event{Event: "failed", Tool: l.flying.Tool, Code: SkeletonOnly})
		l.note(NoteBlocked, writeUnknown)
		l.over(blocked, writeUnknown)
	default:
		l.add(Event{Event: "failed", Tool: l.flying.Tool, Code: SkeletonOnly})
		l.over(failed, SkeletonOnly)
	}
}

// failed does what the table of recoveries says.
func (t *Task) failed(l *lane, o Outcome, write bool) {
	tool := l.flying.Tool
	v := Recover(Failure{Codes: []Code{ReadCode(o.Result)}, RetryAfter: o.RetryAfter, Retried: l.retried[tool], Write: write})
	l.add(Event{Event: "failed", Tool: tool, Code: v.Code})
	switch v.Action {
	case ActRetry:
		l.retried[tool] = true
		l.again = &again{l.flying, v.WaitS}
		l.add(Event{Event: "retry", Tool: tool, WaitS: &v.WaitS})
		return
	case ActSwitch:
		l.out[tool] = true
		l.static = l.static || v.StaticOut
		if v.ToolOut == "task" {
			t.lose(tool, v.Reason)
		}
		l.left = &left{tool, v.Reason}
		return
	case ActConfirm:
		if needed := t.request.needed(); len(needed) > 0 {
			v.Note.Reason, v.Reason = needed[0], needed[0]
		}
	}
	if v.Note != (Note{}) {
		l.notes = append(l.notes, v.Note)
	}
	l.over(endings[v.Action], v.Reason)
}

var endings = map[string]ending{ActTakeover: halted, ActConfirm: halted, ActBlock: blocked, ActFail: failed, ActAbort: aborted}

// lose takes a tool out of the rest of the task, also for lanes that were to try it again.
func (t *Task) lose(tool, reason string) {
	t.gone[tool] = true
	for _, l := range t.lanes {
		if l.again != nil && l.again.tool.Tool == tool {
			l.again, l.left = nil, &left{tool, reason}
		}
	}
}

// stuck ends a lane that no tool can take.
func (l *lane) stuck() {
	l.note(NoteBlocked, noCapability)
	l.over(blocked, noCapability)
}

// first gives the first lane with one of some endings.
func first(lanes []*lane, ends ...ending) *lane {
	at := slices.IndexFunc(lanes, func(l *lane) bool { return slices.Contains(ends, l.end) })
	if at < 0 {
		return nil
	}
	return lanes[at]
}
