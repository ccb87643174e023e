// Package entrypoint turns a skill's entrypoint_cmd into the words of a command, with values put in.
//
// The command line of a skill is written by a stranger and the values come from anywhere, so no
// shell ever sees either. Words are cut first, by the quotes of the text; only then are $name and
// ${name} replaced inside each word. A value therefore stays inside its word, whatever it holds.
package entrypoint

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrEmpty is a command line without a word.
	ErrEmpty = errors.New("E_CMD_EMPTY: the command line has no words; give entrypoint_cmd a command")
	// ErrQuote is a quote that is never closed, or a backslash at the very end.
	ErrQuote = errors.New("E_QUOTE: a quote is never closed; close it or put a backslash before it")
	// ErrUndefined is a $name for which there is no value.
	ErrUndefined = errors.New("E_VAR_UNDEFINED: there is no value for a variable; give the call an input of that name")
)

// piece is a part of a word; literal pieces (single quotes, escapes) are not substituted.
type piece struct {
	text    string
	literal bool
}

// Argv gives the words of cmd with every $name and ${name} replaced from vars. Single quotes are
// literal, double quotes group, a backslash takes the next character as it is, $$ is a dollar
// sign. A $ before anything but an ASCII identifier is plain text.
func Argv(cmd string, vars map[string]string) ([]string, error) {
	words, err := split(cmd)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, ErrEmpty
	}
	argv := make([]string, 0, len(words))
	for _, word := range words {
		var b strings.Builder
		for _, p := range word {
			if p.literal {
				b.WriteString(p.text)
				continue
			}
			if err := substitute(&b, p.text, vars); err != nil {
				return nil, err
			}
		}
		argv = append(argv, b.String())
	}
	if argv[0] == "" {
		return nil, ErrEmpty
	}
	return argv, nil
}

// split cuts a command line into words of pieces.
func split(cmd string) ([][]piece, error) {
	var s splitter
	runes := []rune(cmd)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case c == '\\' && s.quote != '\'':
			i++
			if i == len(runes) {
				return nil, ErrQuote
			}
			s.add(runes[i], true)
		case s.quote != 0 && c == s.quote:
			s.quote = 0
		case s.quote == 0 && (c == '\'' || c == '"'):
			s.quote, s.open = c, true
		case s.quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			s.end()
		default:
			s.add(c, s.quote == '\'')
		}
	}
	if s.quote != 0 {
		return nil, ErrQuote
	}
	s.end()
	return s.words, nil
}

type splitter struct {
	words [][]piece
	word  []piece
	open  bool // a word has begun, though it may be empty
	quote rune
}

func (s *splitter) add(c rune, literal bool) {
	s.open = true
	if n := len(s.word); n > 0 && s.word[n-1].literal == literal {
		s.word[n-1].text += string(c)
		return
	}
	s.word = append(s.word, piece{string(c), literal})
}

func (s *splitter) end() {
	if s.open {
		s.words = append(s.words, s.word)
	}
	s.word, s.open = nil, false
}

func substitute(b *strings.Builder, text string, vars map[string]string) error {
	for {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return nil
		}
		if rest, ok := strings.CutPrefix(after, "$"); ok {
			b.WriteByte('$')
			text = rest
			continue
		}
		name, rest := variable(after)
		if name == "" {
			b.WriteByte('$')
			text = after
			continue
		}
		value, ok := vars[name]
		if !ok {
			return fmt.Errorf("%w: $%s", ErrUndefined, name)
		}
		b.WriteString(value)
		text = rest
	}
}

// variable reads name or {name} at the start of text.
func variable(text string) (name, rest string) {
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		n := identifier(inner)
		if n > 0 && strings.HasPrefix(inner[n:], "}") {
			return inner[:n], inner[n+1:]
		}
		return "", text
	}
	n := identifier(text)
	return text[:n], text[n:]
}

func identifier(text string) int {
	for i := range len(text) {
		c := text[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(text)
}
