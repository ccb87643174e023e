package host

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/batonflow/baton/sessions"
)

// ReadFile reads a file up to a limit.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, sessions.Refuse(sessions.NotFound, "file_not_found", "name a file that can be read, or - for stdin", "%v", err)
	}
	defer f.Close()
	return ReadAll(f, path, limit)
}

// ReadAll reads what comes from somewhere up to a limit; name is for people.
func ReadAll(from io.Reader, name string, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err != nil {
		return nil, sessions.Refuse(sessions.Usage, "file_unreadable", "name a file that can be read, or - for stdin", "read %s: %v", name, err)
	}
	if int64(len(raw)) > limit {
		return nil, sessions.Refuse(sessions.Usage, "value_too_large", "leave it in a file and store the file's path", "%s has more than %d bytes", name, limit)
	}
	return raw, nil
}

// File reads a data file of the home; nil when there is none.
func (h Home) File(name string) ([]byte, error) {
	raw, err := os.ReadFile(h.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}
