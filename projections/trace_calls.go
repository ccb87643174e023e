package projections

import (
	"cmp"

	"github.com/batonflow/baton/events"
)

func (t *Trace) callOpened(n *node, d events.CallOpened) {
	old := t.calls[d.Call]
	if old != nil {
		t.openedAgain(n, old.Call, d)
		return
	}
	c := &callNode{ID: d.Call, Parent: d.Parent, Run: d.Run, Step: d.Step, Opened: n.Time}
	n.Call = c
	c.ask(d)
	t.tally.Calls++
	t.tally.Open++
	list := t.enlist(c)
	t.place(n, t.above(d, list))
	t.calls[d.Call] = n
	t.entered(c)
}

func (t *Trace) openedAgain(n *node, c *callNode, d events.CallOpened) {
	if !c.Closed.IsZero() {
		t.tally.Open++
	}
	c.reopen()
	c.ask(d)
	t.enlist(c)
	t.entered(c)
	t.add(n, t.calls[c.ID], change{Call: c.ID, Status: "opened", Reason: d.Cause, call: c})
}

// ask takes over what an opening wants. One that opens the call again need not repeat everything.
func (c *callNode) ask(d events.CallOpened) {
	c.Skill, c.Intent, c.Route = cmp.Or(d.Skill, c.Skill), cmp.Or(d.Intent, c.Intent), cmp.Or(d.Route, c.Route)
	if d.Inputs != nil {
		c.Inputs = previews(d.Inputs)
	}
	if d.Reads != nil {
		c.Reads = d.Reads
	}
	if d.Writes != nil {
		c.Writes = d.Writes
	}
	c.Queue, c.who = d.Queue, doerOf(d.Queue, d.Execute)
	c.Signal, c.Child = c.who.signal, d.Child
	c.Status = c.ready()
}

// above is where a call belongs: its parent, the list whose item it is for, its run, or the root.
func (t *Trace) above(d events.CallOpened, list *node) *node {
	if n := t.calls[d.Parent]; n != nil {
		return n
	}
	if list != nil {
		return list
	}
	return t.runs[d.Run]
}

// entered makes a call by hand the innermost one.
func (t *Trace) entered(c *callNode) {
	if c.Queue != "" || c.Run != "" {
		return
	}
	t.stack.push(c.ID, c.Skill)
	if c.Skill != "" {
		t.head.Skill = c.Skill
	}
}

// left takes an ended call off the stack; the skill below it is the current one again.
func (t *Trace) left(c *callNode) {
	t.stack.drop(c.ID)
	if c.Queue == "" && c.Run == "" && t.stack.top().Skill != "" {
		t.head.Skill = t.stack.top().Skill
	}
}

// on applies an event to its call and places it there; one for an unknown call is shown at the root.
func (t *Trace) on(n *node, ch change, apply func(*callNode) *attempt) {
	above := t.calls[ch.Call]
	if above != nil {
		ch.call = above.Call
		open := above.Call.Closed.IsZero()
		ch.try = apply(above.Call)
		if open && !above.Call.Closed.IsZero() {
			t.tally.Open--
			t.left(above.Call)
			above.Call.over()
		}
	}
	t.add(n, above, ch)
}

func (t *Trace) callStarted(n *node, d events.CallStarted) {
	t.on(n, change{Call: d.Call, Attempt: d.Attempt, Worker: d.Worker, Status: "started"}, func(c *callNode) *attempt {
		try := c.try(d.Attempt)
		try.Worker, try.Started, try.Status = d.Worker, n.Time, "running"
		c.Status = "running"
		switch {
		case c.who.nobody:
			c.Status = "waiting"
		case c.Queue == "" && d.Worker == "":
			c.Status = "open"
		}
		return try
	})
}

func (t *Trace) callSuspended(n *node, d events.CallSuspended) {
	t.on(n, change{Call: d.Call, Status: "suspended", Reason: d.Reason}, func(c *callNode) *attempt {
		if c.Status != "suspended" {
			c.before, c.Status = c.Status, "suspended"
		}
		return nil
	})
}

func (t *Trace) callResumed(n *node, d events.CallResumed) {
	t.on(n, change{Call: d.Call, Status: "resumed"}, func(c *callNode) *attempt {
		if c.Status != "suspended" {
			return nil
		}
		c.Status = c.before
		t.stack.raise(c.ID)
		if c.Queue == "" && c.Run == "" && c.Skill != "" {
			t.head.Skill = c.Skill
		}
		return nil
	})
}

func (t *Trace) callClosed(n *node, d events.CallClosed) {
	t.on(n, change{Call: d.Call, Attempt: d.Attempt, Status: d.Status, Reason: d.Note}, func(c *callNode) *attempt {
		c.Outputs, c.Artifacts, c.Note, c.Missing = previews(d.Outputs), d.Artifacts, d.Note, d.Missing
		if !d.Value.IsZero() {
			c.Value = preview(d.Value)
		}
		c.close(d.Status, n.Time)
		return c.end(d.Attempt, d.Status, n.Time)
	})
}

func (t *Trace) callFailed(n *node, d events.CallFailed) {
	t.on(n, change{Call: d.Call, Attempt: d.Attempt, Status: "failed", Failure: &d.Failure, Final: d.Final},
		func(c *callNode) *attempt {
			try := c.end(d.Attempt, "failed", n.Time)
			if try != nil {
				try.Failure = &d.Failure
			}
			c.Status, c.failed = c.ready(), &d.Failure
			if d.Final {
				c.close("failed", n.Time)
			}
			return try
		})
}

func (t *Trace) callLost(n *node, d events.CallLost) {
	t.tally.Lost++
	t.on(n, change{Call: d.Call, Attempt: d.Attempt, Worker: d.Worker, Status: "lost", Reason: d.Reason, Final: d.Final},
		func(c *callNode) *attempt {
			try := c.end(d.Attempt, "lost", n.Time)
			if try != nil {
				try.Reason = d.Reason
				if try.Worker == "" {
					try.Worker = d.Worker
				}
			}
			c.Status = c.ready()
			if d.Final {
				c.close("failed", n.Time)
			}
			return try
		})
}

func (t *Trace) callCancelled(n *node, d events.CallCancelled) {
	t.on(n, change{Call: d.Call, Attempt: d.Attempt, Status: "cancelled", Reason: d.Reason}, func(c *callNode) *attempt {
		try := c.end(d.Attempt, "cancelled", n.Time)
		if try != nil {
			try.Reason = d.Reason
		}
		c.close("cancelled", n.Time)
		return try
	})
}
