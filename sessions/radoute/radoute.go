// Package radoute reads the sessions that the Python skill router kept in .workbuddy/router and says
// them again in events of Baton.
//
// Its files are three a session: session.json (what the session is), context.json (values with their
// history) and trace.jsonl (what happened, with values cut to 200 characters). Any of them may be torn
// or missing lines: what cannot be said again is counted, never dropped silently and never made up.
// The same files always give the same facts, so that importing them twice is importing them once.
//
// The package is pure: bytes in, facts with their old times out.
package radoute

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/batonflow/baton/events"
)

// Tool is the name of the router as events say it.
const Tool = "skill-radoute"

// Files are those of one session.
type Files struct {
	ID        string // the folder's name
	From      string // the folder, for people
	Workspace string
	Session   []byte // session.json
	Context   []byte // context.json
	Trace     []byte // trace.jsonl
}

// Fact is something that happened, when it did.
type Fact struct {
	Time time.Time
	Data events.Data
}

// Imported is a session said again.
type Imported struct {
	Facts  []Fact
	Origin events.Origin
}

// header is session.json.
type header struct {
	Goal      string `json:"goal"`
	Mode      string `json:"mode"`
	Status    string `json:"status"`
	Summary   string `json:"summary"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

// slots is context.json.
type slots struct {
	Slots map[string]slot `json:"slots"`
}

type slot struct {
	value
	History []value `json:"history"`
}

type value struct {
	Value     json.RawMessage `json:"value"`
	WrittenBy string          `json:"written_by"`
	CallID    string          `json:"call_id"`
	Rev       int             `json:"rev"`
	TS        string          `json:"ts"`
}

// Read says a session again. The error is for files that hold no session at all.
func Read(f Files) (Imported, error) {
	r := &reader{files: f, calls: map[string]*call{}, keys: map[string]*key{}, origin: events.Origin{Tool: Tool, From: f.From, ID: f.ID, Skipped: map[string]int{}}}
	if err := json.Unmarshal(f.Session, &r.head); err != nil && len(f.Session) > 0 {
		r.skip("session.json")
	}
	var kept slots
	if err := json.Unmarshal(f.Context, &kept); err != nil && len(f.Context) > 0 {
		r.skip("context.json")
	}
	r.slots = kept.Slots
	lines := r.lines()
	if r.head == (header{}) && len(lines) == 0 {
		return Imported{}, fmt.Errorf("%s holds no session", f.From)
	}
	r.now = r.begin(lines)
	r.numbers(lines)
	for _, l := range lines {
		r.now = r.at(l.TS)
		r.line(l)
	}
	r.untraced()
	r.finish()
	r.origin.Lines = len(lines)
	started, _ := r.facts[0].Data.(events.SessionStarted)
	started.Imported = r.origin
	r.facts[0].Data = started
	return Imported{Facts: r.facts, Origin: r.origin}, nil
}

// lines are the trace's, those that can be read.
func (r *reader) lines() []line {
	var out []line
	for raw := range bytes.Lines(r.files.Trace) {
		if len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(raw, &l); err != nil || l.Event == "" {
			r.skip("torn line")
			continue
		}
		out = append(out, l)
	}
	return out
}

// begin says when and for what the session began.
func (r *reader) begin(lines []line) time.Time {
	goal, mode, at := r.head.Goal, r.head.Mode, r.head.CreatedAt
	for _, l := range lines {
		if at == "" {
			at = l.TS
		}
		if l.Event == "session_new" {
			goal, mode, at = first(goal, l.Goal), first(mode, l.Mode), first(at, l.TS)
			break
		}
	}
	if mode != "always" && mode != "manual" {
		mode = "auto"
	}
	r.now = r.at(at)
	r.say(events.SessionStarted{Goal: first(goal, r.files.ID), Mode: mode, Workspace: r.files.Workspace})
	return r.now
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// finish ends a session that had ended. The old router took more after its end; here nothing comes
// after it.
func (r *reader) finish() {
	if r.head.Status != "ended" && r.ended == nil {
		return
	}
	end := events.SessionEnded{Summary: r.head.Summary}
	if r.ended != nil {
		end.Summary = first(end.Summary, r.ended.Summary)
	} else {
		r.now = r.at(r.head.UpdatedAt)
	}
	r.say(end)
}
