package web

import "slices"

// Task is a request on its way. Whoever drives it asks [Task.Next] for calls until it gives none,
// makes them, and tells each outcome to [Task.Settle]; when nothing is in flight and there is no call,
// [Task.Final] has the end. It is for one goroutine.
type Task struct {
	request Request
	host    Host
	tools   []Tool          // that are known and not forbidden
	gone    map[string]bool // tools that are out for the whole task
	grants  grants
	seen    map[string]bool // addresses that became targets
	queue   []*lane         // targets that are not begun
	lanes   []*lane         // begun ones, in the order of their targets
	batch   int             // the first lane of the batch that runs
	search  *lane           // the search for sources, if there is one
	pages   []*page         // the trace, with a page of its own for each lane
	calls   int
	final   *Final
}

// Call is what a tool is to do now.
type Call struct {
	ID         int        `json:"id"` // counts from 1
	Tool       string     `json:"tool"`
	Capability Capability `json:"capability"`
	Target     string     `json:"target"`           // an address, site/operation, or a query
	WaitS      float64    `json:"wait_s,omitempty"` // seconds to let pass before it
}

// Reasons of ends that no single failure gave.
const (
	noCapability  = "no_capability"
	noDiscovery   = "no_discovery"
	summariesOnly = "search_summaries_only"
	invalidURL    = "invalid_url"
)

// New takes a request for a host: its addresses are settled, and the host is looked at once.
func New(r Request, h Host, a Adapters) *Task {
	t := &Task{request: r, host: h, gone: map[string]bool{}, grants: grants{}, seen: map[string]bool{}}
	t.grants.add(r.Granted)
	t.newPage()
	for _, raw := range r.URLs {
		t.accept(raw, true)
	}
	if len(r.URLs) > 0 && len(t.queue) == 0 {
		t.final = &Final{Status: Failed, Reason: invalidURL}
		return t
	}
	t.probe(a)
	switch {
	case len(t.queue) > 0:
	case t.knowsOperation():
		t.queue = append(t.queue, newLane(r.Site+"/"+r.Operation))
	default:
		t.startSearch()
	}
	return t
}

// newPage begins a page of the trace for what concerns the whole task.
func (t *Task) newPage() *page {
	p := &page{}
	t.pages = append(t.pages, p)
	return p
}

func (t *Task) here() *page { return t.pages[len(t.pages)-1] }

// accept makes an address a target. One that leads into a network of one's own is only for a user to
// name.
func (t *Task) accept(raw string, typed bool) {
	a, err := parse(raw)
	if err == nil && !typed && a.host.private() {
		err = ErrURLPrivate
	}
	if err != nil {
		t.here().add(Event{Event: "url_rejected", URL: raw, Code: Code(err.Error())})
		return
	}
	target := a.String()
	if t.seen[target] {
		t.here().add(Event{Event: "url_deduplicated", URL: target})
		return
	}
	t.seen[target] = true
	l := newLane(target)
	l.url = true
	t.queue = append(t.queue, l)
}

// probe finds the host's usable tools and what they can do.
func (t *Task) probe(a Adapters) {
	found := []Capability{}
	for _, tool := range t.host.Tools {
		tool.Capability = a.Capability(tool)
		if tool.Capability == "" || t.request.forbids(tool.Name) {
			continue
		}
		t.tools = append(t.tools, tool)
	}
	for _, c := range capabilities {
		if slices.ContainsFunc(t.tools, func(tool Tool) bool { return tool.Capability == c }) {
			found = append(found, c)
		}
	}
	t.here().add(Event{Event: "probed", Capabilities: found})
	for i, name := range t.request.Prefer {
		known := slices.ContainsFunc(t.tools, func(tool Tool) bool { return tool.Name == name })
		if !known && slices.Index(t.request.Prefer, name) == i {
			t.here().note(NoteSwitch, "preferred_tool_unavailable:"+name)
		}
	}
}

func (t *Task) knowsOperation() bool {
	return slices.ContainsFunc(t.tools, func(tool Tool) bool {
		return tool.Capability == Structure && tool.supports(t.request.Site, t.request.Operation)
	})
}

// Next gives a call that is to be made now; false when none may start before another is over, or the
// task has ended. Calls that it gives one after another may run side by side.
func (t *Task) Next() (Call, bool) {
	for t.final == nil {
		if first(t.lanes, halted, aborted) != nil {
			if t.busy() == 0 {
				t.stop()
			}
			return Call{}, false
		}
		l, c, ok := t.ready()
		switch {
		case l != nil && ok:
			if call, ok := t.begin(l, c); ok {
				return call, true
			}
		case l != nil:
			l.stuck()
		case t.busy() > 0:
			return Call{}, false
		default:
			t.advance()
		}
	}
	return Call{}, false
}

// ready gives the first lane that can go on, and its tool; no tool when none can take it.
func (t *Task) ready() (*lane, Candidate, bool) {
	session := slices.ContainsFunc(t.lanes, func(l *lane) bool { return l.call != 0 && l.flying.tool.serial() })
	for _, l := range t.lanes[t.batch:] {
		if !l.idle() {
			continue
		}
		c, ok := t.pick(l)
		if ok && session && c.tool.serial() {
			continue
		}
		return l, c, ok
	}
	return nil, Candidate{}, false
}

// busy counts the calls in flight.
func (t *Task) busy() int {
	n := 0
	for _, l := range t.lanes[t.batch:] {
		if l.call != 0 {
			n++
		}
	}
	return n
}

// Settle takes the outcome of a call. The error is [ErrCall] when the call is not in flight.
func (t *Task) Settle(id int, o Outcome) error {
	at := slices.IndexFunc(t.lanes, func(l *lane) bool { return id > 0 && l.call == id })
	if at < 0 {
		return ErrCall
	}
	t.settle(t.lanes[at], o)
	return nil
}

// Resume goes on with a task that waits for a person, from the target where it stopped: the person did
// what was asked, and confirmed these actions, each for one use. What was probed and what was retried
// holds on. The error is [ErrNotWaiting] when the task does not wait.
func (t *Task) Resume(granted ...string) error {
	if t.final == nil || t.final.Status != NeedsUser && t.final.Status != NeedsConfirmation {
		return ErrNotWaiting
	}
	t.final = nil
	t.grants.add(granted)
	for _, l := range t.lanes {
		if l.end == halted {
			l.over(open, "")
		}
	}
	return nil
}

// Final is the end of the task; nil while there is none.
func (t *Task) Final() *Final { return t.final }

// Trace is what happened so far, target by target where calls ran side by side.
func (t *Task) Trace() []Event {
	out := []Event{}
	for _, p := range t.pages {
		out = append(out, p.events...)
	}
	return out
}

// News is what happened, and what the user is told, since it was asked last.
func (t *Task) News() ([]Event, []Note) {
	var news []Event
	var notes []Note
	for _, p := range t.pages {
		news = append(news, p.events[min(p.told.events, len(p.events)):]...)
		notes = append(notes, p.notes[min(p.told.notes, len(p.notes)):]...)
		p.told.events, p.told.notes = len(p.events), len(p.notes)
	}
	return news, notes
}

// Notes is what the user is told so far.
func (t *Task) Notes() []Note {
	out := []Note{}
	for _, p := range t.pages {
		out = append(out, p.notes...)
	}
	return out
}
