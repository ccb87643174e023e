package events

// SessionStarted opens a session: one user goal.
type SessionStarted struct {
	mark
	Goal      string `json:"goal"`
	Mode      string `json:"mode"`      // auto, always, manual
	Workspace string `json:"workspace"` // absolute folder the goal belongs to

	Imported Origin `json:"imported,omitzero"` // it was kept by another program before
}

// Origin says where an imported session came from, and what of it could not be said again.
type Origin struct {
	Tool    string         `json:"tool"`
	From    string         `json:"from"` // folder
	ID      string         `json:"id"`   // what it was called there
	Lines   int            `json:"lines"`
	Skipped map[string]int `json:"skipped,omitempty"`
}

// SessionForked begins a session whose past is that of another, up to one of its events. The past is
// shared by reference: it is read where it stands. What was under way there has ended here.
type SessionForked struct {
	mark
	From  string `json:"from"`
	Event string `json:"event"` // the first one that is not shared
	N     uint64 `json:"n"`     // the commit it stands in
	Hash  string `json:"hash"`  // of that commit
	Call  string `json:"call"`  // the call that it opened
}

// SessionEnded closes a session; it takes nothing more.
type SessionEnded struct {
	mark
	Summary string `json:"summary,omitempty"`
}

// SwitchMade hands over from one skill to another.
type SwitchMade struct {
	mark
	From      string   `json:"from,omitempty"`
	To        string   `json:"to"`
	Kind      string   `json:"kind"` // handoff, fallback, escalate, retry, rollback
	Reason    string   `json:"reason"`
	Carry     []Read   `json:"carry,omitempty"`
	Missing   []string `json:"missing,omitempty"`   // keys asked for and not there
	Suspended string   `json:"suspended,omitempty"` // call left open on purpose
	Left      []string `json:"left,omitempty"`      // calls a rollback leaves behind
}

// ContextSet writes a value; Rev is the key's new revision.
type ContextSet struct {
	mark
	Key   string `json:"key"`
	Value Value  `json:"value"`
	Rev   int    `json:"rev"`
	By    string `json:"by,omitempty"`   // skill, step or person
	Call  string `json:"call,omitempty"` // call it was written in
}

// ContextDeleted removes a key; the deletion is a revision of its own, so history stays.
type ContextDeleted struct {
	mark
	Key  string `json:"key"`
	Rev  int    `json:"rev"`
	By   string `json:"by,omitempty"`
	Call string `json:"call,omitempty"`
}

// ContextRolledBack makes the value of revision To current again, as revision Rev.
type ContextRolledBack struct {
	mark
	Key  string `json:"key"`
	To   int    `json:"to"` // 0: the key was not there
	Rev  int    `json:"rev"`
	By   string `json:"by,omitempty"`
	Call string `json:"call,omitempty"`
}
