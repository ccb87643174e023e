package operation

import (
	"encoding/json"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
)

// ClaimAsk is an agent outside that asks for work on a queue.
type ClaimAsk struct {
	Queue string  `json:"queue"`
	Wait  float64 `json:"wait"` // seconds
	Actor string  `json:"actor"`
	// Request makes asking again harmless: the answer is the call that was taken under it, while it is held.
	Request string `json:"request,omitempty"`
}

// BeatAsk is a sign of life from an agent outside.
type BeatAsk struct {
	Call    string `json:"call"`
	Attempt int    `json:"attempt"`
}

// BeatAnswer tells it whether to go on, and until when that holds.
type BeatAnswer struct {
	Answer     string     `json:"answer"`
	LeaseUntil *time.Time `json:"lease_until"`
}

// SayAsk is what an attempt says while it works. The command line leaves the session to its request,
// and attempt 0 is the current one there.
type SayAsk struct {
	Session string          `json:"session"`
	Call    string          `json:"call"`
	Attempt int             `json:"attempt"`
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// SkillsAsk asks for the skills that a workspace sees; with Task, for those that fit it best.
type SkillsAsk struct {
	Workspace string `json:"workspace"`
	Path      string `json:"path,omitempty"`
	Task      string `json:"task,omitempty"`
	Top       int    `json:"top,omitempty"`
}

// SkillAsk is about one skill of a workspace.
type SkillAsk struct {
	Workspace string `json:"workspace"`
	Path      string `json:"path,omitempty"`
	Name      string `json:"name"`
}

// SkillsList is the index of a workspace.
type SkillsList struct {
	Digest  string          `json:"digest"`
	Watched bool            `json:"watched"` // a change is noticed without being asked about
	Skills  []skills.Skill  `json:"skills"`
	Report  json.RawMessage `json:"report"`
}

// Loaded is a skill that was loaded.
type Loaded struct {
	skills.Skill
	Loaded   string    `json:"loaded"` // its name
	Scripts  []string  `json:"scripts"`
	LoadedAt time.Time `json:"loaded_at"`
	Body     string    `json:"body"`
}

// CallShown is a call, and while it runs what its attempt said last.
type CallShown struct {
	sessions.Row
	Progress []Progress `json:"progress,omitempty"`
}

// Progress is something that a running attempt said.
type Progress struct {
	Time time.Time       `json:"time"`
	Text string          `json:"text,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// RouteAsk asks for a route that is recorded nowhere, or with Explain for the parts of its scores.
type RouteAsk struct {
	sessions.RouteTask
	Workspace string `json:"workspace"`
	Explain   bool   `json:"explain,omitempty"`

	Recorded bool            `json:"recorded,omitempty"` // Lessons are those of a decision; else they are recalled
	Lessons  []events.Lesson `json:"lessons,omitempty"`
}

// DraftAsk asks for a workflow made of a sentence, over the skills that a workspace sees.
type DraftAsk struct {
	Workspace string `json:"workspace"`
	Path      string `json:"path,omitempty"`
	Text      string `json:"text"`
}

// TaskInput is what the task router is asked. Context is as [task.ReadContext] takes it.
type TaskInput struct {
	Query    string          `json:"query"`
	Context  json.RawMessage `json:"context,omitempty"`
	ModeHint string          `json:"mode_hint,omitempty"`
}
