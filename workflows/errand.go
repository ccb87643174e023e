package workflows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/sessions"
)

// ErrandDocument is what a run of the web router goes by: its Text.
type ErrandDocument struct {
	Request   web.Request    `json:"request"`
	Tools     web.Tools      `json:"tools"`
	Fallbacks []web.Fallback `json:"site_fallbacks"`
	Adapters  string         `json:"adapters"` // YAML
}

// errand takes a task of the web router along, one call a step; a person's part in it is an approval.
type errand struct {
	run string
	ErrandDocument
	task   *web.Task
	calls  map[string]web.Call // by step
	asks   map[string]string   // by step: the action to be confirmed; empty: a person is to take over
	asking bool
	denied bool
}

func newErrand(run, document string, _ time.Time) (machine, error) {
	e := &errand{run: run, calls: map[string]web.Call{}, asks: map[string]string{}}
	dec := json.NewDecoder(bytes.NewReader([]byte(document)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e.ErrandDocument); err != nil {
		return nil, fmt.Errorf("request and tools of a task on the web: %w", err)
	}
	adapters, err := web.ReadAdapters([]byte(e.Adapters))
	if err != nil {
		return nil, err
	}
	if err := e.Tools.Check(); err != nil {
		return nil, err
	}
	if len(e.Request.Granted) > 0 {
		return nil, fmt.Errorf("granted: an action is confirmed when it is about to be done, not before")
	}
	host := e.Tools.Host(e.Fallbacks)
	if _, err := web.Open(e.Request, host, adapters); err != nil {
		return nil, err
	}
	e.task = web.New(e.Request, host, adapters)
	return e, nil
}

// moves are what the router did, then its calls, then a question to a person where one is due.
func (e *errand) moves(at time.Time) []move {
	var calls []move
	for call, ok := e.task.Next(); ok; call, ok = e.task.Next() {
		calls = append(calls, e.call(call, at))
	}
	if final := e.task.Final(); final != nil && final.ResumeAt != nil && !e.asking && !e.denied {
		calls = append(calls, e.ask(*final))
	}
	news, notes := e.task.News()
	if len(news) == 0 && len(notes) == 0 {
		return calls
	}
	said := events.WebAdvanced{Run: e.run}
	said.Trace, _ = events.Marshal(append([]web.Event{}, news...)) // plain structs: they encode
	if len(notes) > 0 {
		said.Notes, _ = events.Marshal(notes)
	}
	return slices.Concat([]move{{said: said}}, calls)
}

func (e *errand) call(call web.Call, at time.Time) move {
	step := fmt.Sprintf("%s-%d", call.Tool, call.ID)
	e.calls[step] = call
	way, configured := e.Tools.Way(call.Tool)
	m := move{step: step, intent: string(call.Capability) + " " + call.Target, timeout: way.Within(e.Tools.Timeout), inputs: map[string]any{
		"target": call.Target, "capability": call.Capability, "tool": call.Tool, "query": e.Request.Query,
		"site": e.Request.Site, "operation": e.Request.Operation, "need": e.Request.Need, "side_effects": append([]string{}, e.Request.SideEffects...),
	}}
	if call.WaitS > 0 {
		m.due = at.Add(askedFor(events.Failure{RetryAfter: call.WaitS}))
	}
	if !configured {
		m.execute = e.fetch(call.Target)
		return m
	}
	var err error
	m.execute, err = way.Execute(map[string]string{
		"target": call.Target, "query": e.Request.Query, "site": e.Request.Site, "operation": e.Request.Operation,
	})
	if err != nil {
		m.execute = json.RawMessage(`{"exec":[]}`) // fails as what it is: settings that are none
	}
	return m
}

// fetch is the built-in retrieve of an address: hosts that the user typed may be private, and an official
// entry stays within its domains.
func (e *errand) fetch(target string) json.RawMessage {
	settings := struct {
		URL      string   `json:"url"`
		Typed    []string `json:"typed,omitempty"`
		Official []string `json:"official,omitempty"`
	}{URL: target}
	for _, raw := range e.Request.URLs {
		if authority, _, err := web.Place(raw); err == nil && !slices.Contains(settings.Typed, authority) {
			settings.Typed = append(settings.Typed, authority)
		}
	}
	for _, f := range e.Fallbacks {
		entry, err := f.Entry(e.Request.Query)
		if normal, nerr := web.Normalise(entry); err == nil && nerr == nil && normal == target && len(e.Request.URLs) == 0 {
			settings.Official = f.OfficialDomains
		}
	}
	raw, err := events.Marshal(map[string]any{"fetch": settings})
	if err != nil {
		return json.RawMessage(`{"fetch":{}}`)
	}
	return raw
}

// ask is a question to a person: a confirmation of one action on one target with these parameters, or
// a request to do what a machine may not.
func (e *errand) ask(final web.Final) move {
	e.asking = true
	target := *final.ResumeAt
	m := move{intent: final.Reason + " " + target, execute: json.RawMessage(`{"approve":{}}`), inputs: map[string]any{"target": target, "request": e.Request}}
	if final.Status == web.NeedsConfirmation {
		m.step = fmt.Sprintf("confirm-%d", len(e.asks)+1)
		m.ask = fmt.Sprintf("may %s be done at %s?", final.Reason, target)
		m.inputs["action"] = final.Reason
		e.asks[m.step] = final.Reason
		return m
	}
	m.step = fmt.Sprintf("takeover-%d", len(e.asks)+1)
	m.ask = fmt.Sprintf("%s at %s: do there what only a person may do, then say yes", final.Reason, target)
	e.asks[m.step] = ""
	return m
}

// approved is what a person said.
type approved struct {
	Approved bool `json:"approved"`
}

// read takes a tool's answer apart, or names a failure; of an approval it is the answer.
func (e *errand) read(step string, call *sessions.Call, value json.RawMessage) any {
	if _, asked := e.asks[step]; asked {
		return approved{call.Status == "ok"}
	}
	if call.Status == "ok" {
		return web.ReadOutcome(e.calls[step].Capability, value)
	}
	m := web.Mishap{Class: call.Status}
	if f := call.Failure; f != nil {
		m = web.Mishap{Class: f.Class, Code: f.Code, Status: f.Status, RetryAfter: f.RetryAfter, Said: f.Tail}
	}
	return m.Outcome()
}

func (e *errand) tell(step string, outcome json.RawMessage, _ time.Time) {
	if action, asked := e.asks[step]; asked {
		e.answered(action, outcome)
		return
	}
	var o web.Outcome
	if json.Unmarshal(outcome, &o) != nil || o.Result == "" {
		o.Result = string(web.Unknown)
	}
	_ = e.task.Settle(e.calls[step].ID, o) // of a call that is not in flight there is nothing to settle
}

func (e *errand) answered(action string, outcome json.RawMessage) {
	var said approved
	e.asking = false
	if json.Unmarshal(outcome, &said) != nil || !said.Approved {
		e.denied = true
		return
	}
	var granted []string
	if action != "" {
		granted = []string{action}
	}
	_ = e.task.Resume(granted...) // it waits: that is why somebody was asked
}

// ended is good when something was found. While a person is asked it goes on.
func (e *errand) ended() (string, bool) {
	final := e.task.Final()
	if final == nil || e.asking || final.ResumeAt != nil && !e.denied {
		return "", false
	}
	status := string(final.Status)
	if final.Reason != "" {
		status += ": " + final.Reason
	}
	return status, final.Status == web.Completed || final.Status == web.Partial
}

// ErrandView shows a task on the web.
type ErrandView struct {
	Run   string        `json:"run"`
	Trace []web.Event   `json:"trace"`
	Notes []web.Note    `json:"notes"`
	Final *web.Final    `json:"final"` // null while it goes on
	Waits *ErrandWait   `json:"waits"` // null where nobody is asked
	Pages []ErrandPage  `json:"pages"` // what was found, target by target
	Calls []ErrandTried `json:"calls"`
}

// ErrandWait is a question to a person, and how it is answered.
type ErrandWait struct {
	Step   string `json:"step"`
	Action string `json:"action"` // to be confirmed; empty: something is to be done by hand
	Answer string `json:"answer"` // the command
}

// ErrandPage is what a target came to.
type ErrandPage struct {
	Target string          `json:"target"`
	Tool   string          `json:"tool"`
	CallID string          `json:"call_id"`
	Date   string          `json:"date,omitempty"`
	Value  json.RawMessage `json:"value"` // as the tool gave it
}

// ErrandTried is one call with what it was taken for.
type ErrandTried struct {
	CallID string          `json:"call_id"`
	Tool   string          `json:"tool"`
	Target string          `json:"target"`
	Result string          `json:"result"` // ok or a code; empty while it is under way
	Error  *events.Failure `json:"error"`
}

func (e *errand) show(tried []Tried) any {
	v := ErrandView{Run: e.run, Trace: e.task.Trace(), Notes: e.task.Notes(), Final: e.task.Final(), Pages: []ErrandPage{}, Calls: []ErrandTried{}}
	for _, t := range tried {
		if action, asked := e.asks[t.Step]; asked {
			if t.Outcome == nil {
				v.Waits = &ErrandWait{Step: t.Step, Action: action, Answer: fmt.Sprintf("baton workflow approve %s %s --yes", e.run, t.Step)}
			}
			continue
		}
		if t.Call == nil {
			continue
		}
		call := e.calls[t.Step]
		var o web.Outcome
		_ = json.Unmarshal(t.Outcome, &o) // one that cannot be read, or is not there, says nothing
		v.Calls = append(v.Calls, ErrandTried{CallID: t.Call.ID(), Tool: call.Tool, Target: call.Target, Result: o.Result, Error: t.Call.Failure})
		if o.Result == web.OK && t.Value != nil && call.Capability != web.Discover {
			v.Pages = append(v.Pages, ErrandPage{Target: call.Target, Tool: call.Tool, CallID: t.Call.ID(), Date: o.Date, Value: t.Value})
		}
	}
	return v
}
