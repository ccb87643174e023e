package disk

import (
	"io/fs"
	"time"

	"github.com/batonflow/baton/skills"
)

// settled is how old a change must be before equal stamps are believed: a clock that ticks in
// milliseconds gives two writes in a row the same time.
const settled = 2 * time.Second

// Cache is what a scan remembers for the next one. The zero value is empty; it is not safe for
// two scans at once.
type Cache struct {
	files map[string]cachedFile
	dirs  map[string]cachedDir
}

// stamp tells a file from what it was before.
type stamp struct {
	size  int64
	mtime int64 // nanoseconds
	inode uint64
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), mtime: info.ModTime().UnixNano(), inode: inode(info)}
}

// sure says whether an equal stamp, read at a time, proves that nothing changed since.
func (s stamp) sure(read time.Time) bool { return read.UnixNano()-s.mtime > int64(settled) }

type cachedFile struct {
	stamp
	skill skills.Skill // as parsed; tier, host and trust are filled in by each scan
}

type cachedDir struct {
	stamp
	entries []entry
}
