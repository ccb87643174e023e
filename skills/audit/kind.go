package audit

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// class is what kind of file it is, by its name and, where that says nothing, by its content.
type class int

const (
	document class = iota // read by people and models
	script                // run
	data                  // neither: configuration, tables
	opaque                // no text
)

var (
	scripts = wordSet(`.sh .bash .zsh .fish .ksh .py .pyw .js .mjs .cjs .ts .mts .cts .jsx .tsx .rb .pl .pm .php .ps1 .psm1 .bat .cmd
		.vbs .lua .go .rs .c .cc .cpp .h .java .kt .swift .scala .r .jl .ex .exs .erl .clj .groovy .tcl .awk .applescript .scpt .hta
		.command .service .plist .mk .gradle .cs .fs .nim .zig .dart .ipynb .pth .desktop`)
	documents = wordSet(`.md .mdx .markdown .txt .rst .adoc .org .html .htm .tex .svg .xml`)
	datas     = wordSet(`.json .jsonl .yaml .yml .toml .ini .cfg .conf .csv .tsv .lock .properties .env .sql .css .scss .graphql .proto .xsd .skills`)
	named     = map[string]class{"makefile": script, "dockerfile": script, "justfile": script, "rakefile": script, "gemfile": script, "procfile": script, "license": document, "readme": document}
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

var codeLike = lazily(`(?m)^\s*(?:import \w+|from \w+ import |const \w+ =|let \w+ =|var \w+ =|function \w*\(|def \w+\(|#include|package \w+|export \w+=|\w+=\$\(|if \[|curl -|wget |exec\(|require\()`)

// classify says what a file is. A name that says nothing, or lies, is overruled by the content.
func classify(name string, content []byte) class {
	if !textual(content) {
		return opaque
	}
	if bytes.HasPrefix(content, []byte("#!")) {
		return script
	}
	ext := strings.ToLower(path.Ext(name))
	base := strings.ToLower(path.Base(name))
	switch {
	case scripts[ext]:
		return script
	case documents[ext]:
		return document
	case datas[ext]:
		return data
	}
	if c, ok := named[base]; ok {
		return c
	}
	if codeLike.MatchString(string(content)) {
		return script
	}
	return document
}

// textual says whether bytes are text: valid enough as UTF-8 and without NUL.
func textual(content []byte) bool {
	head := content[:min(len(content), 8<<10)]
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	bad := 0
	for len(head) >= utf8.UTFMax {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != 0x1b {
			bad++
		}
		head = head[n:]
	}
	return bad*20 <= min(len(content), 8<<10)
}

// decodeText gives a file as UTF-8: UTF-16 with its mark is converted, so that an encoding hides nothing.
func decodeText(content []byte) []byte {
	little := bytes.HasPrefix(content, []byte{0xff, 0xfe})
	if !little && !bytes.HasPrefix(content, []byte{0xfe, 0xff}) {
		return content
	}
	var out []byte
	for i := 2; i+1 < len(content); i += 2 {
		u := rune(content[i])<<8 | rune(content[i+1])
		if little {
			u = rune(content[i+1])<<8 | rune(content[i])
		}
		out = utf8.AppendRune(out, u)
	}
	return out
}

// fixture says whether a file lies where tests keep what they are fed with.
func fixture(name string) bool {
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		switch part {
		case "tests", "test", "testdata", "fixtures", "__tests__", "spec", "specs", "evals", "eval":
			return true
		}
	}
	base := strings.ToLower(path.Base(name))
	return strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.")
}
