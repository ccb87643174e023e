package jetstream

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// TestUnreadableCommit: the server leaves a commit that it cannot read out without a word. Where a
// read or a tail can know, it says so; a commit in the middle shows in the chain.
func TestUnreadableCommit(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]uint64{"in the middle": 2, "the last": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeThree(t, dir)
			flip(t, dir, bad)

			s := testStore(t, testServer(t, dir), Config{})
			if err := readChain(t, s); err == nil {
				t.Error("a commit is missing from a read, and nothing says so")
			} else {
				t.Log(err)
			}
		})
	}
}

// readChain reads the three commits as a fold does and gives what stops it.
func readChain(t *testing.T, s *Store) error {
	link := events.Genesis(s.Installation(), "s")
	for record, err := range s.Read(t.Context(), "session.s", 0) {
		if err != nil {
			return err
		}
		if err := record.Frame.Follows(link); err != nil {
			return err
		}
		link = record.Frame.Link()
	}
	return nil
}

func writeThree(t *testing.T, dir string) {
	t.Helper()
	server, err := Start(t.Context(), ServerConfig{StoreDir: dir, Token: testToken, Logger: testLogger(t)})
	if err != nil {
		t.Fatal(err)
	}
	s := testStore(t, server, Config{})
	link := events.Genesis(s.Installation(), "s")
	var after uint64
	for range 3 {
		frame := testFrame(t, link)
		if after, err = s.Append(t.Context(), stream.SessionEntity("s"), after, frame); err != nil {
			t.Fatal(err)
		}
		link = frame.Link()
	}
	if err := errors.Join(s.Close(), server.Close()); err != nil {
		t.Fatal(err)
	}
}

// flip changes one byte of the commit in the log's only block.
func flip(t *testing.T, dir string, commit uint64) {
	t.Helper()
	blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", eventsStream, "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("blocks are %v, %v", blocks, err)
	}
	block, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for range commit {
		at += bytes.Index(block[at:], []byte(`"goal":"gg`)) + len(`"goal":"g`)
	}
	block[at] ^= 1
	if err := os.WriteFile(blocks[0], block, 0o600); err != nil {
		t.Fatal(err)
	}
}
