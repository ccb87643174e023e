package source

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

const (
	defaultBudget = 10
	mostBudget    = 1000
	longestText   = 500 // characters of a subject
)

// input is a description of a task, normalised: every field is there, in range and without repeats.
// The fields stand in the order of their names, so that encoded it is canonical.
type input struct {
	Providers   []string `json:"available_providers"`
	Sources     []Source `json:"available_sources"`
	Budget      int      `json:"budget_limit"` // searches
	Freshness   string   `json:"freshness_required"`
	Goal        string   `json:"goal_mode"`
	Gaps        []string `json:"information_gaps"`
	Material    material `json:"local_material"`
	WantCounter bool     `json:"need_counter_evidence"`
	Domains     []string `json:"preferred_domains"`
	Subject     string   `json:"primary_subject"`
	Retrieval   bool     `json:"retrieval_only"`
	Task        string   `json:"task_type"`

	repeated []Source // sources that were listed again
}

// material says how many documents on the subject are known to be at hand.
type material struct {
	LocalFile int `json:"local_file"`
	Vector    int `json:"vector"`
}

func (m material) known(s Source) bool {
	return s == Vector && m.Vector > 0 || s == LocalFile && m.LocalFile > 0
}

// namespaceURL is the namespace of UUIDs made from URLs, as RFC 9562 gives it.
var namespaceURL = []byte{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}

// id names the task after all that was said of it: the same description has the same id.
func (in input) id() (string, error) {
	text, err := in.canonical()
	if err != nil {
		return "", err
	}
	return "SR-" + hex.EncodeToString(uuid5(uuid5(namespaceURL, []byte("urn:source-router:v1")), text))[:8], nil
}

// canonical is the input as JSON: keys in order, no blanks, characters as they are.
func (in input) canonical() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(in); err != nil {
		return nil, fmt.Errorf("encode the input: %w", err)
	}
	return separators(bytes.TrimSuffix(buf.Bytes(), []byte("\n"))), nil
}

// separators writes U+2028 and U+2029 as they are: the encoder escapes them, other languages do not.
func separators(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case bytes.HasPrefix(rest, []byte(`\u2028`)):
			out, i = append(out, "\u2028"...), i+5
		case bytes.HasPrefix(rest, []byte(`\u2029`)):
			out, i = append(out, "\u2029"...), i+5
		case rest[0] == '\\' && len(rest) > 1:
			out, i = append(out, rest[0], rest[1]), i+1
		default:
			out = append(out, rest[0])
		}
	}
	return out
}

// uuid5 is the UUID of a name within a namespace, version 5.
func uuid5(namespace, name []byte) []byte {
	sum := sha1.Sum(append(bytes.Clone(namespace), name...))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return id
}
