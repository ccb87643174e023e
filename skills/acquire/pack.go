package acquire

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
)

// pack is a package whose entries have all been looked at: nothing of it has been written yet.
type pack struct {
	zip   *zip.ReadCloser
	root  string // the folder in it that is the skill, "." at the top
	files []packed
}

// packed is one file of the skill.
type packed struct {
	name  string // below the skill's root
	entry *zip.File
}

// Close lets go of the archive.
func (p *pack) Close() error { return p.zip.Close() }

// openPackage looks at every entry of a package and refuses it as a whole for the first that is not
// as it must be.
func openPackage(file, slug string) (*pack, error) {
	z, err := zip.OpenReader(file)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, refuse("package_unreadable", "ask its author for a zip archive", "%s is no zip archive: %v", path.Base(file), err)
	}
	p := &pack{zip: z}
	if err := p.look(slug); err != nil {
		return nil, errors.Join(err, z.Close())
	}
	return p, nil
}

func (p *pack) look(slug string) error {
	size, err := archiveSize(p.zip)
	if err != nil {
		return err
	}
	if n := len(p.zip.File); n > MaxEntries {
		return bad("package_entries", "it has %d entries, at most %d are taken", n, MaxEntries)
	}
	names := newNames()
	var total uint64
	var kept []packed
	for _, f := range p.zip.File {
		if err := p.entry(f, names); err != nil {
			return err
		}
		total += f.UncompressedSize64
		if total > MaxSize {
			return bad("package_size", "it unpacks to more than %d MiB", MaxSize>>20)
		}
		if !isFolder(f) {
			kept = append(kept, packed{path.Clean(f.Name), f})
		}
	}
	if total > uint64(size)*MaxRatio {
		return bad("package_ratio", "it unpacks to %d times its size, at most %d are taken", total/max(uint64(size), 1), MaxRatio)
	}
	return p.settle(kept, slug)
}

// archiveSize is how many bytes the packed entries take.
func archiveSize(z *zip.ReadCloser) (int64, error) {
	var n uint64
	for _, f := range z.File {
		n += f.CompressedSize64 + uint64(len(f.Name)) + 46
		if f.CompressedSize64 > MaxPackage {
			return 0, bad("package_size", "entry %q claims more bytes than a package may have", short(f.Name))
		}
	}
	return int64(n), nil
}

func isFolder(f *zip.File) bool { return strings.HasSuffix(f.Name, "/") }

// entry checks one entry by itself and against the names before it.
func (p *pack) entry(f *zip.File, names *names) error {
	if err := names.take(f.Name); err != nil {
		return err
	}
	mode := f.Mode()
	switch {
	case f.Flags&1 != 0:
		return bad("package_encrypted", "entry %q is encrypted; nobody can look into it", short(f.Name))
	case f.UncompressedSize64 > MaxSize:
		return bad("package_size", "entry %q unpacks to more than %d MiB", short(f.Name), MaxSize>>20)
	case mode&fs.ModeSymlink != 0 || linked(f.Extra):
		return bad("package_link", "entry %q is a link", short(f.Name))
	case !mode.IsRegular() && !mode.IsDir() || oddType(f):
		return bad("package_device", "entry %q is neither file nor folder", short(f.Name))
	case mode.IsDir() != isFolder(f):
		return bad("package_odd", "entry %q is a folder by its mode and not by its name, or the reverse", short(f.Name))
	case isFolder(f) && f.UncompressedSize64 > 0:
		return bad("package_odd", "the folder %q has a content", short(f.Name))
	case mode&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return bad("package_setuid", "entry %q would run with the rights of another", short(f.Name))
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return bad("package_method", "entry %q is packed in a way that is not known here", short(f.Name))
	case path.Base(f.Name) == ManifestFile:
		return bad("package_reserved", "entry %q has a name that only Baton writes", short(f.Name))
	case archiveName(f.Name):
		return bad("package_nested", "entry %q is an archive; archives within archives are not taken", short(f.Name))
	case ratio(f) > MaxRatio && f.UncompressedSize64 > 1<<20:
		return bad("package_ratio", "entry %q unpacks to %d times its size, at most %d are taken", short(f.Name), ratio(f), MaxRatio)
	}
	return nil
}

// unixCreator is the system whose modes of files an entry has.
const unixCreator = 3

