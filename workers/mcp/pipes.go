//go:build unix

package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// pipes are the two named pipes between a worker and the server that it started.
type pipes struct {
	in, out  string // their files, for the server
	to, from *os.File

	// What keeps each pipe open as long as the server may still have to open it: without, a read would
	// end at once and a write fail.
	reader, writer *os.File
	dir            string
}

func open(scratch string) (*pipes, error) {
	dir, err := os.MkdirTemp(scratch, "baton-mcp-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for pipes: %w", err)
	}
	dir, err = filepath.Abs(dir)
	p := &pipes{dir: dir, in: filepath.Join(dir, "in"), out: filepath.Join(dir, "out")}
	var first, second error
	p.reader, p.to, first = fifo(p.in)
	p.from, p.writer, second = fifo(p.out)
	if err := errors.Join(err, first, second); err != nil {
		p.release()
		_, _ = p.to.Close(), p.from.Close()
		return nil, fmt.Errorf("make pipes: %w", err)
	}
	return p, nil
}

// fifo makes a named pipe and opens both ends. To open one end alone waits for the other, so the first
// is opened for both.
func fifo(name string) (reader, writer *os.File, err error) {
	if err := unix.Mkfifo(name, 0o600); err != nil {
		return nil, nil, fmt.Errorf("make %s: %w", name, err)
	}
	both, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer both.Close()
	if reader, err = os.OpenFile(name, os.O_RDONLY, 0); err != nil {
		return nil, nil, err
	}
	writer, err = os.OpenFile(name, os.O_WRONLY, 0)
	return reader, writer, err
}

// release lets go of what was held for the server: who reads comes to the end, who writes fails.
func (p *pipes) release() {
	_, _ = p.reader.Close(), p.writer.Close()
	p.unlink()
}

// unlink takes the files away, which nobody needs once all ends are open: a worker that is killed then
// leaves none behind.
func (p *pipes) unlink() { _ = os.RemoveAll(p.dir) }
