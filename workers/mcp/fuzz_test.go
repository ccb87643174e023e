package mcp

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// FuzzConfig: a file that is taken says of every server how it is reached.
func FuzzConfig(f *testing.F) {
	for _, raw := range []string{
		`{"servers":{"a":{"command":["x"]},"b":{"url":"https://b/mcp"}}}`, `{"servers":null}`, `null`, `{"servers":{"":{"url":"//"}}}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := readConfig(raw)
		if err != nil {
			return
		}
		for name, s := range c.Servers {
			if (s.URL == "") == (len(s.Command) == 0) {
				t.Errorf("%q: server %q was taken as %+v", raw, name, s)
			}
		}
	})
}

// FuzzParse: settings that are taken name a tool and have arguments.
func FuzzParse(f *testing.F) {
	for _, raw := range []string{`{"server":"a","tool":"b"}`, `{"command":["a"],"tool":"b","arguments":{"c":1}}`, `{"server":"a","tool":"b","arguments":null}`, `[]`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := parse(raw)
		if err != nil {
			return
		}
		var arguments map[string]any
		if s.Tool == "" || json.Unmarshal(s.Arguments, &arguments) != nil || arguments == nil {
			t.Errorf("%q was taken as %+v", raw, s)
		}
	})
}

// FuzzValue: whatever a tool gives is one JSON document or an error.
func FuzzValue(f *testing.F) {
	for _, raw := range []string{
		`{"content":[{"type":"text","text":"{\"a\":1e400}"}],"structuredContent":{"a":1}}`, `{"content":[]}`, `{"structuredContent":null}`,
		`{"content":[{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"text","text":""}]}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var result sdk.CallToolResult
		if json.Unmarshal(raw, &result) != nil {
			return
		}
		if v, err := value(&result); err == nil && !json.Valid(v) {
			t.Errorf("%q gave %q", raw, v)
		}
	})
}
