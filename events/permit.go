package events

// PermitGranted lets a call run that counts against a limit. It stands on the limit's own line, before
// the call starts.
type PermitGranted struct {
	mark
	Limit   string `json:"limit"`
	Grant   int    `json:"grant"` // counts the limit's permits from 1
	Session string `json:"session"`
	Call    string `json:"call"`
	Attempt int    `json:"attempt"` // the one that it was asked for
	Size    int    `json:"size"`    // how many there were at most
}

// PermitFreed gives a permit back: the attempt has ended, or never began.
type PermitFreed struct {
	mark
	Limit   string `json:"limit"`
	Grant   int    `json:"grant"`
	Session string `json:"session"`
	Call    string `json:"call"`
	Reason  string `json:"reason,omitempty"`
}
