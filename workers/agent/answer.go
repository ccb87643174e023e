package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
)

// usage is what an agent reports of its costs.
type usage struct {
	USD    json.Number `json:"usd,omitempty"`
	Tokens int64       `json:"tokens,omitempty"`
}

// outcome reads the agent's answer. An agent can say that it gave up and still exit with 0; one that
// exits otherwise has often said why on stdout.
func (p Profile) outcome(stdout []byte, failure *events.Failure) workers.Outcome {
	doc, ok := p.document(stdout)
	if !ok {
		if failure != nil {
			return workers.Outcome{Failure: failure}
		}
		return workers.Outcome{Value: exec.Value(stdout)}
	}
	said, answered := plain(doc, p.Answer.Result)
	why, gaveUp := p.gaveUp(doc)
	out := workers.Outcome{Usage: p.usage(doc)}
	switch reason := cmp.Or(why, said, "it did not say why"); {
	case failure != nil:
		failure.Message += ": " + reason
		out.Failure = failure
	case gaveUp:
		out.Failure = workers.Failed(workers.Retryable, "agent_failed", p.Name+" gave up: "+reason).Failure
	case !answered: // another version's shape: better all of it than nothing
		out.Value = exec.Value(stdout)
	default:
		out.Value = exec.Value([]byte(said))
	}
	return out
}

// document reads stdout as the JSON object that the profile promises.
func (p Profile) document(stdout []byte) (map[string]any, bool) {
	if p.Answer == nil {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(stdout))
	dec.UseNumber()
	var doc map[string]any
	return doc, dec.Decode(&doc) == nil && doc != nil
}

// gaveUp says whether the agent calls its own run a failure, and why if that is where it says so.
func (p Profile) gaveUp(doc map[string]any) (string, bool) {
	for _, v := range walk(doc, p.Answer.Failed) {
		switch v := v.(type) {
		case bool:
			return "", v
		case string:
			return v, v != ""
		}
	}
	return "", false
}

func (p Profile) usage(doc map[string]any) json.RawMessage {
	var u usage
	for _, v := range walk(doc, p.Answer.USD) {
		u.USD, _ = v.(json.Number)
	}
	for _, path := range p.Answer.Tokens {
		for _, v := range walk(doc, path) {
			if n, ok := v.(json.Number); ok {
				count, _ := n.Int64() // a count that is no whole number counts nothing
				u.Tokens += count
			}
		}
	}
	if u == (usage{}) {
		return nil
	}
	raw, _ := json.Marshal(u) // numbers always encode
	return raw
}

// plain gives what stands at a path, if anything, as text: a string as it is, all else as JSON.
func plain(doc map[string]any, path string) (string, bool) {
	found := walk(doc, path)
	if len(found) == 0 {
		return "", false
	}
	if s, ok := found[0].(string); ok {
		return s, true
	}
	raw, _ := events.Marshal(found[0]) // it came from JSON
	return string(raw), true
}

// walk gives everything at a dotted path, in the order of names; an empty path leads nowhere.
func walk(doc map[string]any, path string) []any {
	if path == "" {
		return nil
	}
	at := []any{doc}
	for name := range strings.SplitSeq(path, ".") {
		var next []any
		for _, v := range at {
			object, _ := v.(map[string]any)
			if name == "*" {
				for _, key := range slices.Sorted(maps.Keys(object)) {
					next = append(next, object[key])
				}
			} else if child, ok := object[name]; ok {
				next = append(next, child)
			}
		}
		at = next
	}
	return at
}
