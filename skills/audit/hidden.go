package audit

import (
	"bytes"
	"path"
	"strings"
)

func (a *auditor) whole(f File, rule, kind string, level Level, note string) {
	a.add(Finding{Rule: rule, Kind: kind, Level: level, File: f.Path, Note: note})
}

// usual are hidden files that a project has for its tools.
var usual = wordSet(`.gitignore .gitattributes .gitkeep .editorconfig .npmignore .dockerignore .prettierrc .eslintrc .eslintrc.json
	.eslintignore .prettierignore .nvmrc .python-version .ruby-version .tool-versions .env.example .env.sample .env.template .markdownlint.json
	.flake8 .pylintrc .clang-format .keep .nojekyll .mailmap .yamllint .shellcheckrc .github .vscode .claude-plugin .clawhub .well-known`)

// name looks at what a file is called.
func (a *auditor) name(f File) {
	for part := range strings.SplitSeq(f.Path, "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." && !usual[strings.ToLower(part)] {
			level := Low
			if kind := classify(f.Path, f.Data); kind == script || kind == opaque || strings.HasPrefix(part, ".env") {
				level = Medium
			}
			a.whole(f, "hidden.file", "hidden", level, "is hidden from a listing")
			break
		}
	}
	if base := path.Base(f.Path); strings.Count(base, ".") > 1 && disguised.MatchString(strings.ToLower(base)) {
		a.whole(f, "hidden.disguise", "hidden", High, "has a name that hides what it is")
	}
	r := newReading(f.Path, document, strings.NewReplacer("-", " ", "_", " ", "/", " ").Replace(f.Path))
	r.lines = []string{f.Path}
	for i := range a.rules {
		if rule := &a.rules[i]; rule.In == inProse && rule.Speaks {
			for range rule.find(r.prose) {
				a.add(Finding{Rule: rule.ID, Kind: rule.Kind, Level: rule.Level, File: f.Path, Excerpt: shorten(f.Path), Note: "in the name of a file: " + rule.Note})
			}
		}
	}
}

var disguised = lazily(`\.(?:md|txt|pdf|png|jpe?g|gif|docx?|xlsx?|csv)\s*\.(?:exe|scr|bat|cmd|com|js|vbs|ps1|sh|command|app|lnk|jar)$`)

// magic tells binary formats apart by how they begin.
var magic = []struct {
	begin, what string
	level       Level
}{
	{"\x7fELF", "a program for Linux", High}, {"MZ", "a program for Windows", High},
	{"\xcf\xfa\xed\xfe", "a program for macOS", High}, {"\xce\xfa\xed\xfe", "a program for macOS", High}, {"\xca\xfe\xba\xbe", "a program for macOS or Java", High},
	{"\xd0\xcf\x11\xe0", "an installer or old Office file, which may hold macros", Medium},
	{"dex\n", "a program for Android", High}, {"\x00asm", "WebAssembly", Medium}, {"!<arch>", "a library", Medium},
	{"PK\x03\x04", "an archive", Medium}, {"PK\x05\x06", "an archive", Medium}, {"7z\xbc\xaf\x27\x1c", "an archive", Medium}, {"Rar!", "an archive", Medium}, {"\x1f\x8b", "an archive", Medium},
	{"BZh", "an archive", Medium}, {"\xfd7zXZ", "an archive", Medium}, {"\x28\xb5\x2f\xfd", "an archive", Medium},
	{"\x89PNG", "", ""}, {"\xff\xd8\xff", "", ""}, {"GIF8", "", ""}, {"RIFF", "", ""}, {"%PDF", "", ""}, {"wOFF", "", ""}, {"wOF2", "", ""},
	{"\x00\x01\x00\x00", "", ""}, {"OTTO", "", ""}, {"\x00\x00\x01\x00", "", ""}, {"ID3", "", ""}, {"OggS", "", ""}, {"fLaC", "", ""}, {"SQLite format 3", "", ""}, {"BM", "", ""}, {"II*\x00", "", ""}, {"MM\x00*", "", ""},
}

// office are archives that are documents.
var office = wordSet(`.docx .xlsx .pptx .odt .ods .odp .epub .dotx .potx .xltx`)

