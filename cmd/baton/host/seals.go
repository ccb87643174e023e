package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/seal"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/file"
)

const (
	sealFolder = "seals"
	sealKey    = "seal.key" // signs; its first line verifies
	lastSeal   = "last.json"
)

// Sealing is what came of sealing the log.
type Sealing struct {
	Checkpoint string `json:"checkpoint"` // the signed note: keep it somewhere else
	Key        string `json:"key"`        // that verifies it
	Lines      int64  `json:"lines"`
	Sequence   uint64 `json:"sequence"`
	File       string `json:"file"`
}

// seal signs how far every line of the log has come, and keeps it for audits.
func (s *Server) seal(ctx context.Context, _ string, _ engine.None) (any, error) {
	heads, sequence, err := s.engine.Heads(ctx)
	if err != nil {
		return nil, err
	}
	signing, verifying, err := s.sealKeys()
	if err != nil {
		return nil, err
	}
	c := seal.Checkpoint{Installation: s.store.Installation(), Epoch: 1, Sequence: sequence}
	if s.nats != nil {
		c.Epoch = s.nats.Standing().Epoch
	}
	sealed, err := seal.Make(c, heads, signing, verifying)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(sealed)
	if err != nil {
		return nil, err
	}
	folder := s.Home.path(sealFolder)
	path := filepath.Join(folder, fmt.Sprintf("%d.checkpoint", sequence))
	err = os.MkdirAll(folder, 0o700)
	if err == nil {
		err = file.Keep(path, []byte(sealed.Note), 0o600)
	}
	if err == nil {
		err = file.Keep(filepath.Join(folder, lastSeal), raw, 0o600)
	}
	if err != nil {
		return nil, s.Home.unwritable(err)
	}
	return Sealing{sealed.Note, verifying, int64(len(heads)), sequence, path}, nil
}

// sealKeys reads the installation's key, which is made once.
func (s *Server) sealKeys() (signing, verifying string, err error) {
	raw, err := os.ReadFile(s.Home.path(sealKey))
	if err == nil {
		verifying, signing, _ = strings.Cut(strings.TrimSpace(string(raw)), "\n")
		return signing, verifying, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", "", s.Home.unwritable(err)
	}
	if signing, verifying, err = note.GenerateKey(rand.Reader, seal.KeyName(s.store.Installation())); err != nil {
		return "", "", fmt.Errorf("make a key for seals: %w", err)
	}
	return signing, verifying, s.Home.write(sealKey, []byte(verifying+"\n"+signing+"\n"))
}

// sealed is the last seal; false when there is none.
func (s *Server) sealed() (out seal.Sealed, ok bool, err error) {
	raw, err := os.ReadFile(s.Home.path(sealFolder, lastSeal))
	if errors.Is(err, fs.ErrNotExist) {
		return out, false, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, true, err
}

// proof is the proof for a session that a bundle takes along; null when the log was not sealed, or before
// the session began.
func (s *Server) proof(_ context.Context, session string, _ engine.None) (any, error) {
	last, ok, err := s.sealed()
	if err != nil || !ok {
		return nil, err
	}
	p, there, err := last.Prove(string(stream.SessionEntity(session)))
	if err != nil || !there {
		return nil, err
	}
	return p, nil
}

// witnesses are the anchor and the last seal.
func (s *Server) witnesses() []engine.Witness {
	var out []engine.Witness
	if s.nats != nil {
		if lines := s.nats.Anchored(); lines != nil {
			out = append(out, engine.Witness{Name: "the anchor", Lines: lines, All: true})
		}
	}
	last, ok, err := s.sealed()
	if !ok {
		return out
	}
	w := engine.Witness{Name: "the seal", Lines: map[stream.Entity]events.Link{}}
	var c seal.Checkpoint
	if err == nil {
		c, err = last.Verify()
	}
	if err == nil && c.Installation != s.store.Installation() {
		err = fmt.Errorf("it is of installation %s", c.Installation)
	}
	if err != nil {
		w.Fault = err.Error()
		return append(out, w)
	}
	w.Name = fmt.Sprintf("the seal at sequence %d", c.Sequence)
	for _, head := range last.Heads {
		w.Lines[stream.Entity(head.Line)] = head.Link
	}
	return append(out, w)
}
