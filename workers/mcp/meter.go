package mcp

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/batonflow/baton/workers"
)

// errTooLarge ends a server that says more than it may.
var errTooLarge = errors.New("result is too large")

// mostRead bounds what is read of a server in one attempt. A result may come twice, as a text and as
// structured content, and an escaped text is up to twice as long as what it says; the rest is for what
// servers say beside it.
func mostRead(t workers.Task) int64 {
	const beside = 4 << 20
	return 4*limit(t) + beside
}

func limit(t workers.Task) int64 {
	if t.MaxOutput > 0 {
		return t.MaxOutput
	}
	return workers.DefaultMaxOutput
}

// meter counts what is read of a server, over all its streams.
type meter struct {
	left atomic.Int64
	over atomic.Bool
}

func newMeter(most int64) *meter {
	m := &meter{}
	m.left.Store(most)
	return m
}

func (m *meter) read(from io.Reader) io.Reader { return metered{m, from} }

type metered struct {
	*meter
	from io.Reader
}

func (r metered) Read(p []byte) (int, error) {
	if r.over.Load() {
		return 0, errTooLarge
	}
	n, err := r.from.Read(p)
	if r.left.Add(-int64(n)) < 0 {
		r.over.Store(true)
		return 0, errTooLarge
	}
	return n, err
}
