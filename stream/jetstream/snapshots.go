package jetstream

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
)

const (
	snapshotBytes = 512 << 10           // of a snapshot in one message
	snapshotsKept = 30 * 24 * time.Hour // after which one that was not replaced goes
)

// snapshots keeps folded states in a key-value bucket, which is made when the first one is saved: it may
// be deleted at any time. Part 0 begins with the size of the whole and is written last. Parts of two
// that were saved at once may stand beside each other, which whoever loads them notices.
type snapshots struct {
	js       jetstream.JetStream
	replicas int

	mu     sync.Mutex
	bucket jetstream.KeyValue // nil: not looked up yet, or gone
}

// use remembers the bucket, or forgets it.
func (s *snapshots) use(bucket jetstream.KeyValue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bucket = bucket
}

// open gives the bucket, if there is one.
func (s *snapshots) open(ctx context.Context) (jetstream.KeyValue, error) {
	s.mu.Lock()
	kv := s.bucket
	s.mu.Unlock()
	if kv != nil {
		return kv, nil
	}
	kv, err := s.js.KeyValue(ctx, snapshotsBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, stream.ErrNotFound
	}
	if err != nil {
		return nil, failed("open the bucket of snapshots", err)
	}
	s.use(kv)
	return kv, nil
}

// Save replaces what is kept under the key.
func (s *snapshots) Save(ctx context.Context, key string, snapshot []byte) error {
	kv, err := s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: snapshotsBucket, History: 1, TTL: snapshotsKept, Storage: jetstream.FileStorage, Replicas: s.replicas, Compression: true,
		Description: "folded states; can be deleted",
	})
	if err != nil {
		return failed("open the bucket of snapshots", err)
	}
	s.use(kv)
	whole := append(binary.AppendUvarint(nil, uint64(len(snapshot))), snapshot...)
	for i := parts(len(whole)) - 1; i >= 0; i-- {
		part := whole[i*snapshotBytes : min((i+1)*snapshotBytes, len(whole))]
		if _, err := kv.Put(ctx, partKey(key, i), part); err != nil {
			return failed("save snapshot "+key, err)
		}
	}
	return nil
}

func parts(size int) int { return max(1, (size+snapshotBytes-1)/snapshotBytes) }

func partKey(key string, i int) string { return key + "." + strconv.Itoa(i) }

// Load gives what is kept under the key, as far as it is there.
func (s *snapshots) Load(ctx context.Context, key string) ([]byte, error) {
	kv, err := s.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("load snapshot %s: %w", key, err)
	}
	first, err := part(ctx, kv, key, 0)
	if err != nil && !errors.Is(err, stream.ErrNotFound) {
		s.use(nil) // somebody may have deleted it
	}
	if err != nil {
		return nil, err
	}
	size, n := binary.Uvarint(first)
	if n <= 0 {
		return nil, fmt.Errorf("load snapshot %s: %w: it has no size", key, stream.ErrDamaged)
	}
	whole := bytes.NewBuffer(first[n:])
	for i := 1; uint64(whole.Len()) < size; i++ {
		next, err := part(ctx, kv, key, i)
		if err != nil {
			return nil, err
		}
		whole.Write(next)
	}
	return whole.Bytes(), nil
}

func part(ctx context.Context, kv jetstream.KeyValue, key string, i int) ([]byte, error) {
	entry, err := kv.Get(ctx, partKey(key, i))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, fmt.Errorf("load snapshot %s: part %d: %w", key, i, stream.ErrNotFound)
	}
	if err != nil {
		return nil, failed("load snapshot "+key, err)
	}
	return entry.Value(), nil
}

// Forget deletes the bucket.
func (s *snapshots) Forget(ctx context.Context) error {
	s.use(nil)
	err := s.js.DeleteKeyValue(ctx, snapshotsBucket)
	if err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
		return failed("delete the bucket of snapshots", err)
	}
	return nil
}
