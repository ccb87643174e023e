// Package bundle is a session as one file that verifies on a machine without the store: its commits as
// they stand in the log, those of the sessions that it was forked from, and the large values that they
// name.
//
// A bundle is lines of JSON: a head, a commit or a value each, and an end with the SHA-256 of every byte
// before it. Its chain starts from installation and session, so that a commit which was changed, removed,
// swapped or added is found, and the end covers what no chain does. Where the log was sealed, the bundle takes
// the signed checkpoint along and the proof that its session is in it. What a bundle cannot tell is whether
// commits came after its last one.
package bundle

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/batonflow/baton/events/seal"
)

// Version is the layout of the lines.
const Version = 1

// Head begins a bundle.
type Head struct {
	Bundle       int    `json:"bundle"` // Version
	Installation string `json:"installation"`
	Session      string `json:"session"`
}

// line is one of the lines after the head; one of its fields is set.
type line struct {
	Frame []byte      `json:"frame,omitempty"` // a commit's message, as it stands
	Value []byte      `json:"value,omitempty"` // a large value
	SHA   string      `json:"sha256,omitempty"`
	Seal  *seal.Proof `json:"seal,omitempty"` // how far a line had come when the log was sealed
	// Erased is the SHA-256 of a value that is no longer kept.
	Erased string `json:"erased,omitempty"`
	End    *end   `json:"end,omitempty"`
}

type end struct {
	Commits int    `json:"commits"`
	Values  int    `json:"values"`
	SHA256  string `json:"sha256"` // of every byte before this line
}

// Writer writes a bundle line by line; Close ends it.
type Writer struct {
	out hashed
	end end
}

// hashed writes and digests what it has written.
type hashed struct {
	to  io.Writer
	sum hash.Hash
}

func (h hashed) Write(p []byte) (int, error) {
	h.sum.Write(p)
	return h.to.Write(p)
}

// NewWriter begins a bundle.
func NewWriter(to io.Writer, head Head) (*Writer, error) {
	w := &Writer{out: hashed{to, sha256.New()}}
	head.Bundle = Version
	return w, w.put(head)
}

func (w *Writer) put(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	if _, err := w.out.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	return nil
}

// Frame adds a commit's message.
func (w *Writer) Frame(message []byte) error {
	w.end.Commits++
	return w.put(line{Frame: message})
}

// Value adds a large value.
func (w *Writer) Value(bytes []byte) error {
	w.end.Values++
	sum := sha256.Sum256(bytes)
	return w.put(line{Value: bytes, SHA: hex.EncodeToString(sum[:])})
}

// Erased says that a value which is named is no longer kept.
func (w *Writer) Erased(sha256 string) error { return w.put(line{Erased: sha256}) }

// Seal adds the proof of how far one of the lines had come when the log was sealed.
func (w *Writer) Seal(p seal.Proof) error { return w.put(line{Seal: &p}) }

// Close ends the bundle; the writer below it stays open.
func (w *Writer) Close() error {
	w.end.SHA256 = hex.EncodeToString(w.out.sum.Sum(nil))
	return w.put(line{End: &w.end})
}

// ErrBundle says that a text is no bundle, or not the whole of one.
var ErrBundle = errors.New("this is no whole bundle")

// maxLine bounds a line: a value of 64 MiB and what stands around it.
const maxLine = 96 << 20

// read goes through a bundle's lines, which must end with an end that covers all before it.
func read(from io.Reader, head func(Head) error, each func(line) error) error {
	in := bufio.NewScanner(from)
	in.Buffer(nil, maxLine)
	sum := sha256.New()
	counted := end{}
	for n := 0; in.Scan(); n++ {
		text := in.Bytes()
		if n == 0 {
			var h Head
			if err := strictly(text, &h); err != nil || h.Bundle != Version {
				return fmt.Errorf("%w: line 1 is no head of version %d", ErrBundle, Version)
			}
			if err := head(h); err != nil {
				return err
			}
		} else {
			var l line
			if err := strictly(text, &l); err != nil {
				return fmt.Errorf("%w: line %d: %w", ErrBundle, n+1, err)
			}
			if l.End != nil {
				counted.SHA256 = hex.EncodeToString(sum.Sum(nil))
				return ended(in, *l.End, counted)
			}
			counted.count(l)
			if err := each(l); err != nil {
				return fmt.Errorf("line %d: %w", n+1, err)
			}
		}
		sum.Write(text)
		sum.Write([]byte{'\n'})
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("read bundle: %w", err)
	}
	return fmt.Errorf("%w: it has no end", ErrBundle)
}

func (e *end) count(l line) {
	if l.Frame != nil {
		e.Commits++
	}
	if l.SHA != "" {
		e.Values++
	}
}

// ended checks the end against what came before it, and that nothing follows.
func ended(in *bufio.Scanner, said, counted end) error {
	if said != counted {
		return fmt.Errorf("%w: its end does not fit what stands before it", ErrBundle)
	}
	if in.Scan() {
		return fmt.Errorf("%w: something follows its end", ErrBundle)
	}
	return in.Err()
}

// strictly reads a line that must be written as this package writes it: no byte of it may differ.
func strictly(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	again, err := json.Marshal(into)
	if err == nil && string(again) != string(text) {
		err = errors.New("it is not written as a bundle is")
	}
	return err
}
