package events

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// cut takes a frame apart where it is written just as [Frame.message] writes it, which nearly all are:
// then its events are found without looking at them. Any other message is left to the JSON reader.
func cut(message []byte) (w frameWire, ok bool) {
	c := cutter{rest: message}
	w.V = int(c.number(`{"v":`))
	w.Session = c.plain(`,"session":"`)
	w.N = c.number(`,"n":`)
	w.Prev = c.plain(`,"prev":"`)
	w.Writer = c.plain(`,"writer":"`)
	c.expect(`,"events":`)
	const end = `,"hash":"`
	at := len(c.rest) - len(end) - hashLength - len(`"}`)
	if c.failed || at < len(`[]`) || c.rest[0] != '[' || c.rest[at-1] != ']' {
		return w, false
	}
	w.Events = json.RawMessage(c.rest[:at])
	c.rest = c.rest[at:]
	w.Hash = c.plain(end)
	return w, !c.failed && string(c.rest) == "}"
}

const hashLength = 64 // of a SHA-256 in hex

type cutter struct {
	rest   []byte
	failed bool
}

func (c *cutter) expect(what string) {
	rest, ok := bytes.CutPrefix(c.rest, []byte(what))
	c.rest, c.failed = rest, c.failed || !ok
}

// number reads a number as Go writes it.
func (c *cutter) number(after string) uint64 {
	c.expect(after)
	n := 0
	for n < len(c.rest) && c.rest[n] >= '0' && c.rest[n] <= '9' {
		n++
	}
	got, err := strconv.ParseUint(string(c.rest[:n]), 10, 63)
	c.failed = c.failed || err != nil || n > 1 && c.rest[0] == '0'
	c.rest = c.rest[n:]
	return got
}

// plain reads a string that holds nothing that JSON would escape, and its closing quote.
func (c *cutter) plain(after string) string {
	c.expect(after)
	for i, b := range c.rest {
		switch {
		case b == '"':
			text := string(c.rest[:i])
			c.rest = c.rest[i+1:]
			return text
		case b < ' ' || b > '~' || b == '\\':
			c.failed = true
			return ""
		}
	}
	c.failed = true
	return ""
}

// cutEvents takes a frame's events apart where each is written just as [Event.write] writes it.
func cutEvents(raw []byte) ([]wire, bool) {
	c := cutter{rest: raw}
	c.expect("[")
	out := make([]wire, 0, 4) // as many as a step in a chain has
	for !c.failed {
		if out = append(out, c.event()); c.failed || len(c.rest) == 0 {
			break
		}
		if string(c.rest) == "]" {
			return out, true
		}
		c.expect(",")
	}
	return nil, false
}

func (c *cutter) event() (w wire) {
	w.ID = c.plain(`{"id":"`)
	w.Type = c.plain(`,"type":"`)
	w.V = int(c.number(`,"v":`))
	at := c.plain(`,"time":"`)
	if c.failed || w.Time.UnmarshalText([]byte(at)) != nil {
		c.failed = true
		return w
	}
	w.Causation = c.maybe(`,"causation":"`)
	w.Actor = c.maybe(`,"actor":"`)
	w.Request = c.maybe(`,"request":"`)
	w.Command = c.maybe(`,"command":"`)
	c.expect(`,"data":`)
	n := object(c.rest)
	w.Data = json.RawMessage(c.rest[:n])
	c.rest = c.rest[n:]
	c.failed = c.failed || n == 0
	c.expect("}")
	return w
}

// maybe reads a string that need not be there.
func (c *cutter) maybe(after string) string {
	if !bytes.HasPrefix(c.rest, []byte(after)) {
		return ""
	}
	return c.plain(after)
}

// object is the length of the JSON object at the beginning, 0 when there is none. What is in it is for the
// JSON reader to judge.
func object(raw []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{':
			depth++
		case b == '}':
			depth--
		}
		if depth == 0 {
			if raw[0] != '{' {
				return 0
			}
			return i + 1
		}
	}
	return 0
}
