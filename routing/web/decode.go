package web

import (
	"encoding/json"
	"fmt"
)

// Case is a task with what its calls come to, in the order in which they are made.
type Case struct {
	Request  Request   `json:"request"`
	Host     Host      `json:"host"`
	Outcomes []Outcome `json:"outcomes,omitempty"`
}

// ReadCase reads and checks a case in JSON: {request, host, outcomes}. Fields around these are let
// be, and fields of outcomes that nobody knows too, for they tell more than is asked; one in a request
// or a host is an error, for a misspelt rule would silently not hold.
func ReadCase(file []byte) (Case, error) {
	var raw struct {
		Request  json.RawMessage
		Host     json.RawMessage
		Outcomes []reported
	}
	if err := json.Unmarshal(file, &raw); err != nil {
		return Case{}, fmt.Errorf("%w: %w", ErrInput, err)
	}
	if raw.Request == nil || raw.Host == nil {
		return Case{}, fmt.Errorf("%w: give an object with request, host and outcomes", ErrInput)
	}
	var c Case
	if err := readStrict(raw.Request, &c.Request); err != nil {
		return Case{}, fmt.Errorf("%w: request: %w", ErrInput, err)
	}
	if err := c.Request.check(); err != nil {
		return Case{}, wrapInput("request", err)
	}
	var err error
	if c.Host, err = ReadHost(raw.Host); err != nil {
		return Case{}, err
	}
	for i, r := range raw.Outcomes {
		o := r.outcome()
		if err := o.check(); err != nil {
			return Case{}, wrapInput(fmt.Sprintf("outcomes[%d]", i), err)
		}
		c.Outcomes = append(c.Outcomes, o)
	}
	return c, nil
}

// reported is an outcome as tools tell it, who say in more than one way that a page had no content.
type reported struct {
	Outcome
	Body json.RawMessage `json:"body"` // false, empty or "skeleton": there was none
}

func (r reported) outcome() Outcome {
	o := r.Outcome
	switch string(r.Body) {
	case `false`, `""`, `"skeleton"`:
		o.Skeleton = true
	}
	if o.Result == SkeletonOnly {
		o.Result, o.Skeleton = OK, true
	}
	return o
}

// wrapInput names the field in which something is wrong.
func wrapInput(where string, err error) error { return fmt.Errorf("%w: %s.%w", ErrInput, where, err) }
