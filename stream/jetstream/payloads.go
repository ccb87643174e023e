package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
)

const (
	chunkBytes = 128 << 10
	sizeHeader = "Baton-Size" // on chunk 0: bytes of the whole payload
)

var payloadHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// payloads keeps large values by their hash, in chunks on subjects of their own. Equal bytes make
// equal chunks on equal subjects, so that uploads need no coordination: whoever comes second finds
// the chunk there. Chunk 0 is written last and says that the others are there.
type payloads struct {
	js      jetstream.JetStream
	stream  jetstream.Stream
	barrier Barrier
}

// Put stores the bytes and gives their SHA-256.
func (p *payloads) Put(ctx context.Context, bytes []byte) (string, error) {
	hash := digest(bytes)
	if len(bytes) > chunkBytes { // else the write of the only chunk finds out
		if _, err := p.chunk(ctx, hash, 0); err == nil {
			return hash, p.barrier(ctx, 0)
		} else if !errors.Is(err, stream.ErrNotFound) {
			return "", fmt.Errorf("put payload %.12s: %w", hash, err)
		}
	}
	for i := chunks(len(bytes)) - 1; i >= 0; i-- {
		part := bytes[i*chunkBytes : min((i+1)*chunkBytes, len(bytes))]
		if err := p.write(ctx, hash, i, part, len(bytes)); err != nil {
			return "", failed(fmt.Sprintf("put payload %.12s", hash), err)
		}
	}
	return hash, p.barrier(ctx, 0)
}

// chunks is how many chunks hold the bytes; nothing is one empty chunk.
func chunks(size int) int { return max(1, (size+chunkBytes-1)/chunkBytes) }

// write stores a chunk unless it is there. On a cluster somebody else's equal chunk may be under way: then
// what becomes of it is waited for.
func (p *payloads) write(ctx context.Context, hash string, i int, part []byte, size int) error {
	ctx, cancel := context.WithTimeout(ctx, appendPatience)
	defer cancel()
	var err error
	for range stream.Tries(ctx, firstPause, longestPause) {
		if err = p.writeOnce(ctx, hash, i, part, size); !errors.Is(kindOf(err), errInFlight) {
			break
		}
	}
	return err
}

func (p *payloads) writeOnce(ctx context.Context, hash string, i int, part []byte, size int) error {
	_, err := p.js.PublishMsg(ctx, &nats.Msg{
		Subject: chunkSubject(hash, i),
		Data:    part,
		Header: nats.Header{
			jetstream.ExpectedStreamHeader:      {payloadsStream},
			jetstream.ExpectedLastSubjSeqHeader: {"0"},
			sizeHeader:                          {strconv.Itoa(size)},
		},
	})
	if errors.Is(kindOf(err), stream.ErrConflict) {
		return nil // it is there already
	}
	return err
}

// Get gives the bytes after checking them.
func (p *payloads) Get(ctx context.Context, hash string) ([]byte, error) {
	bytes, err := p.read(ctx, hash)
	if err == nil && digest(bytes) != hash {
		err = fmt.Errorf("%w: it does not hash to its name", stream.ErrDamaged)
	}
	if err != nil {
		return nil, fmt.Errorf("get payload %.12s: %w", hash, err)
	}
	return bytes, nil
}

// Delete overwrites the chunks and removes them, the first one last: what was cut off in between is
// deleted by deleting again.
func (p *payloads) Delete(ctx context.Context, hash string) error {
	if !payloadHash.MatchString(hash) {
		return nil
	}
	first, err := p.chunk(ctx, hash, 0)
	if errors.Is(err, stream.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete payload %.12s: %w", hash, err)
	}
	size, _ := strconv.Atoi(first.Header.Get(sizeHeader)) // without a size there is but one
	for i := chunks(size) - 1; i >= 0; i-- {
		if err := p.erase(ctx, hash, i); err != nil {
			return fmt.Errorf("delete payload %.12s: %w", hash, err)
		}
	}
	return p.barrier(ctx, 0)
}

func (p *payloads) erase(ctx context.Context, hash string, i int) error {
	m, err := p.chunk(ctx, hash, i)
	if errors.Is(err, stream.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.stream.SecureDeleteMsg(ctx, m.Sequence); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return failed("erase chunk", err)
	}
	return nil
}

func (p *payloads) read(ctx context.Context, hash string) ([]byte, error) {
	if !payloadHash.MatchString(hash) {
		return nil, stream.ErrNotFound
	}
	first, err := p.chunk(ctx, hash, 0)
	if err != nil {
		return nil, err
	}
	size, err := strconv.Atoi(first.Header.Get(sizeHeader))
	if err != nil || size < 0 {
		return nil, fmt.Errorf("%w: size is %q", stream.ErrDamaged, first.Header.Get(sizeHeader))
	}
	bytes := first.Data
	for i := 1; i < chunks(size); i++ {
		next, err := p.chunk(ctx, hash, i)
		if errors.Is(err, stream.ErrNotFound) {
			return nil, fmt.Errorf("%w: chunk %d of %d is gone", stream.ErrDamaged, i, chunks(size))
		}
		if err != nil {
			return nil, err
		}
		bytes = append(bytes, next.Data...)
	}
	return bytes, nil
}

func (p *payloads) chunk(ctx context.Context, hash string, i int) (*jetstream.RawStreamMsg, error) {
	m, err := p.stream.GetLastMsgForSubject(ctx, chunkSubject(hash, i))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, stream.ErrNotFound
	}
	if err != nil {
		return nil, failed("get chunk", err)
	}
	return m, nil
}

func chunkSubject(hash string, i int) string {
	return payloadsPrefix + hash + "." + strconv.Itoa(i)
}

func digest(bytes []byte) string {
	sum := sha256.Sum256(bytes)
	return hex.EncodeToString(sum[:])
}
