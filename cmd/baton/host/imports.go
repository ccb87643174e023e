package host

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/sessions/radoute"
	"github.com/batonflow/baton/stream"
)

// RadouteAsk brings a session of the Python skill router; its files lie in the payload store, since
// they can be large. "" stands for a file that is not there.
type RadouteAsk struct {
	ID        string `json:"id"`
	From      string `json:"from"`
	Workspace string `json:"workspace"`
	Session   string `json:"session"`
	Context   string `json:"context"`
	Trace     string `json:"trace"`
}

// RadouteSession says what became of it.
type RadouteSession struct {
	ID string `json:"id"` // what it was called there
	engine.TakenOver
	Skipped map[string]int `json:"skipped"` // what could not be said again
}

// importRadoute takes a session over. Its id follows from where it lay, so that importing twice is
// importing once.
func (s *Server) importRadoute(ctx context.Context, _ string, q RadouteAsk) (any, error) {
	files := radoute.Files{ID: q.ID, From: q.From, Workspace: q.Workspace}
	for _, f := range []struct {
		sum  string
		into *[]byte
	}{{q.Session, &files.Session}, {q.Context, &files.Context}, {q.Trace, &files.Trace}} {
		if f.sum == "" {
			continue
		}
		raw, err := s.store.Get(ctx, f.sum)
		if err != nil {
			return nil, fmt.Errorf("file of session %s: %w", q.ID, err)
		}
		*f.into = raw
	}
	read, err := radoute.Read(files)
	if err != nil {
		return nil, sessions.Refuse(sessions.Failed, "no_session_there", "look at its files", "%v", err)
	}
	past := make([]engine.Past, 0, len(read.Facts))
	for _, f := range read.Facts {
		past = append(past, engine.Past(f))
	}
	got, err := s.engine.TakeOver(ctx, radouteID(q.From, q.ID), radoute.Tool, past)
	if err != nil {
		return nil, err
	}
	if err := s.projector.Current(ctx); err != nil && !errors.Is(err, stream.ErrUnavailable) {
		return nil, err
	}
	return RadouteSession{q.ID, got, read.Origin.Skipped}, nil
}

// radouteID is a UUID of version 8, whose bits are for its maker to choose.
func radouteID(from, id string) string {
	sum := sha256.Sum256([]byte(radoute.Tool + "\x00" + from + "\x00" + id))
	var u uuid.UUID
	copy(u[:], sum[:])
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}
