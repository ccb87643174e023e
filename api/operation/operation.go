// Package operation is the one table of what Baton can be asked to do: each line with the command of the
// shell, the MCP tool and the HTTP route that do the same, with schemas and an example.
//
// An operation decodes its input, asks the server behind it, and gives the JSON that the command prints
// with --json. It decides nothing: what a rule says is said by the server, and what both a command and an
// operation need stands here once. The doors (HTTP, MCP, the page) are made from the table.
package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// Backend is a server that decides, in this process or another.
type Backend interface {
	Do(ctx context.Context, session string, c workflows.Command, m engine.Meta) (json.RawMessage, error)
	Query(ctx context.Context, name, session string, question any) (json.RawMessage, error)
}

// Caller is who asks: through which server, under which name, and with which request id, by which asking
// again is harmless.
type Caller struct {
	Backend
	Meta engine.Meta
}

// Operation is one line of the table.
type Operation struct {
	Name    string // in the OpenAPI document: "call.open"
	Command string // of the shell that does the same: "call open"
	Tool    string // of MCP; "": it has none
	Route   string // of HTTP, as net/http's mux reads it: "POST /v1/sessions/{session}/calls"; "": it has none
	Summary string
	work    work
}

// work is what an operation does, whatever the types of its input and output.
type work struct {
	in, out reflect.Type
	example any
	do      func(ctx context.Context, c Caller, input json.RawMessage) (Answer, error)
}

// Answer is what came of an operation. Next is the cursor of the rest of a list; "": that was all.
type Answer struct {
	JSON json.RawMessage
	Next string
}

// Do carries the operation out on an input in JSON, which is read strictly: a misspelt field is told.
// Errors are those of the server, refusals as *sessions.Refusal.
func (o Operation) Do(ctx context.Context, c Caller, input json.RawMessage) (Answer, error) {
	return o.work.do(ctx, c, input)
}

// Writes says whether the operation may change something.
func (o Operation) Writes() bool { return o.Method() != "GET" && !slices.Contains(looks, o.Name) }

// Method is the method of the route.
func (o Operation) Method() string {
	method, _, _ := strings.Cut(o.Route, " ")
	return method
}

// Path is the pattern of the route's path.
func (o Operation) Path() string {
	_, path, _ := strings.Cut(o.Route, " ")
	return path
}

// Example is an input that passes the input's schema.
func (o Operation) Example() (json.RawMessage, error) { return events.Marshal(o.work.example) }

// Input is the JSON Schema of the input.
func (o Operation) Input() (*jsonschema.Schema, error) { return schemaOf(o.work.in) }

// Output is the JSON Schema of the answer. A later version may answer more fields.
func (o Operation) Output() (*jsonschema.Schema, error) {
	s, err := schemaOf(o.work.out)
	if err != nil {
		return nil, err
	}
	loosen(s)
	return s, nil
}

// Find gives the operation of a name.
func Find(name string) (Operation, bool) {
	i := slices.IndexFunc(table, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return Operation{}, false
	}
	return table[i], true
}

// Table gives all operations, in the order in which people read them.
func Table() []Operation { return slices.Clone(table) }

// workOf puts the types of input and output around what an operation does.
func workOf[Out, In any](example In, do func(context.Context, Caller, In) (Answer, error)) work {
	return work{in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](), example: example, do: func(ctx context.Context, c Caller, input json.RawMessage) (Answer, error) {
		var in In
		if err := read(input, &in); err != nil {
			return Answer{}, err
		}
		return do(ctx, c, in)
	}}
}

// raw is an operation whose answer comes as JSON already.
func raw[Out, In any](example In, do func(context.Context, Caller, In) (json.RawMessage, error)) work {
	return workOf[Out](example, func(ctx context.Context, c Caller, in In) (Answer, error) {
		out, err := do(ctx, c, in)
		return Answer{JSON: out}, err
	})
}

// typed is an operation that puts its answer together itself.
func typed[Out, In any](example In, do func(context.Context, Caller, In) (Out, error)) work {
	return workOf[Out](example, func(ctx context.Context, c Caller, in In) (Answer, error) {
		out, err := do(ctx, c, in)
		if err != nil {
			return Answer{}, err
		}
		encoded, err := events.Marshal(out)
		return Answer{JSON: encoded}, err
	})
}

// read reads an input strictly; nothing at all is an input without fields.
func read(input json.RawMessage, into any) error {
	if len(bytes.TrimSpace(input)) == 0 {
		return nil
	}
	if !utf8.Valid(input) {
		return badInput(errNoText)
	}
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return badInput(err)
	}
	if dec.More() {
		return badInput(errTwo)
	}
	return nil
}

var (
	errNoText = errors.New("it is no UTF-8")
	errTwo    = errors.New("it is more than one JSON value")
)

func badInput(err error) error {
	return sessions.Refuse(sessions.Usage, "bad_request", "send one JSON object with the fields that the operation's schema names", "the input cannot be read: %v", err)
}

// ask asks the server and reads the answer.
func ask[T any](ctx context.Context, c Caller, query, session string, question any) (T, error) {
	return engine.As[T](c.Query(ctx, query, session, question))
}

// FindSession gives the session of an id, a unique prefix, or @last.
func FindSession(ctx context.Context, b Backend, id string) (string, error) {
	if IsSession(id) {
		return id, nil
	}
	return KnownSession(ctx, b, id)
}

// KnownSession is FindSession for a session that must be there.
func KnownSession(ctx context.Context, b Backend, id string) (string, error) {
	row, err := ask[projections.SessionRow](ctx, Caller{Backend: b}, "session.find", "", engine.FindAsk{ID: id})
	return row.ID, err
}
