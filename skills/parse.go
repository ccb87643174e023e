package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/batonflow/baton/skills/audit"
)

// Parse reads the SKILL.md at path, whose bytes are given, as leniently as is safe. It always
// gives a skill; what cannot be used has Usable false and a Reason. Findings come in the order of
// the file. Tier, Host and Trusted are for the caller to fill in.
func Parse(path string, file []byte) (Skill, []Finding) {
	folder := filepath.Dir(path)
	s := Skill{Name: folderName(filepath.Base(folder)), Path: folder, File: path}
	doc, found := cut(file)
	if reason, bad := firstFault(found); bad {
		s.Reason = reason
		return s, found
	}
	s.Hash = hash(doc, file)
	s.BodySize = len(doc.body)
	s.Headings = headings(doc.body)
	m, more := read(doc)
	found = append(found, more...)
	if reason, bad := firstFault(more); bad {
		s.Reason = reason
		return s, found
	}
	r := reader{mapping: m, skill: s}
	r.fields()
	s = r.skill
	for _, phrase := range audit.Speaks(s.Name + "\n" + s.Description + "\n" + strings.Join(s.Tags, "\n")) {
		s.Flagged = append(s.Flagged, phrase)
		r.found = append(r.found, warning(CodeInjection, 0, "the text tries to instruct its reader: "+phrase))
	}
	if strings.TrimSpace(doc.body) == "" {
		r.found = append(r.found, warning(CodeBodyEmpty, 0, "there is nothing after the front matter"))
	}
	s.Usable = s.Description != ""
	if !s.Usable {
		s.Reason = CodeDescMissing + ": nothing says what the skill does"
	}
	return s, append(found, r.found...)
}

func firstFault(found []Finding) (string, bool) {
	for _, f := range found {
		if f.Level == LevelError {
			return f.Code + ": " + f.Message, true
		}
	}
	return "", false
}

// hash is that of the text; the file's own bytes are used where they are the text.
func hash(doc document, file []byte) string {
	if len(doc.text) != len(file) {
		file = []byte(doc.text)
	}
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// The headings kept are enough to tell what a body is about and too few to swell the index.
const (
	maxHeadings   = 12
	maxHeadingLen = 80
)

func headings(body string) []string {
	var out []string
	code := false
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		text := strings.TrimLeft(line, "#")
		if code || text == line || !strings.HasPrefix(text, " ") {
			continue
		}
		out = append(out, strings.Clone(shorten(strings.TrimSpace(text), maxHeadingLen))) // the body is let go
		if len(out) == maxHeadings {
			break
		}
	}
	return out
}

func shorten(text string, runes int) string {
	r := []rune(text)
	if len(r) <= runes {
		return text
	}
	return string(r[:runes])
}
