package skills

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Limits of what is read. The largest real SKILL.md seen has 177 KB.
const (
	MaxFile        = 1 << 20
	MaxFrontMatter = 64 << 10
	MaxDepth       = 16
)

// document is a SKILL.md cut at its fences, with line ends as LF.
type document struct {
	text  string // the whole file, without byte order mark
	front string // between the fences
	line  int    // line of the file on which front begins
	body  string
}

// cut finds the fences. When a finding is an error the document has no front matter.
func cut(file []byte) (document, []Finding) {
	var found []Finding
	if f, ok := unreadable(file); ok {
		return document{}, []Finding{f}
	}
	if rest, ok := bytes.CutPrefix(file, []byte("\xef\xbb\xbf")); ok {
		file = rest
		found = append(found, warning(CodeBOM, 1, "the file begins with a byte order mark"))
	}
	doc := document{text: string(file)}
	if strings.Contains(doc.text, "\r\n") {
		doc.text = strings.ReplaceAll(doc.text, "\r\n", "\n")
	}
	return doc.cut(found)
}

// cut finds the fences of a file that can be read.
func (doc document) cut(found []Finding) (document, []Finding) {
	at, first := 0, 1 // offset and number of the line looked at
	line, end := lineAt(doc.text, at)
	for strings.TrimSpace(line) == "" && end < len(doc.text) {
		at, first = end, first+1
		line, end = lineAt(doc.text, at)
	}
	if strings.TrimSpace(line) == "" {
		return doc, append(found, fault(CodeEmptyFile, 1, "the file is empty"))
	}
	if !fence(line) {
		return doc, append(found, fault(CodeNoFrontMatter, first, "the file does not begin with a line of three dashes; add front matter with name and description"))
	}
	if first > 1 {
		found = append(found, warning(CodeFenceLate, first, "there are blank lines before the front matter"))
	}
	start, opening := end, line
	for at = start; ; at = end {
		if at >= len(doc.text) {
			return doc, append(found, fault(CodeUnterminated, first, "the front matter is never closed; add a line of three dashes after it"))
		}
		if line, end = lineAt(doc.text, at); fence(line) {
			break
		}
	}
	if opening != "---" || line != "---" {
		found = append(found, warning(CodeFenceSpace, first, "there is white space after the three dashes"))
	}
	doc.front, doc.body, doc.line = doc.text[start:at], doc.text[end:], first+1
	if len(doc.front) > MaxFrontMatter {
		return doc, append(found, fault(CodeTooLarge, doc.line, "the front matter is larger than 64 KiB"))
	}
	return doc, append(found, oddLines(strings.Split(strings.TrimSuffix(doc.front, "\n"), "\n"), doc.line)...)
}

// lineAt gives the line that begins at an offset, and where the next one does.
func lineAt(text string, at int) (line string, next int) {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return text[at : at+i], at + i + 1
	}
	return text[at:], len(text)
}

func unreadable(file []byte) (Finding, bool) {
	switch {
	case len(file) == 0:
		return fault(CodeEmptyFile, 0, "the file is empty"), true
	case len(file) > MaxFile:
		return fault(CodeTooLarge, 0, "the file is larger than 1 MiB"), true
	case bytes.IndexByte(file, 0) >= 0:
		line := 1 + bytes.Count(file[:bytes.IndexByte(file, 0)], []byte("\n"))
		return fault(CodeNUL, line, "the file holds a NUL byte"), true
	case !utf8.Valid(file):
		return fault(CodeEncoding, 0, "the file is not UTF-8; save it as UTF-8"), true
	}
	return Finding{}, false
}

func fence(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// oddLines finds what is legal YAML and hardly meant: a Markdown heading that YAML takes for a
// comment, and the end of a first YAML document.
func oddLines(lines []string, start int) []Finding {
	var found []Finding
	for i, line := range lines {
		if i > 0 && strings.HasPrefix(line, "# ") && lines[i-1] == "" {
			found = append(found, warning(CodeSwallowedHeading, start+i, "a heading stands inside the front matter; is its closing line of dashes missing?"))
		}
		if line == "..." {
			found = append(found, warning(CodeMultiDoc, start+i, "only what stands before the line of dots is read"))
		}
	}
	return found
}
