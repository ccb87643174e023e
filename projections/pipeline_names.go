package projections

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// traceFile is the file of a session's runs.
const traceFile = "pipeline_trace.json"

// atomPrefixes are the Task Router's atoms with the beginnings of their files' names.
var atomPrefixes = map[string]string{
	"knowledge-acquisition":  "ka",
	"knowledge-extraction":   "ke",
	"association-discovery":  "as",
	"hypothesis-generation":  "hg",
	"argument-expression":    "ae",
	"viewpoint-verification": "vp",
	"quality-gate":           "qg",
}

// prefixBytes bounds a name, so that number and ending still fit into what file systems take.
const prefixBytes = 120

// filePrefix is how the files of a step begin: the atom's letters, or the step's id as far as it may
// stand in a path: letters and digits of any script, hyphen, underscore and inner dots.
func filePrefix(skill, step string) string {
	for _, name := range []string{skill, step} {
		if prefix := atomPrefixes[name]; prefix != "" {
			return prefix
		}
	}
	var b strings.Builder
	for _, r := range step {
		if !inPath(r) || r == '.' && b.Len() == 0 {
			r = '-'
		}
		if b.Len()+utf8.RuneLen(r) > prefixBytes {
			break
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "step"
	}
	return b.String()
}

func inPath(r rune) bool {
	switch {
	case r == utf8.RuneError:
		return false
	case r == '-' || r == '_' || r == '.':
		return true
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// number gives the next file name of a prefix: prefix_01.json and so on, over the whole session.
// Prefixes that differ in case only share their numbers, since some file systems take them for one.
func (p *Pipeline) number(prefix string) string {
	key := strings.ToLower(prefix)
	p.written[key]++
	return fmt.Sprintf("%s_%02d.json", prefix, p.written[key])
}
