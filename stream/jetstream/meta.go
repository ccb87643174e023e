package jetstream

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/batonflow/baton/stream/file"
)

// A stream whose description is damaged is to the server no stream at all: what it holds stays where it
// is, and a new one of the name would begin beside it. So the descriptions are kept with the anchor.
const metaFolder = "meta"

// metaFiles describe a stream: what it is, and the check sum of that.
func metaFiles() []string { return []string{"meta.inf", "meta.sum"} }

func streamsDir(storeDir string) string {
	return filepath.Join(storeDir, "jetstream", "$G", "streams")
}

// keepMeta copies the descriptions of the streams that the server has.
func keepMeta(storeDir, anchorDir string, names []string) error {
	for _, name := range names {
		kept := filepath.Join(anchorDir, metaFolder, name)
		if err := os.MkdirAll(kept, 0o700); err != nil {
			return fmt.Errorf("keep the description of %s: %w", name, err)
		}
		for _, part := range metaFiles() {
			text, err := os.ReadFile(filepath.Join(streamsDir(storeDir), name, part))
			if err == nil && !holds(filepath.Join(kept, part), text) {
				err = file.Keep(filepath.Join(kept, part), text, 0o600)
			}
			if err != nil {
				return fmt.Errorf("keep the description of %s: %w", name, err)
			}
		}
	}
	return nil
}

func holds(path string, text []byte) bool {
	there, err := os.ReadFile(path)
	return err == nil && bytes.Equal(there, text)
}

// restoreMeta puts the descriptions of streams back that the server did not find, where their messages
// still are, and names them.
func restoreMeta(storeDir, anchorDir string, found []string) (restored []string, err error) {
	kept, err := os.ReadDir(filepath.Join(anchorDir, metaFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("restore descriptions of streams: %w", err)
	}
	for _, entry := range kept {
		name := entry.Name()
		at := filepath.Join(streamsDir(storeDir), name)
		if slices.Contains(found, name) || !there(filepath.Join(at, "msgs")) {
			continue
		}
		for _, part := range metaFiles() {
			text, err := os.ReadFile(filepath.Join(anchorDir, metaFolder, name, part))
			if err == nil {
				err = file.Keep(filepath.Join(at, part), text, 0o600)
			}
			if err != nil {
				return restored, fmt.Errorf("restore the description of %s: %w", name, err)
			}
		}
		restored = append(restored, name)
	}
	return restored, nil
}

// streamsOf names the streams that the server has found.
func streamsOf(s *server.Server) ([]string, error) {
	info, err := s.Jsz(&server.JSzOptions{Accounts: true, Streams: true})
	if err != nil {
		return nil, fmt.Errorf("list streams: %w", err)
	}
	var names []string
	for _, account := range info.AccountDetails {
		for _, s := range account.Streams {
			names = append(names, s.Name)
		}
	}
	return names, nil
}
