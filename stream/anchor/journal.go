package anchor

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/file"
)

// Entry is a commit that the log must hold.
type Entry struct {
	Entity   stream.Entity
	Sequence uint64
	N        uint64 // the line's commits up to it
	Hash     string
}

// line is the entry as a line of the journal, behind its check sum.
func (e Entry) line() string {
	text := fmt.Sprintf("%d %d %s %s", e.Sequence, e.N, e.Hash, e.Entity)
	return fmt.Sprintf("%08x %s\n", crc32.ChecksumIEEE([]byte(text)), text)
}

// parse reads a line without its end; a torn one is none.
func parse(line string) (Entry, bool) {
	sum, text, _ := strings.Cut(line, " ")
	if sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) {
		return Entry{}, false
	}
	part := strings.SplitN(text, " ", 4)
	if len(part) != 4 {
		return Entry{}, false
	}
	sequence, err1 := strconv.ParseUint(part[0], 10, 64)
	n, err2 := strconv.ParseUint(part[1], 10, 64)
	return Entry{stream.Entity(part[3]), sequence, n, part[2]}, err1 == nil && err2 == nil
}

const (
	journalName = "heads-" // and a number: the highest one that is whole counts
	journalRoom = 1 << 20  // for entries, before the journal is written anew; at least as much as it begins with
	wholeMark   = "whole"  // ends what a journal begins with
)

// journal is a file that begins with the last commit of every line and goes on with each that followed. Its
// room is filled with zeros before it is used: to overwrite them changes no metadata, so that a flush
// writes the data and nothing else.
type journal struct {
	file   *os.File
	number int
	at     int64 // where the next entry goes
	end    int64 // of its room
}

func journalPath(dir string, number int) string {
	return filepath.Join(dir, journalName+strconv.Itoa(number))
}

// newJournal writes the journal with the number, which begins with the entries.
func newJournal(dir string, number int, heads []Entry) (j *journal, err error) {
	var text bytes.Buffer
	for _, e := range heads {
		text.WriteString(e.line())
	}
	fmt.Fprintf(&text, "%s %d %08x\n", wholeMark, len(heads), crc32.ChecksumIEEE(text.Bytes()))
	f, err := os.OpenFile(journalPath(dir, number), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write anchor: %w", err)
	}
	j = &journal{file: f, number: number, at: int64(text.Len())}
	room := max(journalRoom, text.Len())
	j.end = j.at + int64(room)
	_, err1 := f.Write(text.Bytes())
	_, err2 := io.CopyN(f, zeros{}, int64(room))
	if err := errors.Join(err1, err2, f.Sync(), file.SyncDir(dir)); err != nil {
		return nil, errors.Join(fmt.Errorf("write anchor: %w", err), f.Close())
	}
	return j, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// openJournal reads the newest whole journal of the folder, entry by entry. nil: there is none.
func openJournal(dir string, each func(Entry)) (*journal, error) {
	numbers, err := journalNumbers(dir)
	if err != nil {
		return nil, err
	}
	for _, number := range slices.Backward(numbers) {
		f, err := os.OpenFile(journalPath(dir, number), os.O_RDWR, 0)
		if err != nil {
			return nil, fmt.Errorf("read anchor: %w", err)
		}
		j := &journal{file: f, number: number}
		if entries, ok := j.read(); ok {
			for _, e := range entries {
				each(e)
			}
			return j, nil
		}
		f.Close()
	}
	return nil, nil
}

func journalNumbers(dir string) ([]int, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read anchor: %w", err)
	}
	var numbers []int
	for _, f := range files {
		if text, ok := strings.CutPrefix(f.Name(), journalName); ok {
			if n, err := strconv.Atoi(text); err == nil {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// read gives the entries up to the first that is torn, and whether what the journal begins with is whole.
func (j *journal) read() (entries []Entry, whole bool) {
	info, err := j.file.Stat()
	if err != nil {
		return nil, false
	}
	j.end = info.Size()
	in, sum := bufio.NewReaderSize(j.file, 1<<16), crc32.NewIEEE()
	for {
		text, err := in.ReadString('\n')
		if err != nil {
			return entries, whole
		}
		if !whole && text == fmt.Sprintf("%s %d %08x\n", wholeMark, len(entries), sum.Sum32()) {
			whole = true
			j.at += int64(len(text))
			continue
		}
		e, ok := parse(strings.TrimSuffix(text, "\n"))
		if !ok {
			return entries, whole
		}
		_, _ = io.WriteString(sum, text)
		j.at += int64(len(text))
		entries = append(entries, e)
	}
}

// add writes entries behind the others; fits says whether there was room.
func (j *journal) add(entries []Entry) (fits bool, err error) {
	var text bytes.Buffer
	for _, e := range entries {
		text.WriteString(e.line())
	}
	if j.at+int64(text.Len()) > j.end {
		return false, nil
	}
	if _, err := j.file.WriteAt(text.Bytes(), j.at); err != nil {
		return true, fmt.Errorf("write anchor: %w", err)
	}
	j.at += int64(text.Len())
	return true, nil
}
