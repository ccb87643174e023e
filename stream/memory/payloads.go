package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"github.com/batonflow/baton/stream"
)

type payloads struct {
	mu     sync.Mutex
	stored map[string][]byte
}

// Put keeps the bytes under their SHA-256.
func (p *payloads) Put(_ context.Context, bytes []byte) (string, error) {
	hash := digest(bytes)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, there := p.stored[hash]; !there {
		p.stored[hash] = slices.Clone(bytes)
	}
	return hash, nil
}

// Get gives the bytes after checking them.
func (p *payloads) Get(_ context.Context, hash string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bytes, there := p.stored[hash]
	if !there {
		return nil, fmt.Errorf("get payload %.12s: %w", hash, stream.ErrNotFound)
	}
	if digest(bytes) != hash {
		return nil, fmt.Errorf("get payload %.12s: %w: it does not hash to its name", hash, stream.ErrDamaged)
	}
	return slices.Clone(bytes), nil
}

// Delete forgets the bytes.
func (p *payloads) Delete(_ context.Context, hash string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.stored, hash)
	return nil
}

// InjectPayload keeps bytes under a hash that they need not have, as damage would.
func (p *payloads) InjectPayload(hash string, bytes []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stored[hash] = slices.Clone(bytes)
}

func digest(bytes []byte) string {
	sum := sha256.Sum256(bytes)
	return hex.EncodeToString(sum[:])
}
