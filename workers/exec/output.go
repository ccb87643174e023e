package exec

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// tailBytes is how much of stderr's end is kept with a failure.
const tailBytes = 4 << 10

// Value makes a value of what a program printed: one JSON value as it is (without its blanks), other
// text as a string without its last line break, nothing but blanks as null. Invalid UTF-8 is
// replaced.
func Value(stdout []byte) json.RawMessage {
	stdout = bytes.ToValidUTF8(stdout, []byte(string(utf8.RuneError)))
	if len(bytes.TrimSpace(stdout)) == 0 {
		return json.RawMessage("null")
	}
	var compact bytes.Buffer
	if json.Compact(&compact, stdout) == nil {
		return compact.Bytes()
	}
	line := strings.TrimSuffix(strings.TrimSuffix(string(stdout), "\n"), "\r")
	quoted := new(bytes.Buffer)
	enc := json.NewEncoder(quoted)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(line) // a string always encodes
	return bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))
}

func text(raw []byte) string { return strings.ToValidUTF8(string(raw), string(utf8.RuneError)) }

// limited keeps what is written up to a size; over it everything is let go and over is called, once.
type limited struct {
	buf  bytes.Buffer
	size int64 // bytes written, kept or not
	most int64
	over func()
}

func (l *limited) Write(p []byte) (int, error) {
	before := l.exceeded()
	l.size += int64(len(p))
	switch {
	case !l.exceeded():
		l.buf.Write(p)
	case !before:
		l.buf = bytes.Buffer{}
		l.over()
	}
	return len(p), nil
}

func (l *limited) exceeded() bool { return l.size > l.most }

// logged passes on what is written and keeps its end. A reader that fails must not end the program.
type logged struct {
	live io.Writer // may be nil
	last []byte    // longer than tailBytes once anything was let go
}

func (l *logged) Write(p []byte) (int, error) {
	if l.live != nil {
		_, _ = l.live.Write(p)
	}
	const keep = 2 * tailBytes
	l.last = append(l.last, p[max(0, len(p)-keep):]...)
	if len(l.last) > 2*keep {
		l.last = append(l.last[:0], l.last[len(l.last)-keep:]...)
	}
	return len(p), nil
}

// tail gives the last bytes as valid text that begins with a whole character.
func (l *logged) tail() string {
	end := l.last[max(0, len(l.last)-tailBytes):]
	for i := 0; len(end) < len(l.last) && i < utf8.UTFMax && len(end) > 0 && !utf8.RuneStart(end[0]); i++ {
		end = end[1:]
	}
	return text(end)
}
