package web

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// answer is what tools say, in the several words that they say it in.
type answer struct {
	reported
	Error   json.RawMessage `json:"error"` // a code, or an object with one
	Results json.RawMessage `json:"results"`
	Items   json.RawMessage `json:"items"`
	URL     string          `json:"url"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"`
	Data    json.RawMessage `json:"data"`
}

const (
	mostFound    = 50
	longestFound = 2000 // bytes of an address
)

// ReadOutcome reads what a tool answered: JSON, or a text. Only a search brings addresses that may become
// targets; whatever else a page says is data.
func ReadOutcome(c Capability, value json.RawMessage) Outcome {
	value = unquoted(bytes.TrimSpace(value))
	var a answer
	object := bytes.HasPrefix(value, []byte("{")) && json.Unmarshal(value, &a) == nil
	o := Outcome{Result: OK}
	if object {
		o = a.outcome()
		o.URLs, o.Result = nil, a.result(o.Result)
		if o.RetryAfter != nil && !(*o.RetryAfter >= 0) {
			o.RetryAfter = nil
		}
	}
	if o.Result != OK {
		return o
	}
	if c == Discover {
		o.URLs = found(value, a)
		if len(o.URLs) == 0 && empty(value, object, a) {
			o.Result = "empty_results"
		}
		return o
	}
	if empty(value, object, a) {
		o.Skeleton = c != Structure
		if c == Structure {
			o.Result = "empty_results"
		}
	}
	return o
}

// unquoted gives the list or object that a text holds.
func unquoted(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	inner := json.RawMessage(strings.TrimSpace(text))
	if (bytes.HasPrefix(inner, []byte("[")) || bytes.HasPrefix(inner, []byte("{"))) && json.Valid(inner) {
		return inner
	}
	return value
}

// result is a failure that the tool itself names, or ok.
func (a answer) result(said string) string {
	var code string
	var object struct{ Code string }
	switch {
	case len(a.Error) == 0 || string(a.Error) == "null":
	case json.Unmarshal(a.Error, &code) == nil && code != "":
		return string(ReadCode(code))
	case json.Unmarshal(a.Error, &object) == nil && object.Code != "":
		return string(ReadCode(object.Code))
	default:
		return string(Unknown)
	}
	if said == "" || said == OK {
		return OK
	}
	return string(ReadCode(said))
}

// empty says whether an answer holds nothing.
func empty(value json.RawMessage, object bool, a answer) bool {
	if !object {
		return nothing(value)
	}
	if a.Text != "" {
		return strings.TrimSpace(a.Text) == ""
	}
	parts := []json.RawMessage{a.Body, a.Content, a.Data, a.Results, a.Items}
	named := slices.ContainsFunc(parts, func(raw json.RawMessage) bool { return raw != nil })
	filled := slices.ContainsFunc(parts, func(raw json.RawMessage) bool { return !nothing(raw) })
	return named && !filled || string(value) == "{}"
}

func nothing(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) == "" {
		return true
	}
	return len(raw) == 0 || slices.Contains([]string{"null", "[]", "{}", "false"}, string(raw))
}

// found gives the addresses of a search: those in its list, else those in its text.
func found(value json.RawMessage, a answer) []string {
	var out []string
	add := func(address string) {
		if address != "" && len(address) <= longestFound && len(out) < mostFound && !slices.Contains(out, address) {
			out = append(out, address)
		}
	}
	for _, address := range a.URLs {
		add(address)
	}
	for _, list := range []json.RawMessage{value, a.Results, a.Items, a.Data} {
		for _, one := range listOf(list) {
			add(one)
		}
	}
	if len(out) > 0 {
		return out
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = a.Text
	}
	for _, address := range TypedURLs(text) {
		add(address)
	}
	return out
}

// listOf gives the addresses of a list of texts and objects.
func listOf(raw json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []string
	for _, one := range list {
		var text string
		var object struct{ URL, Link, Href string }
		switch {
		case json.Unmarshal(one, &text) == nil:
			out = append(out, text)
		case json.Unmarshal(one, &object) == nil:
			out = append(out, object.URL, object.Link, object.Href)
		}
	}
	return out
}

// Mishap is a call that ended badly, as whoever made it tells it.
type Mishap struct {
	Class      string // timeout, cancelled, lost, or any other
	Code       string
	Status     int     // of an HTTP answer
	RetryAfter float64 // seconds; 0: not said
	Said       string  // the end of what a program said; a last line that is a code names the failure
}

// mishaps names what ways of asking end with.
var mishaps = map[string]Code{
	"http_unreachable": "connection_reset", "http_interrupted": "connection_reset", "http_tls": "security_block", "http_redirect": "invalid_url",
	"http_not_json": "parse_failed", "http_not_text": "parse_failed", "result_too_large": "parse_failed",
	"exec_not_found": "tool_missing", "exec_not_executable": "tool_missing", "exec_not_started": "tool_missing",
	"mcp_not_found": "tool_missing", "mcp_unknown_server": "tool_missing", "mcp_unreachable": "tool_missing", "mcp_not_executable": "tool_missing",
	"mcp_unknown_tool": "unsupported_command", "mcp_arguments": "unsupported_command", "secret_missing": "tool_missing",
}

// Outcome names a call that ended badly as the table of recoveries does. One whose worker is gone is a
// connection that was lost: reading may be tried again, and what a write did nobody knows.
func (m Mishap) Outcome() Outcome {
	o := Outcome{Result: string(m.code())}
	if m.RetryAfter > 0 {
		o.RetryAfter = &m.RetryAfter
	}
	return o
}

func (m Mishap) code() Code {
	lines := strings.Split(strings.TrimSpace(m.Said), "\n")
	said := ReadCode(lines[len(lines)-1])
	switch {
	case m.Class == "timeout":
		return "timeout"
	case m.Class == "cancelled":
		return "cancelled"
	case m.Class == "lost":
		return "connection_reset"
	case rowOf(Code(m.Code)).code != Unknown:
		return Code(m.Code)
	case m.Status != 0:
		return StatusCode(m.Status)
	case m.Said != "" && said != Unknown:
		return said
	case mishaps[m.Code] != "":
		return mishaps[m.Code]
	}
	return Unknown
}
