package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
)

// The exit statuses that are no kind of refusal.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitRefused     = 6
	exitUnverified  = 9
	exitInterrupted = 130
)

// exits gives each kind of refusal its exit status.
var exits = map[sessions.Kind]int{
	sessions.Failed: exitFailed, sessions.Usage: exitUsage, sessions.NotFound: 3, sessions.Conflict: 4, sessions.Waits: 5,
	sessions.Refused: exitRefused, sessions.Unreachable: 7, sessions.Damaged: 8, sessions.Unverified: exitUnverified,
}

// answered ends a command that printed its answer with an exit status other than 0.
type answered int

func (s answered) Error() string { return fmt.Sprintf("answered with status %d", int(s)) }

// finish tells an error and gives the exit status.
func (a *app) finish(err error) int {
	var status answered
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	}
	r, code := a.refusal(err)
	if a.wantsJSON() {
		a.printJSON(map[string]any{"error": operation.Error{Code: r.Code, Message: r.Message, Hint: a.hint(r), Details: a.details(r)}})
	}
	fmt.Fprintf(a.err, "error: %s\n", projections.Escape(r.Code+": "+r.Message+"; "+a.place+"; "+a.hint(r)))
	return code
}

// details are what programs may want of a refusal, the command that met it at least.
func (a *app) details(r *sessions.Refusal) map[string]any {
	out := map[string]any{"command": a.place}
	if a.session != "" {
		out["session"] = a.session
	}
	for name, value := range r.Details {
		out[name] = value
	}
	return out
}

// refusal puts any error into the words of a refusal.
func (a *app) refusal(err error) (*sessions.Refusal, int) {
	var r *sessions.Refusal
	switch {
	case errors.As(err, &r):
		if code, ok := exits[r.Kind]; ok {
			return r, code
		}
		return r, exitFailed
	case errors.Is(err, context.Canceled):
		return sessions.Refuse(sessions.Failed, "interrupted", "look at the state before you repeat it", "the command was interrupted"), exitInterrupted
	case !a.began:
		return sessions.Refuse(sessions.Usage, "usage", "see `baton -h`", "%v", err), exitUsage
	}
	return sessions.Refuse(sessions.Failed, "failed", "see `baton doctor`", "%v", err), exitFailed
}

// printJSON writes one document, indented on a terminal.
func (a *app) printJSON(v any) error {
	raw, err := events.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	var out bytes.Buffer
	if isTerminal(a.out) {
		err = json.Indent(&out, raw, "", "  ")
	} else {
		err = json.Compact(&out, raw)
	}
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	out.WriteByte('\n')
	return a.write(out.Bytes())
}

func (a *app) write(text []byte) error {
	if _, err := a.out.Write(text); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// answer prints a value: as JSON with --json, else as the text that text writes.
func (a *app) answer(value any, text func(*page) error) error {
	if a.json {
		return a.printJSON(value)
	}
	p := &page{app: a, colour: a.coloured(a.out)}
	if err := text(p); err != nil {
		return err
	}
	return a.write(p.Bytes())
}

// as reads a raw answer into the type that a text is written from.
func as[T any](raw json.RawMessage, text func(*page, T)) func(*page) error {
	return func(p *page) error {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		text(p, v)
		return nil
	}
}

// reply prints a raw answer.
func reply[T any](a *app, raw json.RawMessage, err error, text func(*page, T)) error {
	if err != nil {
		return err
	}
	return a.answer(raw, as(raw, text))
}

// note tells a person something on stderr that is no answer.
func (a *app) note(format string, args ...any) {
	if a.quiet {
		return
	}
	p := &page{app: a, colour: a.coloured(a.err)}
	p.line(format, args...)
	_, _ = io.Copy(a.err, p)
}
