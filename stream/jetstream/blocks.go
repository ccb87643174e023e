package jetstream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/batonflow/baton/stream/file"
)

// blocks are the files in which the server keeps a stream's messages: N.blk, filled one after the other.
// Nothing but this knows of them. What was acknowledged was written, so that a flush which begins later
// covers it, if it covers every file that was written to since the flush before: those from the one that
// was the newest then.
type blocks struct {
	dir    string
	newest int   // number of the newest file when it was flushed; 0: nothing was
	size   int64 // of it then
}

func newBlocks(storeDir, stream string) *blocks {
	return &blocks{dir: filepath.Join(storeDir, "jetstream", "$G", "streams", stream, "msgs")}
}

func (b *blocks) path(number int) string {
	return filepath.Join(b.dir, strconv.Itoa(number)+".blk")
}

// flush returns once everything that was written before it began is on the disk. data says whether the
// files need to be flushed: a server that does it by itself leaves the names of new ones.
func (b *blocks) flush(data bool) error {
	numbers, err := b.since()
	if err != nil || len(numbers) == 0 {
		return err
	}
	newest, size := b.newest, b.size
	data = data || newest == 0       // what an earlier server wrote, nobody may have flushed
	for _, number := range numbers { // whoever has a successor is written to no more
		newest = number
		if size, err = b.flushFile(number, data); err != nil {
			return fmt.Errorf("flush block %d of %s: %w", number, b.dir, err)
		}
	}
	if newest != b.newest {
		if err := file.SyncDir(b.dir); err != nil {
			return fmt.Errorf("flush the folder %s: %w", b.dir, err)
		}
	}
	b.newest, b.size = newest, size
	return nil
}

func (b *blocks) flushFile(number int, data bool) (size int64, err error) {
	f, err := os.Open(b.path(number))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // all that was in it was deleted
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if data && !(number == b.newest && info.Size() == b.size) {
		err = file.SyncData(f)
	}
	return info.Size(), err
}

// since lists the files that may have been written to since the last flush, in order.
func (b *blocks) since() ([]int, error) {
	if b.newest == 0 || !there(b.path(b.newest)) {
		return b.all()
	}
	numbers := []int{b.newest}
	for number := b.newest + 1; there(b.path(number)); number++ {
		numbers = append(numbers, number)
	}
	return numbers, nil
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// all lists every file, in order.
func (b *blocks) all() ([]int, error) {
	entries, err := os.ReadDir(b.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var numbers []int
	for _, entry := range entries {
		if text, ok := strings.CutSuffix(entry.Name(), ".blk"); ok {
			if n, err := strconv.Atoi(text); err == nil {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}
