package acquire

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostile are packages that must be refused, each with its code.
func hostile(t *testing.T) map[string]struct {
	data []byte
	code string
} {
	skill := part{name: "SKILL.md", text: skillText}
	with := func(parts ...part) []byte { return packageOf(t, append([]part{skill}, parts...)...) }
	named := func(name string) []byte { return with(part{name: name, text: "x"}) }
	mode := func(m fs.FileMode) []byte { return with(part{name: "x", text: "/etc/passwd", mode: m}) }
	return map[string]struct {
		data []byte
		code string
	}{
		"absolute":                 {named("/etc/cron.d/x"), "package_absolute"},
		"absolute, backslash":      {named(`\etc\x`), "package_absolute"},
		"home":                     {named("~/x"), "package_absolute"},
		"parent":                   {named("../x"), "package_parent"},
		"parent within":            {named("a/../../x"), "package_parent"},
		"parent at the end":        {named("a/.."), "package_parent"},
		"drive":                    {named("C:/x"), "package_drive"},
		"drive without a slash":    {named("C:x"), "package_drive"},
		"alternate stream":         {named("a.txt:evil"), "package_drive"},
		"backslash":                {named(`a\..\..\x`), "package_backslash"},
		"UNC":                      {named(`\\host\share`), "package_absolute"},
		"link":                     {mode(fs.ModeSymlink | 0o777), "package_link"},
		"folder as a link":         {with(part{name: "d", text: "/", mode: fs.ModeSymlink | 0o777}, part{name: "d/x", text: "x"}), "package_link"},
		"hard link":                {with(part{name: "x", edit: hardLink}), "package_link"},
		"a type nobody knows":      {with(part{name: "x", edit: oddMode}), "package_device"},
		"character device":         {mode(fs.ModeDevice | fs.ModeCharDevice | 0o600), "package_device"},
		"block device":             {mode(fs.ModeDevice | 0o600), "package_device"},
		"pipe":                     {mode(fs.ModeNamedPipe | 0o600), "package_device"},
		"socket":                   {mode(fs.ModeSocket | 0o600), "package_device"},
		"setuid":                   {mode(fs.ModeSetuid | 0o755), "package_setuid"},
		"duplicate":                {with(part{name: "a", text: "1"}, part{name: "a", text: "2"}), "package_duplicate"},
		"two of the skill":         {with(skill), "package_duplicate"},
		"file and folder":          {with(part{name: "a", text: "1"}, part{name: "a/b", text: "2"}), "package_duplicate"},
		"folder and file":          {with(part{name: "a/b", text: "1"}, part{name: "a", text: "2"}), "package_duplicate"},
		"case":                     {with(part{name: "Readme", text: "1"}, part{name: "README", text: "2"}), "package_case"},
		"case of a folder":         {with(part{name: "Docs/a", text: "1"}, part{name: "docs/b", text: "2"}), "package_case"},
		"case of the skill":        {with(part{name: "skill.md", text: skillText}), "package_case"},
		"composed and decomposed":  {with(part{name: "caf\u00e9", text: "1"}, part{name: "cafe\u0301", text: "2"}), "package_unicode"},
		"full-width letters":       {with(part{name: "abc", text: "1"}, part{name: "ａｂｃ", text: "2"}), "package_unicode"},
		"10,000 entries":           {many(t, 10_000), "package_entries"},
		"4 GB of zeros":            {zeros(t, 4<<30), "package_size"},
		"60 MB of zeros":           {with(part{name: "z", text: strings.Repeat("\x00", 60<<20)}), "package_ratio"},
		"a size that lies":         {lying(t), "package_damaged"},
		"nested zip":               {named("inner.zip"), "package_nested"},
		"nested tar":               {named("inner.tar.gz"), "package_nested"},
		"no skill":                 {packageOf(t, part{name: "readme.md", text: "x"}), "skill_missing"},
		"notSKILL.mdx":             {packageOf(t, part{name: "notSKILL.mdx", text: skillText}), "skill_missing"},
		"only a lower-case one":    {packageOf(t, part{name: "skill.md", text: skillText}), "skill_missing"},
		"two skills":               {packageOf(t, part{name: "a/SKILL.md", text: skillText}, part{name: "b/SKILL.md", text: skillText}), "skill_many"},
		"a skill within a skill":   {with(part{name: "sub/SKILL.md", text: skillText}), "skill_many"},
		"too deep a skill":         {packageOf(t, part{name: "a/b/SKILL.md", text: skillText}), "skill_deep"},
		"files beside the skill":   {packageOf(t, part{name: "demo/SKILL.md", text: skillText}, part{name: "evil.sh", text: "x"}), "package_stray"},
		"a folder called SKILL.md": {packageOf(t, part{name: "SKILL.md/", mode: fs.ModeDir | 0o755}), "skill_missing"},
		"another name":             {packageOf(t, part{name: "SKILL.md", text: strings.Replace(skillText, "name: demo", "name: other", 1)}), "skill_name"},
		"no description":           {packageOf(t, part{name: "SKILL.md", text: "---\nname: demo\n---\n"}), "skill_unusable"},
		"no front matter":          {packageOf(t, part{name: "SKILL.md", text: "hello"}), "skill_unusable"},
		"control character":        {named("a\x07b"), "package_characters"},
		"newline":                  {named("a\nb"), "package_characters"},
		"bidirectional":            {named("a\u202egnp.sh"), "package_characters"},
		"zero width":               {named("a\u200bb"), "package_characters"},
		"NUL":                      {named("a\x00b"), "package_characters"},
		"no UTF-8":                 {named("a\xffb"), "package_encoding"},
		"too long":                 {named(strings.Repeat("a/", 100) + strings.Repeat("b", 100)), "package_path_long"},
		"too deep":                 {named(strings.Repeat("a/", 20) + "b"), "package_depth"},
		"device of another system": {named("aux.txt"), "package_reserved"},
		"the manifest":             {named(ManifestFile), "package_reserved"},
		"a dot at the end":         {named("a."), "package_odd"},
		"an empty part":            {named("a//b"), "package_odd"},
		"encrypted":                {encryptedEntry(with(part{name: "x", text: "x"})), "package_encrypted"},
		"unknown method":           {method(with(part{name: "x", text: "x"}), 99), "package_method"},
		"no zip":                   {[]byte("hello"), "package_unreadable"},
		"nothing":                  {nil, "package_unreadable"},
	}
}

