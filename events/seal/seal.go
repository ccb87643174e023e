// Package seal is a signed statement of how far every line of a log had come: its last commit's number and
// hash, as a leaf each of a Merkle tree, whose root stands in a checkpoint that is signed like the notes of
// Go's checksum database. Whoever keeps a checkpoint can tell later whether the log still holds all of it,
// and a single line's place in it is proved by a few hashes, without the others.
//
// What a checkpoint cannot tell is what came after it.
package seal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/batonflow/baton/events"
)

// ErrSeal says that a checkpoint is none, was not signed by whose it should be, or does not hold what it is
// said to hold.
var ErrSeal = errors.New("the seal does not hold")

// Head is how far a line had come.
type Head struct {
	Line string `json:"line"`
	events.Link
}

// leaf is the head as a record of the tree.
func (h Head) leaf() tlog.Hash {
	return tlog.RecordHash(fmt.Appendf(nil, "%s\n%d\n%s\n", h.Line, h.N, h.Hash))
}

// Checkpoint is what is signed.
type Checkpoint struct {
	Installation string
	Epoch        int
	Sequence     uint64 // up to which the log was read
	Size         int64  // lines
	Root         tlog.Hash
}

const origin = "baton log "

// Text is the checkpoint as lines: origin, size and root as everywhere, then what is Baton's own.
func (c Checkpoint) Text() string {
	return fmt.Sprintf("%s%s\n%d\n%s\nepoch %d\nsequence %d\n", origin, c.Installation, c.Size, c.Root, c.Epoch, c.Sequence)
}

func parse(text string) (c Checkpoint, err error) {
	line := strings.Split(text, "\n")
	if len(line) != 6 || !strings.HasPrefix(line[0], origin) {
		return c, fmt.Errorf("%w: it is no checkpoint", ErrSeal)
	}
	c.Installation = strings.TrimPrefix(line[0], origin)
	var errs [4]error
	c.Size, errs[0] = strconv.ParseInt(line[1], 10, 64)
	c.Root, errs[1] = tlog.ParseHash(line[2])
	c.Epoch, errs[2] = strconv.Atoi(strings.TrimPrefix(line[3], "epoch "))
	c.Sequence, errs[3] = strconv.ParseUint(strings.TrimPrefix(line[4], "sequence "), 10, 64)
	if err := errors.Join(errs[:]...); err != nil || c.Text() != text {
		return c, fmt.Errorf("%w: it is no checkpoint", ErrSeal)
	}
	return c, nil
}

// Sealed is a checkpoint with what it rests on.
type Sealed struct {
	Note  string `json:"note"` // the checkpoint and its signature
	Key   string `json:"key"`  // that verifies it
	Heads []Head `json:"heads"`
}

// Make signs a checkpoint over the heads of all lines with a key as note.GenerateKey gives it.
func Make(c Checkpoint, heads []Head, signingKey, verifyingKey string) (Sealed, error) {
	heads = slices.SortedFunc(slices.Values(heads), func(a, b Head) int { return strings.Compare(a.Line, b.Line) })
	t, err := grow(heads)
	if err != nil {
		return Sealed{}, err
	}
	c.Size = int64(len(heads))
	if c.Root, err = t.root(); err != nil {
		return Sealed{}, err
	}
	signer, err := note.NewSigner(signingKey)
	if err != nil {
		return Sealed{}, fmt.Errorf("sign a checkpoint: %w", err)
	}
	signed, err := note.Sign(&note.Note{Text: c.Text()}, signer)
	if err != nil {
		return Sealed{}, fmt.Errorf("sign a checkpoint: %w", err)
	}
	return Sealed{Note: string(signed), Key: verifyingKey, Heads: heads}, nil
}

// Verify gives the checkpoint if it was signed by the key and its root is that of the heads.
func (s Sealed) Verify() (Checkpoint, error) {
	c, err := open(s.Note, s.Key)
	if err != nil {
		return c, err
	}
	t, err := grow(s.Heads)
	if err != nil {
		return c, err
	}
	root, err := t.root()
	if err != nil || root != c.Root || c.Size != int64(len(s.Heads)) {
		return c, fmt.Errorf("%w: its root is not that of its %d lines", ErrSeal, len(s.Heads))
	}
	return c, nil
}

func open(text, key string) (Checkpoint, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrSeal, err)
	}
	n, err := note.Open([]byte(text), note.VerifierList(verifier))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrSeal, err)
	}
	return parse(n.Text)
}

// Proof shows that a line had come so far when a checkpoint was made.
type Proof struct {
	Note  string   `json:"note"`
	Key   string   `json:"key"`
	Head  Head     `json:"head"`
	Index int64    `json:"index"` // of its leaf
	Path  []string `json:"path"`  // hashes, base64
}

// Prove gives the proof for a line; false when the seal does not have it.
func (s Sealed) Prove(line string) (Proof, bool, error) {
	i := slices.IndexFunc(s.Heads, func(h Head) bool { return h.Line == line })
	if i < 0 {
		return Proof{}, false, nil
	}
	t, err := grow(s.Heads)
	if err != nil {
		return Proof{}, false, err
	}
	path, err := tlog.ProveRecord(int64(len(s.Heads)), int64(i), t)
	if err != nil {
		return Proof{}, false, fmt.Errorf("prove line %s: %w", line, err)
	}
	p := Proof{Note: s.Note, Key: s.Key, Head: s.Heads[i], Index: int64(i), Path: []string{}}
	for _, hash := range path {
		p.Path = append(p.Path, hash.String())
	}
	return p, true, nil
}

// Verify gives the checkpoint if it was signed by the key and holds the line's head.
func (p Proof) Verify() (Checkpoint, error) {
	c, err := open(p.Note, p.Key)
	if err != nil {
		return c, err
	}
	var path tlog.RecordProof
	for _, text := range p.Path {
		hash, err := tlog.ParseHash(text)
		if err != nil {
			return c, fmt.Errorf("%w: %w", ErrSeal, err)
		}
		path = append(path, hash)
	}
	if p.Index < 0 || p.Index >= c.Size {
		return c, fmt.Errorf("%w: it has no leaf %d", ErrSeal, p.Index)
	}
	if err := tlog.CheckRecord(path, c.Size, c.Root, p.Index, p.Head.leaf()); err != nil {
		return c, fmt.Errorf("%w: line %s is not in it: %w", ErrSeal, p.Head.Line, err)
	}
	return c, nil
}

// tree holds the hashes of all nodes, as package tlog lays them out.
type tree struct {
	size   int64
	hashes []tlog.Hash
}

var _ tlog.HashReader = (*tree)(nil)

func grow(heads []Head) (*tree, error) {
	t := new(tree)
	for _, h := range heads {
		more, err := tlog.StoredHashesForRecordHash(t.size, h.leaf(), t)
		if err != nil {
			return nil, fmt.Errorf("tree of %d lines: %w", len(heads), err)
		}
		t.hashes = append(t.hashes, more...)
		t.size++
	}
	return t, nil
}

func (t *tree) root() (tlog.Hash, error) { return tlog.TreeHash(t.size, t) }

// ReadHashes gives hashes by their index.
func (t *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index < 0 || index >= int64(len(t.hashes)) {
			return nil, fmt.Errorf("there is no hash %d", index)
		}
		out[i] = t.hashes[index]
	}
	return out, nil
}

// KeyName is what a key for an installation is called.
func KeyName(installation string) string { return "baton-" + installation }
