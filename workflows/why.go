package workflows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/sessions"
)

// Why says why a run is not finished: what holds most back first.
type Why struct {
	Run     string    `json:"run"`
	State   RunStatus `json:"state"`
	Reasons []Reason  `json:"reasons"`
}

// Reason is one thing that holds a run back, with what would unblock it.
type Reason struct {
	Reason  string     `json:"reason"`
	Step    string     `json:"step"`
	Holder  string     `json:"holder"`
	Since   *time.Time `json:"since"`
	Until   *time.Time `json:"until"`
	Unblock string     `json:"unblock"`
	Queue   string     `json:"queue,omitempty"`  // with a call that waits for a worker
	Limits  []string   `json:"limits,omitempty"` // with a call that needs permits before it starts

	call     string
	unserved bool
}

// Call is the call that waits for a worker.
func (r Reason) Call() string { return r.call }

// Behind is the reason of a call that waits for a limit: at which place, who holds the permits, how many
// there are; with none the limit has no size.
func (r Reason) Behind(limit string, position, size int, holder string) Reason {
	r.Reason = fmt.Sprintf("step %s is queued at position %d behind limit %s, of which all %d are in use", r.Step, position, limit, size)
	r.Holder, r.Unblock = holder, "a call that counts against "+limit+" must end"
	if size == 0 {
		r.Reason = fmt.Sprintf("step %s counts against limit %s, which has no size", r.Step, limit)
		r.Unblock = "set it in config.yaml, such as limits: {" + limit + ": 1}, and start the server again"
	}
	return r
}

// Unserved is the reason of a call that waits on a queue which no worker serves.
func (r Reason) Unserved() Reason {
	r.Reason = fmt.Sprintf("step %s waits on queue %s, and no worker serves it", r.Step, r.Queue)
	r.Unblock = "start one with `baton worker --queues " + r.Queue + "`"
	r.unserved = true
	return r
}

// Weight puts what nobody will ever do first.
func (r Reason) Weight() int {
	if r.unserved {
		return 1
	}
	return 0
}

// Why explains a run's state. An unfinished run always has a reason.
func (s *State) Why(run string) (Why, error) {
	r, err := s.FindRun(run)
	if err != nil {
		return Why{}, err
	}
	out := Why{Run: r.Run, State: s.statusOf(r), Reasons: []Reason{}}
	if r.Over() {
		out.Reasons = append(out.Reasons, r.over()...)
		return out, nil
	}
	holds := map[int]int{} // position -> how many wait for it
	for i := range r.Steps {
		holds[i] = r.heldBy(i)
	}
	positions := make([]int, 0, len(r.Steps))
	for i := range r.Steps {
		if r.Steps[i].Phase == StepOpen || r.Steps[i].Phase == StepPending && r.Steps[i].Unmet == 0 {
			positions = append(positions, i)
		}
	}
	slices.SortStableFunc(positions, func(a, b int) int { return cmp.Compare(holds[b], holds[a]) })
	for _, i := range positions {
		out.Reasons = append(out.Reasons, s.reason(r, i))
	}
	return out, nil
}

func (r *Run) over() []Reason {
	since := sessions.Moment(r.EndedAt)
	switch r.Status {
	case Failed:
		if r.pilot != nil {
			return []Reason{{Reason: "the " + r.Router + " router gave it up: " + r.Reason, Since: since, Unblock: "see its steps with `baton workflow show " + r.Run + "`, then start a new one"}}
		}
		out := []Reason{}
		for _, step := range r.failed {
			reason := Reason{Reason: "step " + step + " failed", Step: step, Since: since, Unblock: "mend it, then `baton workflow resume " + r.Run + "`"}
			if f := r.Steps[r.index[step]].Failure; f != nil {
				reason.Reason += ": " + f.Code + ": " + f.Message
			}
			out = append(out, reason)
		}
		return out
	case Cancelled:
		return []Reason{{Reason: strings.TrimSpace("it was cancelled " + r.Reason), Since: since, Unblock: "start a new one with `baton workflow run`"}}
	}
	return nil
}

// heldBy counts the steps that cannot start before step i is over.
func (r *Run) heldBy(i int) int {
	seen := map[int]bool{}
	todo := []int{i}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, j := range r.dependents[at] {
			if !seen[j] {
				seen[j] = true
				todo = append(todo, j)
			}
		}
	}
	return len(seen)
}

func (s *State) reason(r *Run, i int) Reason {
	id := r.Template.Steps[i].ID
	if it := r.Steps[i].Items; it != nil {
		return s.itemsReason(r, id, it)
	}
	call := s.Calls[r.Steps[i].Call]
	if r.Steps[i].Phase == StepPending || call == nil {
		if asked := s.budgetQuestion(r); asked != nil {
			return Reason{Reason: fmt.Sprintf("step %s is not started before somebody says whether the run may use more", id), Step: id,
				Since: sessions.Moment(asked.AskedAt), Unblock: fmt.Sprintf("`baton workflow approve %s %s --yes --by NAME`, or --no", asked.Run, asked.Step)}
		}
		if r.halted() {
			return Reason{Reason: "step " + id + " is not started because " + r.failed[0] + " failed; running steps are awaited", Step: id, Unblock: "wait, then `baton workflow resume " + r.Run + "`"}
		}
		position, _ := slices.BinarySearch(r.ready, i)
		return Reason{
			Reason: fmt.Sprintf("step %s is queued at position %d behind limits.parallel, which is %d", id, position+1, r.Template.Limits.Parallel),
			Step:   id, Since: sessions.Moment(r.StartedAt), Unblock: "a running step must end",
		}
	}
	return s.callReason(r, id, call)
}

