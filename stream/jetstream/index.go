package jetstream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/batonflow/baton/stream/anchor"
)

// distrust makes the server read the blocks of a stream anew, each record by its check sum, where its index
// cannot be believed: after a server that did not stop in order, and where a file that somebody touched is
// broken in its shape. Such a record, met through an index, can hold the server up for ever. It says
// whether anybody was at the log.
func distrust(storeDir string, known anchor.State) (touched bool, err error) {
	now, err := stampsOf(storeDir)
	if err != nil {
		return false, err
	}
	doubtful := map[string]bool{}
	for file, stamp := range now {
		name := filepath.Dir(file)
		if known.Clean && known.Files[file] == stamp {
			continue
		}
		touched = touched || known.Clean && name == eventsStream
		if !known.Clean || name != eventsStream || !sound(filepath.Join(streamsDir(storeDir), name, "msgs", filepath.Base(file))) {
			doubtful[name] = true
		}
	}
	for file := range known.Files {
		if _, there := now[file]; !there {
			touched = touched || filepath.Dir(file) == eventsStream
			doubtful[filepath.Dir(file)] = true
		}
	}
	for name := range doubtful {
		index := filepath.Join(streamsDir(storeDir), name, "msgs", "index.db")
		if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return touched, fmt.Errorf("set an index aside: %w", err)
		}
	}
	return touched, nil
}

// stampsOf says of every block, by stream and file, what it is like: whoever touches one while no server
// runs changes its stamp.
func stampsOf(storeDir string) (map[string]string, error) {
	paths, err := filepath.Glob(filepath.Join(streamsDir(storeDir), "*", "msgs", "*.blk"))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("look at a block: %w", err)
		}
		name := filepath.Base(filepath.Dir(filepath.Dir(path)))
		out[filepath.Join(name, info.Name())] = fmt.Sprintf("%d bytes at %d", info.Size(), info.ModTime().UnixNano())
	}
	return out, nil
}

// The shape of a record in a block: its length, sequence, time and the length of its subject, then the
// subject, headers behind their length where the highest bit of the record's says so, body and check sum.
const (
	recordHead   = 22
	recordSum    = 8
	hasHeaders   = 1 << 31
	sequenceMask = 1<<62 - 1 // the two bits above it mark what was erased
	longestLeap  = 1 << 20   // between two sequences of a block
	longestBlock = 64 << 20
)

// sound says whether a block of the log is records from its beginning to its end, one sequence after the
// other; not, whether what they hold is true.
func sound(path string) bool {
	if !strings.HasSuffix(path, ".blk") {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > longestBlock {
		return false
	}
	block, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	var last uint64
	for len(block) > 0 {
		if len(block) < recordHead {
			return false
		}
		word, sequence := binary.LittleEndian.Uint32(block), binary.LittleEndian.Uint64(block[4:])&sequenceMask
		length, inside := int(word&^hasHeaders), recordHead+int(binary.LittleEndian.Uint16(block[20:]))+recordSum
		if word&hasHeaders != 0 {
			inside += 4
		}
		if length < inside || length > len(block) || sequence <= last || last > 0 && sequence-last > longestLeap {
			return false
		}
		last, block = sequence, block[length:]
	}
	return true
}
