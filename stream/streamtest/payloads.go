package streamtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/batonflow/baton/stream"
)

var payloadTests = map[string]func(*testing.T, Fixture){
	"any size": func(t *testing.T, f Fixture) {
		for _, size := range []int{0, 1, 64<<10 + 1, 128 << 10, 128<<10 + 1, 5_000_000} {
			body := noise(size)
			hash := put(t, f, body)
			if got, err := f.Payloads.Get(t.Context(), hash); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%d bytes came back as %d, %v", size, len(got), err)
			}
		}
	},
	"equal once, from many at once": func(t *testing.T, f Fixture) {
		body := noise(300_000)
		want := sum(body)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got, err := f.Payloads.Put(t.Context(), body); err != nil || got != want {
					t.Errorf("put gave %s, %v, want %s", got, err, want)
				}
			})
		}
		all.Wait()
		if got, err := f.Payloads.Get(t.Context(), want); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d bytes came back, %v", len(got), err)
		}
	},
	"unknown": func(t *testing.T, f Fixture) {
		for _, hash := range []string{sum([]byte("nobody put this")), "", "*", "no hash at all", strings.Repeat("F", 64)} {
			if _, err := f.Payloads.Get(t.Context(), hash); !errors.Is(err, stream.ErrNotFound) {
				t.Errorf("get %q: %v, want %v", hash, err, stream.ErrNotFound)
			}
		}
	},
	"deleted": func(t *testing.T, f Fixture) {
		for _, size := range []int{0, 10, 300_000} {
			body := noise(size + 77)
			hash, other := put(t, f, body), put(t, f, noise(size+78))
			for range 2 { // the second time it is gone already
				if err := f.Payloads.Delete(t.Context(), hash); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := f.Payloads.Get(t.Context(), hash); !errors.Is(err, stream.ErrNotFound) || got != nil {
				t.Errorf("get after delete gave %d bytes, %v", len(got), err)
			}
			if _, err := f.Payloads.Get(t.Context(), other); err != nil {
				t.Errorf("another payload went with it: %v", err)
			}
			put(t, f, body)
			if got, err := f.Payloads.Get(t.Context(), hash); err != nil || !bytes.Equal(got, body) {
				t.Errorf("put again after delete: %d bytes, %v", len(got), err)
			}
		}
		if err := f.Payloads.Delete(t.Context(), "no hash at all"); err != nil {
			t.Errorf("delete of what cannot be there: %v", err)
		}
	},
	"wrong bytes": func(t *testing.T, f Fixture) {
		hash := sum([]byte("right"))
		f.InjectPayload(hash, []byte("wrong"))
		if got, err := f.Payloads.Get(t.Context(), hash); !errors.Is(err, stream.ErrDamaged) || got != nil {
			t.Errorf("get gave %q, %v, want %v", got, err, stream.ErrDamaged)
		}
	},
}

func put(t *testing.T, f Fixture, body []byte) string {
	t.Helper()
	hash, err := f.Payloads.Put(t.Context(), body)
	if err != nil || hash != sum(body) {
		t.Fatalf("put gave %s, %v, want %s", hash, err, sum(body))
	}
	return hash
}

func noise(size int) []byte {
	body := make([]byte, size)
	source := rand.NewChaCha8([32]byte{byte(size)})
	_, _ = source.Read(body) // never fails
	return body
}

func sum(body []byte) string {
	s := sha256.Sum256(body)
	return hex.EncodeToString(s[:])
}
