package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/routing/words"
)

// page is text for people on its way out. Every text that is put into a line is escaped, so that
// nothing from outside can forge a line or move the cursor.
type page struct {
	bytes.Buffer
	app    *app
	colour bool
}

// styled is text that is safe already.
type styled string

// line writes a line in the language of the user.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, p.app.say(format), safe(args)...)
	p.WriteByte('\n')
}

// text writes a text as it is, for what was escaped by whoever made it.
func (p *page) text(s string) {
	p.WriteString(s)
	if s != "" && !strings.HasSuffix(s, "\n") {
		p.WriteByte('\n')
	}
}

func safe(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			out[i] = projections.Escape(v)
		case error:
			out[i] = projections.Escape(v.Error())
		case json.RawMessage:
			out[i] = projections.Escape(string(v))
		case time.Time:
			out[i] = v.UTC().Format(time.RFC3339)
		case styled:
			out[i] = string(v)
		default:
			out[i] = v
		}
	}
	return out
}

// colours by what a status means for whoever looks.
var colours = map[string]string{
	"ok": "32", "completed": "32", "auto": "32", "active": "32", "go on": "32", "running": "36", "open": "36", "leased": "36",
	"failed": "31", "dead": "31", "blocked": "31", "stale": "31", "cancelled": "33", "waiting": "33", "confirm": "33",
	"suspended": "33", "backoff": "33", "decompose": "33", "no_match": "33", "warn": "33", "skipped": "2", "pending": "2", "ended": "2",
}

// status colours a status word, padded to a width.
func (p *page) status(word string, width int) styled {
	shown := pad(word, width)
	if code := colours[word]; p.colour && code != "" {
		return styled("\x1b[" + code + "m" + shown + "\x1b[0m")
	}
	return styled(shown)
}

// rows writes a table: the first row is its heading.
func (p *page) rows(heading []string, rows [][]string) {
	all := append([][]string{heading}, rows...)
	widths := make([]int, len(heading))
	for r, row := range all {
		for i, cell := range row {
			if r == 0 {
				cell = p.app.say(cell)
			}
			all[r][i] = projections.Escape(cell)
			widths[i] = max(widths[i], width(all[r][i]))
		}
	}
	for _, row := range all {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			if i == len(row)-1 {
				line.WriteString(cell)
			} else {
				line.WriteString(pad(cell, widths[i]))
			}
		}
		p.text(strings.TrimRight(line.String(), " "))
	}
}

func pad(s string, to int) string {
	s = projections.Escape(s)
	return s + strings.Repeat(" ", max(0, to-width(s)))
}

// width is how many columns a text takes: Chinese characters take two.
func width(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if words.CJK(r) {
			n++
		}
	}
	return n
}

// cut shortens a text for a table.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// shown is a JSON value for people: a text as itself.
func shown(raw json.RawMessage) string {
	var text string
	if bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// isTerminal says whether somebody looks at it as it is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (a *app) coloured(w io.Writer) bool {
	return isTerminal(w) && a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb"
}
