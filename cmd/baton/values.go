package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// maxValue bounds what is read from a file or stdin: the hard limit of a result.
const maxValue = 64 << 20

// pairs reads K=V values: V is JSON where it parses as such, else text.
func pairs(flag string, given []string) (map[string]json.RawMessage, error) {
	if len(given) == 0 {
		return nil, nil
	}
	out := make(map[string]json.RawMessage, len(given))
	for _, pair := range given {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, sessions.Refuse(sessions.Usage, "bad_pair", "write it as key=value", "--%s %q is no key=value", flag, cut(pair, 60))
		}
		if _, twice := out[key]; twice {
			return nil, sessions.Refuse(sessions.Usage, "twice", "give each key once", "--%s gives %q twice", flag, key)
		}
		if raw, ok := asJSON(value); ok {
			out[key] = raw
			continue
		}
		raw, err := asText(flag, value)
		if err != nil {
			return nil, err
		}
		out[key] = raw
	}
	return out, nil
}

// valuePairs are pairs as values of events.
func valuePairs(flag string, given []string) (map[string]events.Value, error) {
	raw, err := pairs(flag, given)
	if raw == nil || err != nil {
		return nil, err
	}
	out := make(map[string]events.Value, len(raw))
	for key, value := range raw {
		out[key] = events.Value{JSON: value}
	}
	return out, nil
}

// asJSON gives the value if the text is one JSON value, without white space around or within.
func asJSON(text string) (json.RawMessage, bool) {
	var out bytes.Buffer
	if !utf8.ValidString(text) || json.Compact(&out, []byte(text)) != nil || out.Len() == 0 {
		return nil, false
	}
	return out.Bytes(), true
}

// asText gives the text as a JSON string. Bytes that are no text are refused, not replaced.
func asText(what, text string) (json.RawMessage, error) {
	if !utf8.ValidString(text) {
		return nil, sessions.Refuse(sessions.Usage, "bad_text", "give it as UTF-8, or put the path of the file there", "the value of %s is no UTF-8 text", what)
	}
	raw, err := events.Marshal(text)
	if err != nil {
		return nil, fmt.Errorf("encode the value of %s: %w", what, err)
	}
	return raw, nil
}

// readFrom reads the file at path, or stdin for "-", up to a limit.
func (a *app) readFrom(path string, limit int64) ([]byte, error) {
	if path == "-" {
		return host.ReadAll(a.in, path, limit)
	}
	return host.ReadFile(path, limit)
}

// errNoJSON says that a text was to be JSON and is not.
var errNoJSON = errors.New("no JSON value")

// jsonObject reads the JSON object of a flag; nil when the flag is not given.
func jsonObject(flag, text string) (json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	raw, ok := asJSON(text)
	if !ok || raw[0] != '{' {
		return nil, sessions.Refuse(sessions.Usage, "bad_json", "give one JSON object, like {\"tokens\":1200}", "--%s: %v", flag, errNoJSON)
	}
	return raw, nil
}
