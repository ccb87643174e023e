package jetstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrLocked says that another server has the store directory. The server itself has no such lock:
// two on one directory would both acknowledge the same sequence and lose one of the two messages.
var ErrLocked = errors.New("store directory is in use")

// holder is who has a store directory.
type holder struct {
	PID     int    `json:"pid"`
	Address string `json:"address,omitempty"` // host:port, once it listens
}

// lock is an advisory lock of the operating system: it ends with the process, however that ends.
type lock struct{ file *os.File }

func acquire(dir string) (*lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make store directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, lockFileName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock store directory: %w", err)
	}
	if err := lockFile(file); err != nil {
		defer file.Close()
		if errors.Is(err, ErrLocked) {
			first := readHolder(file)
			return nil, fmt.Errorf("lock %s: %w by process %d at %q", dir, ErrLocked, first.PID, first.Address)
		}
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	l := &lock{file}
	if err := l.write(""); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

// write says who holds the lock, for whoever is refused.
func (l *lock) write(address string) error {
	body, err := json.Marshal(holder{os.Getpid(), address})
	if err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	if _, err := l.file.WriteAt(append(body, '\n'), 0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	if err := l.file.Truncate(int64(len(body) + 1)); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

// release leaves the file: removing it would let two processes lock two files of one name.
func (l *lock) release() error { return l.file.Close() }

func readHolder(file *os.File) holder {
	var h holder
	_ = json.NewDecoder(file).Decode(&h) // not yet written: nobody to name
	return h
}