// binary looks at a file that is no text.
func (a *auditor) binary(f File) {
	ext := strings.ToLower(path.Ext(f.Path))
	for _, m := range magic {
		if !bytes.HasPrefix(f.Data, []byte(m.begin)) {
			continue
		}
		switch {
		case m.level == "" && (scripts[ext] || documents[ext]):
			a.whole(f, "hidden.disguise", "hidden", Medium, "is not what its name says")
		case m.what == "an archive" && office[ext]:
		case m.what == "an archive" && encrypted(f.Data):
			a.whole(f, "hidden.archive", "hidden", High, "is an archive with a password, which nobody can look into")
		case m.what == "an archive":
			a.whole(f, "hidden.archive", "hidden", m.level, "is an archive within the skill; it is not looked into")
		case m.level != "":
			a.whole(f, "hidden.binary", "hidden", m.level, "is "+m.what+"; what it does cannot be read")
		}
		return
	}
	switch ext {
	case ".mp4", ".mov", ".m4a", ".heic", ".avif", ".mp3", ".webm", ".ttf", ".ico", ".icns", ".npy", ".parquet", ".bin", ".dat", ".gz", ".db", ".ds_store":
		a.whole(f, "hidden.binary", "hidden", Low, "is no text; what it holds is not looked at")
	default:
		a.whole(f, "hidden.binary", "hidden", Medium, "is no text and of no known kind; what it does cannot be read")
	}
}

func encrypted(zip []byte) bool {
	return bytes.HasPrefix(zip, []byte("PK\x03\x04")) && len(zip) > 8 && zip[6]&1 == 1
}

var (
	zeroWidth  = lazily(`[A-Za-z\p{Han}][\x{200b}\x{200c}\x{200d}\x{2060}\x{feff}\x{00ad}]+[A-Za-z\p{Han}]`)
	overriding = lazily(`[\x{202a}-\x{202e}\x{2066}-\x{2069}]`)
	rightLeft  = lazily(`[\p{Hebrew}\p{Arabic}]`)
	farRight   = lazily(`\S[ \t]{150,}\S`)
	unseen     = lazily(`(?i)(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0\b|[;"']\s*color\s*:\s*transparent)[^>]{0,60}>\s*[^<\s]`)
)

// hidden looks for what a person who reads the file does not see.
func (a *auditor) hidden(r *reading, source string) {
	bidi := Level(High)
	if rightLeft.MatchString(source) {
		bidi = Low
	}
	for i, line := range r.lines {
		say := func(rule string, level Level, note string) {
			a.add(Finding{Rule: rule, Kind: "hidden", Level: level, File: r.path, Line: i + 1, Excerpt: excerpt(r.lines, i+1), Note: note})
		}
		if !ascii(line) {
			if zeroWidth.MatchString(line) {
				say("hidden-characters", Medium, "has invisible characters within words")
			}
			if overriding.MatchString(line) {
				say("hidden.direction", bidi, "has characters that let text appear in another order")
			}
			if mixesCyrillic.MatchString(line) {
				say("hidden.look-alike", Medium, "mixes letters of two scripts within a word")
			}
			if strings.ContainsFunc(line, func(c rune) bool { return 0xE0000 <= c && c <= 0xE007F && !flag(line) || 0xE0100 <= c && c <= 0xE01EF }) {
				say("hidden-characters", High, "has text in characters that no font shows")
			}
		}
		if farRight.MatchString(line) {
			say("hidden.far", Medium, "has text far to the right, where nobody looks")
		}
		if r.class == document && unseen.MatchString(line) {
			say("hidden.style", Medium, "has text that is styled to be unseen")
		}
	}
	if strings.HasPrefix(source, "#!") && imageName.MatchString(strings.ToLower(r.path)) {
		a.add(Finding{Rule: "hidden.disguise", Kind: "hidden", Level: High, File: r.path, Line: 1, Excerpt: excerpt(r.lines, 1), Note: "is a script under the name of a picture"})
	}
}

// flag says whether a line shows a regional flag, which is written with tags.
func flag(line string) bool { return strings.ContainsRune(line, '\U0001F3F4') }

var imageName = lazily(`\.(?:png|jpe?g|gif|webp|ico|svg|pdf|woff2?|ttf|mp[34])$`)
