package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/seal"
)

// Report is what a bundle was found to hold.
type Report struct {
	Installation string   `json:"installation"`
	Session      string   `json:"session"`
	Sessions     []string `json:"sessions"` // it and those that it was forked from
	Commits      int      `json:"commits"`
	Events       int      `json:"events"`
	Values       int      `json:"values"`
	Erased       int      `json:"erased"` // values that are named and no longer kept
	Last         string   `json:"last"`   // hash of the session's last commit
	Seals        []Seal   `json:"seals,omitempty"`
}

// Seal is a checkpoint that a bundle brings along, of which it was found that its session is in it.
type Seal struct {
	Session  string `json:"session"`
	Commits  uint64 `json:"commits"`  // that the session had then
	Sequence uint64 `json:"sequence"` // of the log then
	Key      string `json:"key"`      // that verified it
}

// Verify reads a bundle to its end and checks all that it holds: every commit by its hash and its chain,
// every value by its hash, that each value which a commit names is there, and that each seal holds.
func Verify(from io.Reader) (Report, error) {
	v := verifier{links: map[string]events.Link{}, named: map[string]bool{}, held: map[string]bool{}, passed: map[events.Link]bool{}}
	err := read(from, v.head, v.line)
	if err == nil {
		err = v.whole()
	}
	v.report.Sessions = slices.Sorted(maps.Keys(v.links))
	v.report.Last = v.links[v.report.Session].Hash
	return v.report, err
}

type verifier struct {
	report Report
	links  map[string]events.Link
	named  map[string]bool
	held   map[string]bool
	seals  []seal.Proof
	passed map[events.Link]bool // of every line, each place it went through
}

func (v *verifier) head(h Head) error {
	v.report.Installation, v.report.Session = h.Installation, h.Session
	return nil
}

func (v *verifier) line(l line) error {
	switch {
	case l.Frame != nil:
		return v.frame(l.Frame)
	case l.SHA != "":
		sum := sha256.Sum256(l.Value)
		if hex.EncodeToString(sum[:]) != l.SHA {
			return fmt.Errorf("%w: a value does not hash to %.12s", events.ErrDamaged, l.SHA)
		}
		v.held[l.SHA] = true
		v.report.Values++
	case l.Seal != nil:
		v.seals = append(v.seals, *l.Seal)
	case l.Erased != "":
		v.held[l.Erased] = true
		v.report.Erased++
	}
	return nil
}

func (v *verifier) frame(message []byte) error {
	f, err := events.Open(message)
	if err != nil {
		return err
	}
	last, known := v.links[f.Session]
	if !known {
		last = events.Genesis(v.report.Installation, f.Session)
	}
	if err := f.Follows(last); err != nil {
		return err
	}
	v.links[f.Session] = f.Link()
	v.passed[f.Link()] = true
	v.report.Commits++
	v.report.Events += len(f.Events)
	for _, sha := range Named(f) {
		v.named[sha] = true
	}
	return nil
}

func (v *verifier) whole() error {
	if v.links[v.report.Session].N == 0 {
		return fmt.Errorf("%w: it holds no commit of session %s", ErrBundle, v.report.Session)
	}
	for _, sha := range slices.Sorted(maps.Keys(v.named)) {
		if !v.held[sha] {
			return fmt.Errorf("%w: value %.12s is named and not there", ErrBundle, sha)
		}
	}
	for _, p := range v.seals {
		if err := v.sealed(p); err != nil {
			return err
		}
	}
	return nil
}

// sealed checks that a line went through the place at which it was sealed. A commit's hash covers its session.
func (v *verifier) sealed(p seal.Proof) error {
	c, err := p.Verify()
	if err != nil {
		return err
	}
	session := strings.TrimPrefix(p.Head.Line, "session.")
	if c.Installation != v.report.Installation || v.links[session].N < p.Head.N || !v.passed[p.Head.Link] {
		return fmt.Errorf("%w: session %s had commit %d, %.12s, when it was made", seal.ErrSeal, session, p.Head.N, p.Head.Hash)
	}
	v.report.Seals = append(v.report.Seals, Seal{session, p.Head.N, c.Sequence, p.Key})
	return nil
}

// Named lists the large values that a commit's events name, each once, as they come.
func Named(f events.Frame) []string {
	var out []string
	for _, event := range f.Events {
		raw, err := events.Marshal(event.Data)
		if err != nil {
			continue // an event of a newer Baton, whose bytes the chain covers
		}
		var data any
		if json.Unmarshal(raw, &data) == nil {
			out = names(out, data)
		}
	}
	return out
}

// names finds what is written as a value that rests elsewhere: a SHA-256 beside a size.
func names(out []string, data any) []string {
	switch v := data.(type) {
	case map[string]any:
		sha, isText := v["sha256"].(string)
		if _, sized := v["size"].(float64); sized && isText && !slices.Contains(out, sha) {
			out = append(out, sha)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = names(out, v[key])
		}
	case []any:
		for _, one := range v {
			out = names(out, one)
		}
	}
	return out
}
