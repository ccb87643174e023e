package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/batonflow/baton/stream"
)

type snapshots struct {
	mu     sync.Mutex
	stored map[string][]byte
}

// Save keeps the bytes under the key.
func (s *snapshots) Save(_ context.Context, key string, snapshot []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored[key] = slices.Clone(snapshot)
	return nil
}

// Load gives what is kept under the key.
func (s *snapshots) Load(_ context.Context, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot, there := s.stored[key]
	if !there {
		return nil, fmt.Errorf("load snapshot %s: %w", key, stream.ErrNotFound)
	}
	return slices.Clone(snapshot), nil
}

// Forget deletes every snapshot.
func (s *snapshots) Forget(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.stored)
	return nil
}
