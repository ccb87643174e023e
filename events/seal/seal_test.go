package seal_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/seal"
)

// made is a seal of so many lines.
func made(t rapid.TB, lines int, seed byte) seal.Sealed {
	signing, verifying, err := note.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{seed}, 64)), seal.KeyName("i"))
	if err != nil {
		t.Fatal(err)
	}
	var heads []seal.Head
	for i := range lines {
		heads = append(heads, seal.Head{Line: fmt.Sprintf("session.%03d", lines-i), Link: events.Link{N: uint64(i + 1), Hash: strings.Repeat("ab", 32)}})
	}
	s, err := seal.Make(seal.Checkpoint{Installation: "i", Epoch: 2, Sequence: 77}, heads, signing, verifying)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every line of a seal is proved by itself, and a proof of anything else does not hold.
func TestEveryLineIsProved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := made(t, rapid.IntRange(1, 40).Draw(t, "lines"), 1)
		c, err := s.Verify()
		if err != nil || c.Size != int64(len(s.Heads)) || c.Sequence != 77 || c.Epoch != 2 || c.Installation != "i" {
			t.Fatalf("sealed as %+v, %v", c, err)
		}
		i := rapid.IntRange(0, len(s.Heads)-1).Draw(t, "line")
		p, ok, err := s.Prove(s.Heads[i].Line)
		if !ok || err != nil {
			t.Fatalf("line %s is not proved, %v", s.Heads[i].Line, err)
		}
		if got, err := p.Verify(); err != nil || got != c {
			t.Fatalf("the proof gives %+v, %v", got, err)
		}
		for what, change := range map[string]func(*seal.Proof){
			"number":   func(p *seal.Proof) { p.Head.N++ },
			"hash":     func(p *seal.Proof) { p.Head.Hash = strings.Repeat("cd", 32) },
			"line":     func(p *seal.Proof) { p.Head.Line = "session.other" },
			"place":    func(p *seal.Proof) { p.Index = c.Size },
			"path":     func(p *seal.Proof) { p.Path = append(p.Path, p.Path...); p.Path = append(p.Path, "x") },
			"key":      func(p *seal.Proof) { p.Key = made(t, 1, 2).Key },
			"sequence": func(p *seal.Proof) { p.Note = strings.Replace(p.Note, "sequence 77", "sequence 78", 1) },
		} {
			other := p
			other.Path = append([]string{}, p.Path...)
			change(&other)
			if _, err := other.Verify(); !errors.Is(err, seal.ErrSeal) {
				t.Errorf("another %s: %v", what, err)
			}
		}
	})
}

func TestChangedSeal(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*seal.Sealed){
		"a line's hash":    func(s *seal.Sealed) { s.Heads[3].Hash = strings.Repeat("cd", 32) },
		"a line less":      func(s *seal.Sealed) { s.Heads = s.Heads[1:] },
		"a line more":      func(s *seal.Sealed) { s.Heads = append(s.Heads, s.Heads[0]) },
		"two lines change": func(s *seal.Sealed) { s.Heads[0], s.Heads[1] = s.Heads[1], s.Heads[0] },
		"another's key":    func(s *seal.Sealed) { s.Key = made(t, 1, 2).Key },
		"no key":           func(s *seal.Sealed) { s.Key = "" },
		"no signature":     func(s *seal.Sealed) { s.Note, _, _ = strings.Cut(s.Note, "\n\n") },
	} {
		s := made(t, 9, 1)
		change(&s)
		if _, err := s.Verify(); !errors.Is(err, seal.ErrSeal) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, ok, err := made(t, 3, 1).Prove("session.nowhere"); ok || err != nil {
		t.Errorf("a line that is not there is proved, %v", err)
	}
	part := strings.SplitN(made(t, 1, 1).Key, "+", 3)
	if len(part) != 3 || part[0] != seal.KeyName("i") {
		t.Fatalf("the key is %q", part)
	}
	if _, err := base64.StdEncoding.DecodeString(part[2]); err != nil {
		t.Errorf("the key is %q: %v", part, err)
	}
}
