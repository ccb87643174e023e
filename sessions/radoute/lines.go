package radoute

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
)

// line is one of the trace, whatever its event.
type line struct {
	TS      string `json:"ts"`
	Event   string `json:"event"`
	Goal    string `json:"goal"`
	Mode    string `json:"mode"`
	Summary string `json:"summary"`

	Task       string          `json:"task"`
	Decision   string          `json:"decision"`
	Chosen     json.RawMessage `json:"chosen"` // a name, or a candidate
	Reason     string          `json:"reason"`
	Candidates []struct {
		Name  string  `json:"name"`
		Tier  string  `json:"tier"`
		Score float64 `json:"score"`
	} `json:"candidates"`
	Matched    json.RawMessage `json:"matched"`
	Suggestion string          `json:"suggestion"`

	CallID    string                     `json:"call_id"`
	Skill     string                     `json:"skill"`
	Intent    json.RawMessage            `json:"intent"` // a text, of a call
	Parent    string                     `json:"parent"`
	Inputs    map[string]json.RawMessage `json:"inputs"`
	Reads     []string                   `json:"reads"`
	Writes    []string                   `json:"writes"`
	Status    string                     `json:"status"`
	Outputs   map[string]json.RawMessage `json:"outputs"`
	Artifacts []string                   `json:"artifacts"`
	Note      string                     `json:"note"`
	Error     string                     `json:"error"`

	From          string   `json:"from"`
	To            string   `json:"to"`
	Kind          string   `json:"kind"`
	Carry         []string `json:"carry"`
	MissingCarry  []string `json:"missing_carry"`
	SuspendedCall string   `json:"suspended_call"`

	Key            string `json:"key"`
	Rev            int    `json:"rev"`
	WrittenBy      string `json:"written_by"`
	Preview        string `json:"preview"`
	RolledBackFrom int    `json:"rolled_back_from"`
}

// reader says the lines of one session again, in order.
type reader struct {
	files  Files
	head   header
	slots  map[string]slot
	facts  []Fact
	origin events.Origin
	now    time.Time // of the line that is read
	calls  map[string]*call
	keys   map[string]*key
	names  map[string]string // of calls that got another id
	routes int
	ended  *line
}

type call struct{ open, suspended bool }

// key is a context key as it was said so far.
type key struct {
	revs map[int]int // revision of the old router -> ours
	last int
	gone bool
}

func (r *reader) say(d events.Data) { r.facts = append(r.facts, Fact{r.now, d}) }

func (r *reader) skip(what string) { r.origin.Skipped[what]++ }

// at reads a time; what is no time happened with what came before it.
func (r *reader) at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Before(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) {
		if r.now.IsZero() {
			return time.Unix(0, 0).UTC()
		}
		return r.now
	}
	return t.UTC()
}

func (r *reader) line(l line) {
	switch l.Event {
	case "session_new":
	case "session_end":
		r.ended = &l
	case "route":
		r.route(l)
	case "route_blocked":
		r.routes++
		r.say(events.RouteBlocked{Route: r.routeID(), Task: l.Task, Reason: l.Reason, Matched: text(l.Matched), Suggestion: l.Suggestion})
	case "call_open":
		r.opened(l)
	case "call_close":
		r.closed(l)
	case "call_suspend":
		r.suspended(l)
	case "call_resume":
		r.resumed(l)
	case "switch":
		r.switched(l)
	case "ctx_write", "ctx_set":
		r.written(l)
	case "ctx_del":
		r.deleted(l)
	default: // ctx_read, route_intent, route_warning, acquire: Baton keeps no such events
		r.skip(l.Event)
	}
}

func (r *reader) routeID() string { return fmt.Sprintf("rt%03d", r.routes) }

func (r *reader) route(l line) {
	r.routes++
	d := events.RouteDecided{
		Route: r.routeID(), Task: l.Task, Mode: l.Mode, Decision: l.Decision, Reason: l.Reason, Chosen: text(l.Chosen), Router: Tool,
	}
	for _, c := range l.Candidates {
		d.Candidates = append(d.Candidates, events.Candidate{Name: c.Name, Tier: c.Tier, Score: c.Score, Why: []string{}})
	}
	r.say(d)
}

// text is a JSON text, or the name in an object, or what stands there.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var named struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(raw, &named) == nil && named.Name != "" {
		return named.Name
	}
	return strings.Trim(string(raw), "[]\"")
}

func (r *reader) switched(l line) {
	made := events.SwitchMade{From: l.From, To: l.To, Kind: l.Kind, Reason: l.Reason, Missing: l.MissingCarry, Suspended: r.callID(l.SuspendedCall)}
	if !slices.Contains([]string{"handoff", "fallback", "escalate", "retry", "rollback"}, made.Kind) {
		made.Kind = "handoff"
	}
	made.Carry = r.reads(l.Carry)
	r.say(made)
}

func (r *reader) reads(keys []string) []events.Read {
	var out []events.Read
	for _, name := range keys {
		rev := 0
		if k := r.keys[name]; k != nil && !k.gone {
			rev = k.last
		}
		out = append(out, events.Read{Key: name, Rev: rev})
	}
	return out
}
