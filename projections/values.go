package projections

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
)

// previewLength is how many characters of a value a trace holds; the whole is in the log.
const previewLength = 200

// preview shows a value in one short line: a text as itself, other JSON compact, a stored value by
// its hash.
func preview(v events.Value) string {
	if v.Stored() {
		return fmt.Sprintf("sha256:%.12s (%d bytes)", v.SHA256, v.Size)
	}
	var text string
	if json.Unmarshal(v.JSON, &text) == nil && text != "" {
		return short(text, previewLength)
	}
	var compact bytes.Buffer
	if json.Compact(&compact, v.JSON) != nil {
		return short(string(v.JSON), previewLength)
	}
	return short(compact.String(), previewLength)
}

func previews(values map[string]events.Value) map[string]string {
	if len(values) == 0 {
		return nil
	}
	out := make(map[string]string, len(values))
	for key, v := range values {
		out[key] = preview(v)
	}
	return out
}

// pairs joins a map as "key=value", by key.
func pairs(m map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, short(key, 60)+"="+m[key])
	}
	return strings.Join(parts, ", ")
}

// plain is the value as JSON; one that rests in the payload store as its hash and size.
func plain(v events.Value) json.RawMessage {
	switch {
	case v.Stored():
		raw, _ := events.Marshal(struct {
			SHA256 string `json:"sha256"`
			Size   int64  `json:"size"`
		}{v.SHA256, v.Size})
		return raw
	case len(v.JSON) == 0:
		return nil
	}
	return sound(v.JSON)
}

func plains(values map[string]events.Value) map[string]json.RawMessage {
	if len(values) == 0 {
		return nil
	}
	out := make(map[string]json.RawMessage, len(values))
	for key, v := range values {
		if raw := plain(v); raw != nil {
			out[key] = raw
		}
	}
	return out
}

// sound is raw itself, or, should it be no JSON, the text of it: rendering must not fail.
func sound(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || json.Valid(raw) {
		return raw
	}
	text, _ := events.Marshal(string(raw))
	return text
}

// indented writes JSON for people: two spaces, no HTML escapes, a final line break.
func indented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// instant is a time as projections keep it: UTC, without a monotonic reading.
func instant(t time.Time) time.Time { return t.Round(0).UTC() }

// seconds between two times, to the millisecond; 0 while one is missing.
func seconds(from, to time.Time) float64 {
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return to.Sub(from).Round(time.Millisecond).Seconds()
}
