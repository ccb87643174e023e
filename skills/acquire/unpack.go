package acquire

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/batonflow/baton/skills/audit"
)

// Unpacked is what the step unpack leaves behind.
type Unpacked struct {
	Files int    `json:"files"`
	Size  int64  `json:"size"`
	Tree  string `json:"tree"` // digest of all files
}

// Unpack takes the package apart into the acquisition's own folder, if every entry of it is as it
// must be. Nothing is left behind of a package that is refused.
func (s Shop) Unpack(_ context.Context, c Candidate) (Unpacked, error) {
	p, err := s.opened(c)
	if err != nil {
		return Unpacked{}, err
	}
	defer p.Close()
	items, err := itemsOfPackage(p)
	if err != nil {
		return Unpacked{}, bad("package_damaged", "it cannot be read: %v", err)
	}
	out := Unpacked{Files: len(items), Tree: Digest(items)}
	for _, i := range items {
		out.Size += i.Size
	}
	work, err := os.OpenRoot(s.work())
	if err != nil {
		return Unpacked{}, diskFault("open the folder of the acquisition", err)
	}
	defer work.Close()
	for _, dir := range []string{newTreeDir, treeDir} { // of an attempt before
		if err := work.RemoveAll(dir); err != nil {
			return Unpacked{}, diskFault("clear the folder of the acquisition", err)
		}
	}
	if err := writeTree(work, p); err != nil {
		return Unpacked{}, errors.Join(err, work.RemoveAll(newTreeDir))
	}
	if err := work.Rename(newTreeDir, treeDir); err != nil {
		return Unpacked{}, diskFault("keep what was unpacked", err)
	}
	return out, nil
}

func writeTree(work *os.Root, p *pack) error {
	if err := work.Mkdir(newTreeDir, 0o700); err != nil {
		return diskFault("make the folder to unpack to", err)
	}
	root, err := work.OpenRoot(newTreeDir)
	if err != nil {
		return diskFault("open the folder to unpack to", err)
	}
	return errors.Join(p.writeTo(root), root.Close())
}

// opened opens the package of a candidate, once it is sure that it is still the one that was pinned.
func (s Shop) opened(c Candidate) (*pack, error) {
	_, pin, err := s.pinned(c)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(s.work(), packageFile)
	digest, _, err := fileDigest(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, tampered("its package is gone from %s", s.work())
	case err != nil:
		return nil, diskFault("read the package", err)
	case digest != pin:
		return nil, tampered("its package has the SHA-256 %s, pinned is %s", digest, pin)
	}
	return openPackage(file, c.Slug)
}

func tampered(format string, args ...any) error {
	return refuse(CodeTampered, "give it up with `baton acquire reset` and begin anew", "the work of a step before was changed: "+format, args...)
}

// intact gives the files that were unpacked, once it is sure that they are those of the package.
func (s Shop) intact(c Candidate) (string, []Item, error) {
	p, err := s.opened(c)
	if err != nil {
		return "", nil, err
	}
	defer p.Close()
	want, err := itemsOfPackage(p)
	if err != nil {
		return "", nil, bad("package_damaged", "it cannot be read: %v", err)
	}
	have, err := ItemsOf(filepath.Join(s.work(), treeDir))
	if err != nil {
		return "", nil, tampered("what was unpacked cannot be read: %v", err)
	}
	if Digest(have) != Digest(want) {
		return "", nil, tampered("what was unpacked is not what the package holds: %s", firstChange(want, have))
	}
	return Digest(want), want, nil
}

// firstChange names the first file in which two lists differ.
func firstChange(want, have []Item) string {
	for _, c := range changes(want, have) {
		return c.Path + " was " + c.How
	}
	return "nothing differs"
}

// Change is one file that is not as it should be.
type Change struct {
	Path string `json:"path"`
	How  string `json:"how"` // changed, added, removed
}

// changes lists how one list of files differs from what it should be, by path.
func changes(want, have []Item) []Change {
	by := map[string]Item{}
	for _, i := range have {
		by[i.Path] = i
	}
	out := []Change{}
	for _, w := range want {
		h, ok := by[w.Path]
		switch {
		case !ok:
			out = append(out, Change{w.Path, "removed"})
		case h != w:
			out = append(out, Change{w.Path, "changed"})
		}
		delete(by, w.Path)
	}
	for path := range by {
		out = append(out, Change{path, "added"})
	}
	sortChanges(out)
	return out
}

// Audited is what the step audit leaves behind: the report, and what it is about.
type Audited struct {
	Risk     audit.Level     `json:"risk"`
	Verdict  audit.Verdict   `json:"verdict"`
	Ask      bool            `json:"ask"`      // a person must confirm
	Question string          `json:"question"` // what a person is asked; names the digest
	Tree     string          `json:"tree"`
	Findings []audit.Finding `json:"findings"`
	Files    []string        `json:"files"`
	Hosts    []string        `json:"hosts"`
	Commands []string        `json:"commands"`
}

// Audit audits what was unpacked.
func (s Shop) Audit(ctx context.Context, c Candidate, r Request) (Audited, error) {
	tree, _, err := s.intact(c)
	if err != nil {
		return Audited{}, err
	}
	files, err := Folder(ctx, filepath.Join(s.work(), treeDir))
	if err != nil {
		return Audited{}, diskFault("read what was unpacked", err)
	}
	report, err := Audit(files, s.installedNames(r))
	if err != nil {
		return Audited{}, err
	}
	return Audited{
		Risk: report.Risk, Verdict: report.Verdict, Ask: asks(report.Verdict, r.Auto), Question: question(c, report, tree), Tree: tree,
		Findings: report.Findings, Files: report.Files, Hosts: report.Hosts, Commands: report.Commands,
	}, nil
}

// asks says whether a person must confirm: always for P0, for P1 unless the request says not to ask.
func asks(v audit.Verdict, auto bool) bool { return v == audit.P0 || v == audit.P1 && !auto }
