package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// ErrUncatalogued says that a fact outside the catalogue was to be stored.
var ErrUncatalogued = errors.New("event type is not in the catalogue")

var errNoJSON = errors.New("the fact is no JSON")

// wire is an event as it stands in a frame.
type wire struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	V         int             `json:"v"`
	Time      time.Time       `json:"time"`
	Causation string          `json:"causation,omitempty"`
	Actor     string          `json:"actor,omitempty"`
	Request   string          `json:"request,omitempty"`
	Command   string          `json:"command,omitempty"`
	Data      json.RawMessage `json:"data"`
}

// New makes an event of a fact, with its stored name and current version. The envelope's other
// fields are the committer's to fill.
func New(d Data) Event {
	e, ok := byKind[reflect.TypeOf(d)]
	if !ok {
		return Event{Data: d}
	}
	return Event{Type: e.Type, V: e.V, Data: d}
}

// Marshal gives JSON without HTML escapes and without a final line break.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// MarshalJSON writes the event as it is stored in a frame.
func (e Event) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	err := e.write(&buf)
	return buf.Bytes(), err
}

// write writes the event as [wire] says it, without going through its bytes once more.
func (e Event) write(buf *bytes.Buffer) error {
	if e.Type == "" {
		return ErrUncatalogued
	}
	b := buf.AvailableBuffer()
	b = text(append(b, `{"id":`...), e.ID)
	b = text(append(b, `,"type":`...), e.Type)
	b = strconv.AppendInt(append(b, `,"v":`...), int64(e.V), 10)
	at, err := e.Time.UTC().MarshalJSON()
	if err != nil {
		return fmt.Errorf("encode %s: %w", e.Type, err)
	}
	b = append(append(b, `,"time":`...), at...)
	for _, field := range []struct{ name, value string }{
		{`,"causation":`, e.Causation}, {`,"actor":`, e.Actor}, {`,"request":`, e.Request}, {`,"command":`, e.Command},
	} {
		if field.value != "" {
			b = text(append(b, field.name...), field.value)
		}
	}
	buf.Write(append(b, `,"data":`...))
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e.Data); err != nil {
		return fmt.Errorf("encode %s: %w", e.Type, err)
	}
	buf.Truncate(buf.Len() - 1) // the encoder's line break
	buf.WriteByte('}')
	return nil
}

// text writes a string as [Marshal] does.
func text(to []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(to, quote(s)...)
		}
	}
	return append(append(append(to, '"'), s...), '"')
}

// UnmarshalJSON reads a stored event, upcasting old versions. A type or version that this binary
// does not know becomes [Unknown]; that is no error here, but a decision on it is refused.
func (e *Event) UnmarshalJSON(raw []byte) error {
	var w wire
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	return e.take(w)
}

func (e *Event) take(w wire) error {
	data, v, err := decode(w)
	if err != nil {
		return fmt.Errorf("decode %s v%d: %w", w.Type, w.V, err)
	}
	*e = Event{w.ID, w.Type, v, w.Time, w.Causation, w.Actor, w.Request, w.Command, data}
	return nil
}

// decodeAll reads the events of a frame.
func decodeAll(raw []byte) ([]Event, error) {
	all, ok := cutEvents(raw)
	if !ok {
		all = nil
		if err := json.Unmarshal(raw, &all); err != nil {
			return nil, err
		}
	}
	out := make([]Event, len(all))
	for i, w := range all {
		if err := out[i].take(w); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func decode(w wire) (Data, int, error) {
	e, ok := byType[w.Type]
	if !ok || w.V > e.V || w.V < 1 {
		if !json.Valid(w.Data) {
			return nil, 0, errNoJSON
		}
		return Unknown{Raw: bytes.Clone(w.Data)}, w.V, nil
	}
	raw := w.Data
	for v := w.V; v < e.V; v++ {
		up, err := e.Upcast[v-1](raw)
		if err != nil {
			return nil, 0, fmt.Errorf("upcast to v%d: %w", v+1, err)
		}
		raw = up
	}
	data, err := e.decode(raw)
	return data, e.V, err
}