// hardLink is an entry as old programs wrote a link: in an extra field.
func hardLink(h *zip.FileHeader) {
	field := append(make([]byte, 14), "SKILL.md"...)
	h.Extra = append([]byte{0x6e, 0x75, byte(len(field)), 0}, field...)
}

func oddMode(h *zip.FileHeader) {
	h.CreatorVersion, h.ExternalAttrs = 3<<8, (0x3000|0o644)<<16
}

func many(t *testing.T, n int) []byte {
	parts := []part{{name: "SKILL.md", text: skillText}}
	for i := range n {
		parts = append(parts, part{name: fmt.Sprintf("f/%d", i)})
	}
	return packageOf(t, parts...)
}

// zeros claims a size that it would take minutes to pack: what counts is what it claims.
func zeros(t *testing.T, size uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "z", Method: zip.Deflate, UncompressedSize64: size, CompressedSize64: 4})
	if err == nil {
		_, err = w.Write([]byte{3, 0, 3, 0})
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lying unpacks to more than it claims.
func lying(t *testing.T) []byte {
	t.Helper()
	text := []byte(strings.Repeat("0123456789", 100))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "SKILL.md", Method: zip.Deflate})
	if err == nil {
		_, err = w.Write([]byte(skillText))
	}
	if err == nil {
		w, err = z.CreateRaw(&zip.FileHeader{Name: "x", Method: zip.Store, CRC32: crc32.ChecksumIEEE(text), UncompressedSize64: 10, CompressedSize64: uint64(len(text))})
	}
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// headers calls f for the flags and the method of the last entry, in both of its headers.
func headers(data []byte, f func(flags, method []byte)) []byte {
	data = bytes.Clone(data)
	if i := bytes.LastIndex(data, []byte("PK\x03\x04")); i >= 0 {
		f(data[i+6:i+8], data[i+8:i+10])
	}
	if i := bytes.LastIndex(data, []byte("PK\x01\x02")); i >= 0 {
		f(data[i+8:i+10], data[i+10:i+12])
	}
	return data
}

func encryptedEntry(data []byte) []byte {
	return headers(data, func(flags, _ []byte) { flags[0] |= 1 })
}

func method(data []byte, m uint16) []byte {
	return headers(data, func(_, method []byte) { binary.LittleEndian.PutUint16(method, m) })
}

// TestHostilePackagesAreRefused: each with its code, nothing written outside, nothing left behind.
func TestHostilePackagesAreRefused(t *testing.T) {
	t.Parallel()
	cases := hostile(t)
	if len(cases) < 40 {
		t.Fatalf("%d cases", len(cases))
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.pin("demo", "v1", c.data)
			candidate := w.upTo("unpack")
			before := w.files()
			_, err := w.Unpack(t.Context(), candidate)
			wants(t, name, err, c.code)
			if diff := cmp.Diff(before, w.files()); diff != "" {
				t.Errorf("left behind: %s", diff)
			}
			if entries, err := os.ReadDir(filepath.Dir(w.Home)); err != nil || len(entries) != 2 {
				t.Errorf("beside the installation: %v %v", entries, err)
			}
		})
	}
}

// TestPlainPackagesAreTaken: at the top or in one folder, with files that may be run.
func TestPlainPackagesAreTaken(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"at the top":    good(t),
		"in a folder":   packageOf(t, part{name: "demo-v1/", mode: fs.ModeDir | 0o755}, part{name: "demo-v1/SKILL.md", text: skillText}, part{name: "demo-v1/a/b.md", text: "x"}),
		"Chinese names": packageOf(t, part{name: "SKILL.md", text: skillText}, part{name: "参考/说明.md", text: "说明"}),
	} {
		w := newWorld(t)
		w.pin("demo", "v1", data)
		got, err := w.Unpack(t.Context(), w.upTo("unpack"))
		if err != nil || got.Files != 2 {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		items, err := ItemsOf(filepath.Join(w.work(), treeDir))
		if err != nil || Digest(items) != got.Tree {
			t.Errorf("%s: the files are not what their digest says: %v", name, err)
		}
	}
}

func FuzzPackage(f *testing.F) {
	f.Add(good(f))
	f.Add(packageOf(f, part{name: "../x", text: "x"}))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, "p.zip")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := openPackage(file, "demo")
		if err != nil {
			return
		}
		defer p.Close()
		out := filepath.Join(dir, "out")
		if err := os.Mkdir(out, 0o700); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(out)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		_ = p.writeTo(root) // a damaged entry is refused while it is written
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
			t.Errorf("written outside: %v %v", entries, err)
		}
	})
}

func FuzzNames(f *testing.F) {
	for _, name := range []string{"a/b", "../x", "C:x", "a\u202eb", "aux", "a//b", "é"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if newNames().take(name) == nil && !filepath.IsLocal(strings.TrimSuffix(name, "/")) {
			t.Errorf("%q is taken and not local", name)
		}
	})
}
