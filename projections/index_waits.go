package projections

import (
	"time"

	"github.com/batonflow/baton/events"
)

// asked opens an approval. A call that nobody has started is not to be started meanwhile.
func (x *Index) asked(session string, at time.Time, d events.ApprovalAsked) {
	x.on(session, d.Call, func(c *openCall) {
		c.Asked = c.Attempt == 0
		x.work(session).approvals[d.Approval] = ApprovalRow{
			Session: session, Run: d.Run, Step: d.Step, Call: d.Call, Approval: d.Approval, Question: d.Question,
			Action: d.Action, Since: at, Expires: expiry(at, d.ExpiresIn), Sequence: x.sequence,
		}
	})
}

// answered closes an approval. A yes makes the call due; what a no ends, another event says.
func (x *Index) answered(session string, at time.Time, d events.ApprovalAnswered) {
	w := x.open[session]
	if w == nil {
		return
	}
	asked, ok := w.approvals[d.Approval]
	if !ok {
		return
	}
	delete(w.approvals, d.Approval)
	x.on(session, asked.Call, func(c *openCall) {
		if c.Asked && d.Yes {
			c.Asked, c.Sequence, c.Since = false, x.sequence, at
		}
	})
}

// longest bounds how far ahead an expiry is shown, in seconds.
const longest = 9e9

// expiry is when an approval expires that was asked at a time; zero when it never does.
func expiry(asked time.Time, in float64) time.Time {
	if in <= 0 {
		return time.Time{}
	}
	return asked.Add(time.Duration(min(in, longest) * float64(time.Second)))
}
