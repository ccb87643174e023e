package quality

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/batonflow/baton/skills"
)

// Tool is one thing that may serve a request.
type Tool struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags,omitempty"`
	Params      []string `json:"params,omitempty"`
}

// Ask is a request with the ids of the tools that serve it; none means that nothing does.
type Ask struct {
	ID    string   `json:"id"`
	Query string   `json:"query"`
	Gold  []string `json:"gold"`
}

// Set is a pool of tools and requests to it.
type Set struct {
	Name    string
	Tools   []Tool
	Asks    []Ask
	Lexicon string // that requests are read by; "": the binary's
}

// Half is a half of a set.
type Half int

// Settings are picked on Tuning and reported on Report.
const (
	Tuning Half = iota
	Report
)

// HalfOf says in which half a request is, by a fixed hash of its id.
func HalfOf(id string) Half {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return Half(h.Sum32() >> 7 & 1)
}

// ReadSet reads the tools and the requests of a set, one JSON object a line.
func ReadSet(name string, tools, asks io.Reader) (Set, error) {
	s := Set{Name: name}
	if err := lines(tools, &s.Tools); err != nil {
		return s, fmt.Errorf("tools of %s: %w", name, err)
	}
	if err := lines(asks, &s.Asks); err != nil {
		return s, fmt.Errorf("requests of %s: %w", name, err)
	}
	return s, nil
}

const longestLine = 1 << 20

func lines[T any](r io.Reader, into *[]T) error {
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, longestLine)
	for n := 1; scan.Scan(); n++ {
		var v T
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		*into = append(*into, v)
	}
	return scan.Err()
}

// Only is the set with the requests of one half.
func (s Set) Only(h Half) Set {
	out := Set{Name: s.Name, Tools: s.Tools, Lexicon: s.Lexicon}
	for _, a := range s.Asks {
		if HalfOf(a.ID) == h {
			out.Asks = append(out.Asks, a)
		}
	}
	return out
}

// index makes skills of the tools. The path holds the id: names of tools are not unique.
func (s Set) index() skills.Index {
	list := make([]skills.Skill, 0, len(s.Tools))
	for _, t := range s.Tools {
		list = append(list, skills.Skill{
			Name: t.Name, Description: t.Description, Tags: t.Tags, Parameters: t.Params,
			Tier: skills.TierUser, Host: "eval", Path: t.ID, Trusted: true, Usable: true,
		})
	}
	return skills.NewIndex(list)
}

// names gives the names of tools by id.
func (s Set) names() map[string]string {
	out := map[string]string{}
	for _, t := range s.Tools {
		out[t.ID] = t.Name
	}
	return out
}
