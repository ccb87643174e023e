// Package events is the only place that says what can happen in Baton.
//
// An event is a fact: a Go struct with a stored name, a version and a one-line meaning, listed
// once in the [Catalogue]. Events that follow from one decision travel together in one [Frame],
// which is one message of the log and one link of its session's hash chain.
//
// Promises: a stored name never changes its meaning; a stored version is never rewritten, it is
// upcast when read; what this binary does not know is kept as [Unknown] with its bytes untouched.
// The package uses the standard library only and knows no clock, id source, file or network.
package events

import (
	"encoding/json"
	"time"
)

// Event is an envelope with its fact.
type Event struct {
	ID        string    // ULID, given by whoever commits
	Type      string    // stored name, "noun.verbed"
	V         int       // version of the fact's shape, from 1
	Time      time.Time // UTC, when it was decided
	Causation string    // id of the event that directly led here; empty for what a command says
	Actor     string    // who asked: "cli", "worker:<id>", "engine"
	Request   string    // the client's request id, where one was given
	Command   string    // digest of the command under Request, so that another one is told apart
	Data      Data
}

// Data is the fact itself: one of the catalogue's structs, or [Unknown].
type Data interface{ fact() }

// mark seals Data: only structs of this package that embed it are facts.
type mark struct{}

func (mark) fact() {}

// Unknown holds a fact whose type or version this binary does not know, as it was stored.
type Unknown struct {
	mark
	Raw json.RawMessage
}

// MarshalJSON gives back the stored bytes.
func (u Unknown) MarshalJSON() ([]byte, error) { return u.Raw, nil }

// Value is a JSON value: inline, or by SHA-256 in the payload store when it is large.
type Value struct {
	JSON   json.RawMessage `json:"json,omitempty"`
	SHA256 string          `json:"sha256,omitempty"` // hex, of the JSON bytes
	Size   int64           `json:"size,omitempty"`   // bytes, with SHA256
}

// Stored says whether the value rests in the payload store.
func (v Value) Stored() bool { return v.SHA256 != "" }

// IsZero says whether there is no value at all (JSON null is a value).
func (v Value) IsZero() bool { return v.JSON == nil && v.SHA256 == "" }

// Read names a context key as a call saw it. Rev 0 means the key was not there.
type Read struct {
	Key string `json:"key"`
	Rev int    `json:"rev"`
}
