package web

// Event is one thing that happened in a task; which fields it has depends on its name. Its JSON is a
// contract.
type Event struct {
	Event        string       `json:"event"`
	ID           string       `json:"id,omitempty"` // of a site fallback
	OK           *bool        `json:"ok,omitempty"`
	Tool         string       `json:"tool,omitempty"`
	Capability   Capability   `json:"capability,omitempty"`
	Target       *string      `json:"target,omitempty"`
	Capabilities []Capability `json:"capabilities,omitzero"`
	Targets      []string     `json:"targets,omitempty"`
	URL          string       `json:"url,omitempty"`
	Code         Code         `json:"code,omitempty"`
	WaitS        *float64     `json:"wait_s,omitempty"` // seconds
	From         string       `json:"from,omitempty"`
	To           string       `json:"to,omitempty"`
	Action       string       `json:"action,omitempty"`
	Reason       string       `json:"reason,omitempty"`
	Sources      []string     `json:"sources,omitempty"`
}

// Kinds of a [Note].
const (
	NoteSwitch        = "switch"
	NoteAuthorisation = "authorisation"
	NoteTakeover      = "takeover"
	NoteBlocked       = "blocked"
)

// Note is what the user is told while a task goes on; there is none about anything else.
type Note struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// Status says how a task ended, or whom it waits for.
type Status string

// The ends of a task.
const (
	Completed         Status = "completed"
	Partial           Status = "partial"
	NeedsUser         Status = "needs_user"
	NeedsConfirmation Status = "needs_confirmation"
	Blocked           Status = "blocked"
	Failed            Status = "failed"
)

// Final is the end of a task. Its JSON is a contract.
type Final struct {
	Status      Status   `json:"status"`
	Reason      string   `json:"reason,omitempty"`
	ResumeAt    *string  `json:"resume_at,omitempty"` // the target that waits for a person
	Verified    *bool    `json:"verified,omitempty"`  // false when there are only summaries
	Sections    []string `json:"sections,omitzero"`   // of the answer, in this order
	Sources     []string `json:"sources,omitzero"`
	Limitations []string `json:"limitations,omitzero"` // code, or code:target
}

// page is a stretch of the trace that is written by one hand, so that calls that run side by side
// are told target by target whichever is over first.
type page struct {
	events []Event
	notes  []Note
	told   struct{ events, notes int } // of them by News
}

func (p *page) add(e Event) { p.events = append(p.events, e) }

func (p *page) note(kind, reason string) { p.notes = append(p.notes, Note{kind, reason}) }