// callReason says what an open call of a step waits for.
func (s *State) callReason(r *Run, id string, call *sessions.Call) Reason {
	switch call.Phase {
	case sessions.Running:
		return Reason{
			Reason: fmt.Sprintf("step %s runs on %s, attempt %d", id, call.Worker, call.Attempt), Step: id, Holder: call.Worker,
			Since: sessions.Moment(call.StartedAt), Until: deadline(call), Unblock: "it must end, or `baton workflow cancel " + r.Run + "`",
		}
	case sessions.Backoff:
		for _, timer := range s.Timers {
			if timer.Call == call.ID() {
				return Reason{Reason: fmt.Sprintf("step %s is tried again after a failure (%s)", id, call.Failure.Code), Step: id, Since: sessions.Moment(call.EndedAt), Until: sessions.Moment(timer.At), Unblock: "the timer must fire"}
			}
		}
	case sessions.Waiting:
		return s.waitReason(r, id, call)
	case sessions.Queued:
		if call.Outside() {
			return Reason{
				Reason: "step " + id + " waits on queue " + call.Queue + " for an agent to take it" + outside(call), Step: id,
				Since: sessions.Moment(call.OpenedAt), Unblock: "an agent must take it with `baton call claim --queue " + call.Queue + "`, or give the step a `run`",
			}
		}
		return Reason{
			Reason: fmt.Sprintf("step %s waits on queue %s for a worker with a free slot", id, call.Queue), Step: id, Queue: call.Queue,
			Limits: call.Limits, call: call.ID(),
			Since: sessions.Moment(call.OpenedAt), Unblock: "`baton worker --queues " + call.Queue + "` adds one",
		}
	}
	return Reason{Reason: fmt.Sprintf("step %s is %s", id, call.PublicStatus()), Step: id, Since: sessions.Moment(call.OpenedAt), Unblock: "see `baton call show " + call.ID() + "`"}
}

// outside says why Baton's own workers do not run the call.
func outside(call *sessions.Call) string {
	if call.Skill == "" || len(call.Execute) > 0 {
		return ""
	}
	return ": skill " + call.Skill + " has no entry point that Baton can run"
}

func deadline(call *sessions.Call) *time.Time {
	if call.Timeout <= 0 {
		return nil
	}
	return sessions.Moment(call.StartedAt.Add(time.Duration(call.Timeout * float64(time.Second))))
}

// waitReason says what a call waits for: a person, a signal or a time.
func (s *State) waitReason(r *Run, step string, call *sessions.Call) Reason {
	reason := Reason{Step: step, Since: sessions.Moment(call.OpenedAt)}
	if child := s.Runs[call.ID()]; child != nil && !child.Over() {
		return s.childReason(step, child)
	}
	for _, t := range s.Timers {
		if t.Call == call.ID() {
			reason.Until = sessions.Moment(t.At)
		}
	}
	if call.Child != "" && !call.Held {
		reason.Reason = fmt.Sprintf("step %s waits for its run in session %s to end", step, call.Child)
		reason.Unblock = "see `baton why --session " + call.Child + " " + call.ID() + "`"
		return reason
	}
	if a := s.OpenApproval(call.ID()); a != nil {
		reason.Reason = fmt.Sprintf("step %s waits for an approval: %s", step, a.Question)
		reason.Unblock = fmt.Sprintf("`baton workflow approve %s %s --yes --by NAME`, or --no", r.Run, step)
		return reason
	}
	for _, w := range r.awaits {
		if w.call == call.ID() {
			reason.Reason = fmt.Sprintf("step %s waits for the signal %s", step, w.signal)
			reason.Unblock = fmt.Sprintf("`baton workflow signal %s %s`", r.Run, w.signal)
			return reason
		}
	}
	reason.Reason, reason.Unblock = fmt.Sprintf("step %s waits for its time", step), "the timer must fire"
	return reason
}

// childReason says what holds a child run back most.
func (s *State) childReason(step string, child *Run) Reason {
	why, err := s.Why(child.Run)
	if err != nil || len(why.Reasons) == 0 {
		return Reason{Step: step, Reason: fmt.Sprintf("step %s waits for run %s to end", step, child.Run), Since: sessions.Moment(child.StartedAt), Unblock: "see `baton why " + child.Run + "`"}
	}
	first := why.Reasons[0]
	first.Step, first.Reason = step, fmt.Sprintf("step %s runs %s: %s", step, child.Run, first.Reason)
	return first
}

// itemsReason says how far a foreach step is, and what one of its open items waits for.
func (s *State) itemsReason(r *Run, step string, it *Items) Reason {
	reason := Reason{
		Step: step, Since: sessions.Moment(r.StartedAt), Unblock: "its items must end, or `baton workflow cancel " + r.Run + "`",
		Reason: fmt.Sprintf("step %s has done %d of %d items, %d are open", step, it.Done, it.Count(), it.Open),
	}
	for n, phase := range it.Phases {
		if phase != StepOpen {
			continue
		}
		if call := s.Calls[r.ItemCall(step, n)]; call != nil {
			first := s.callReason(r, fmt.Sprintf("%s[%d]", step, n), call)
			first.Step, first.Reason = step, reason.Reason+"; "+first.Reason
			return first
		}
	}
	return reason
}