// oddType says whether an entry is of a type that its mode does not show: neither file, folder nor link.
func oddType(f *zip.File) bool {
	if f.CreatorVersion>>8 != unixCreator {
		return false
	}
	switch f.ExternalAttrs >> 16 & 0xF000 {
	case 0, 0x8000, 0x4000, 0xA000:
		return false
	}
	return true
}

// linked says whether one of the extra fields that old programs wrote makes an entry a link to another.
func linked(extra []byte) bool {
	for len(extra) >= 4 {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if id == 0x756e && size > 14 || id == 0x000d && size > 12 {
			return true
		}
		extra = extra[min(4+size, len(extra)):]
	}
	return false
}

func ratio(f *zip.File) uint64 { return f.UncompressedSize64 / max(f.CompressedSize64, 1) }

var archives = []string{".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".jar", ".war", ".whl", ".egg", ".cab", ".iso", ".dmg", ".skill"}

func archiveName(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	for _, a := range archives {
		if ext == a {
			return true
		}
	}
	return false
}

// settle finds the one folder that is the skill, and checks that it is the one that was asked for.
func (p *pack) settle(files []packed, slug string) error {
	var roots []string
	for _, f := range files {
		if path.Base(f.name) == skillFile {
			roots = append(roots, path.Dir(f.name))
		}
	}
	switch {
	case len(roots) == 0:
		return bad("skill_missing", "no file in it is called %s", skillFile)
	case len(roots) > 1:
		return bad("skill_many", "it holds %d skills, in %s and %s", len(roots), roots[0], roots[1])
	case strings.Contains(roots[0], "/"):
		return bad("skill_deep", "its %s lies in %s, not at the top or in one folder", skillFile, short(roots[0]))
	}
	p.root = roots[0]
	for _, f := range files {
		name, inside := f.name, true
		if p.root != "." {
			name, inside = strings.CutPrefix(f.name, p.root+"/")
		}
		if !inside {
			return bad("package_stray", "%q lies outside the skill's folder %s", short(f.name), p.root)
		}
		p.files = append(p.files, packed{name, f.entry})
	}
	return p.named(slug)
}

// named checks that the skill calls itself what it is installed as.
func (p *pack) named(slug string) error {
	for _, f := range p.files {
		if f.name != skillFile {
			continue
		}
		text, err := readEntry(f.entry, skills.MaxFile)
		if err != nil {
			return err
		}
		s, _ := skills.Parse(path.Join(slug, skillFile), text)
		if !s.Usable {
			return bad("skill_unusable", "its %s cannot be used: %s", skillFile, s.Reason)
		}
		if s.Name != slug {
			return bad("skill_name", "it calls itself %q, not %s", short(s.Name), slug)
		}
	}
	return nil
}

func readEntry(f *zip.File, most int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, damaged(f, err)
	}
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, most+1))
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, damaged(f, err)
	}
	if n > most {
		return nil, bad("package_size", "%q is longer than it may be", short(f.Name))
	}
	return b.Bytes(), nil
}

func damaged(f *zip.File, err error) error {
	return bad("package_damaged", "entry %q cannot be read: %v", short(f.Name), err)
}

// writeTo writes the files below a root that is new.
func (p *pack) writeTo(root *os.Root) error {
	left := int64(MaxSize)
	for _, f := range p.files {
		if err := mkdirs(root, f.name); err != nil {
			return fmt.Errorf("make the folder of %s: %w", f.name, err)
		}
		n, err := writeEntry(root, f, left)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

func writeEntry(root *os.Root, f packed, left int64) (int64, error) {
	r, err := f.entry.Open()
	if err != nil {
		return 0, damaged(f.entry, err)
	}
	limited := &counted{r: io.LimitReader(r, left+1)}
	err = writeRooted(root, f.name, limited, fileMode(f.entry.Mode()))
	if err := errors.Join(err, r.Close()); err != nil {
		if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, damaged(f.entry, err)
		}
		return 0, fmt.Errorf("write %s: %w", f.name, err)
	}
	if limited.n > left {
		return 0, bad("package_size", "it unpacks to more than %d MiB", MaxSize>>20)
	}
	return limited.n, nil
}

// counted counts what is read through it.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func bad(code, format string, args ...any) *sessions.Refusal {
	return refuse(code, "do not use it, and tell its author what is wrong with it", "the package is refused: "+format, args...)
}

func short(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if r := []rune(name); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return name
}
