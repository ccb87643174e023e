package acquire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/audit"
	"github.com/batonflow/baton/stream/file"
)

// Installed is what the step install leaves behind.
type Installed struct {
	Path    string   `json:"path"`
	Tree    string   `json:"tree"`
	Already bool     `json:"already,omitempty"` // the same files were there
	Aside   string   `json:"aside,omitempty"`   // where the old one is kept until the new one is registered
	By      *Consent `json:"approved,omitempty"`
}

// target is the folder of skills that a request installs to.
func (s Shop) target(r Request) string {
	if r.To != "" {
		return r.To
	}
	return Skills(s.Home)
}

// Install puts the skill in its place, in one step: what is seen under its name is the old one or the
// new one and never a part. It audits the files once more and asks the log for a person's consent
// where one is needed: what a step before said of them is not believed.
func (s Shop) Install(ctx context.Context, c Candidate, r Request, f Fetched, session string) (Installed, error) {
	tree, items, err := s.intact(c)
	if err != nil {
		return Installed{}, err
	}
	m := Manifest{
		Slug: c.Slug, Version: c.Version, Source: c.Source, From: f.From, SHA256: c.Pinned, SignedBy: f.SignedBy,
		Tree: tree, Files: items, Session: session, Run: s.Run, At: s.Now().UTC(),
	}
	if e, ok := s.Trust.Find(c.Slug); ok {
		m.SHA256 = e.Versions[c.Version]
	}
	if err := s.allowed(ctx, r, &m); err != nil {
		return Installed{}, err
	}
	p := placing{Shop: s, dir: s.target(r), slug: c.Slug, force: r.Force}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return Installed{}, diskFault("make the folder of skills", err)
	}
	out := Installed{Path: filepath.Join(p.dir, c.Slug), Tree: tree, By: m.Approved}
	if there := p.there(); there.Tree == tree && (there.Run == s.Run || !r.Force) {
		out.Already = there.Run != s.Run
		out.Aside = p.kept()
		return out, p.clear()
	}
	if err := p.build(m); err != nil {
		return Installed{}, errors.Join(err, p.clear())
	}
	if out.Already, err = p.swap(tree); err != nil || out.Already {
		return out, errors.Join(err, p.clear())
	}
	out.Aside = p.kept()
	return out, nil
}

// allowed audits what is to be installed and makes sure that whoever must agree has.
func (s Shop) allowed(ctx context.Context, r Request, m *Manifest) error {
	files, err := Folder(ctx, filepath.Join(s.work(), treeDir))
	if err != nil {
		return diskFault("read what was unpacked", err)
	}
	report, err := Audit(files, s.installedNames(r))
	if err != nil {
		return err
	}
	m.Verdict, m.Risk = report.Verdict, report.Risk
	if !asks(report.Verdict, r.Auto) {
		return nil
	}
	return s.agreed(ctx, report.Verdict, m)
}

func (s Shop) agreed(ctx context.Context, v audit.Verdict, m *Manifest) error {
	none := func(why string) error {
		return refuse(CodeApproval, "give it up with `baton acquire reset` and begin anew: the audit will be asked about", "%s is %s, and %s", m.Slug, v, why)
	}
	if s.Consent == nil {
		return none("nobody can be asked here")
	}
	c, err := s.Consent(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("who agreed to %s: %w", m.Slug, err)
	case !c.Yes:
		return none("the log has no yes to it")
	case c.By == "":
		return none("the yes to it has no author")
	case !strings.HasSuffix(c.Question, "files "+m.Tree):
		return none("the yes in the log is to other files")
	}
	m.Approved = &c
	return nil
}

// placing puts one skill into a folder of skills.
type placing struct {
	Shop
	dir, slug string
	force     bool
}

func (p placing) fresh() string { return "." + p.slug + "." + p.Run + ".new" }
func (p placing) aside() string { return "." + p.slug + "." + p.Run + ".old" }

// there is the manifest of what stands under the name now; empty when nothing of ours does.
func (p placing) there() Manifest {
	m, err := ReadManifest(filepath.Join(p.dir, p.slug))
	if err != nil {
		return Manifest{}
	}
	have, err := ItemsOf(filepath.Join(p.dir, p.slug))
	if err != nil || Digest(have) != m.Tree {
		return Manifest{}
	}
	return m
}

// kept is the name under which the old skill is kept; "" when there is none.
func (p placing) kept() string {
	if _, err := os.Lstat(filepath.Join(p.dir, p.aside())); err != nil || p.unplaced() {
		return ""
	}
	return p.aside()
}

// unplaced says whether the new skill stands where the old one will be kept, on its way to its place.
func (p placing) unplaced() bool {
	m, err := ReadManifest(filepath.Join(p.dir, p.aside()))
	return err == nil && m.Run == p.Run
}

// build makes the skill's folder beside its place, whole and flushed.
func (p placing) build(m Manifest) error {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return diskFault("open the folder of skills", err)
	}
	defer root.Close()
	if err := p.clear(); err != nil { // of an attempt before
		return err
	}
	if err := root.Mkdir(p.fresh(), 0o755); err != nil {
		return diskFault("make the skill's folder", err)
	}
	to, err := root.OpenRoot(p.fresh())
	if err != nil {
		return diskFault("open the skill's folder", err)
	}
	defer to.Close()
	from, err := os.OpenRoot(filepath.Join(p.work(), treeDir))
	if err != nil {
		return diskFault("open what was unpacked", err)
	}
	defer from.Close()
	if err := errors.Join(copyTree(from, to), writeManifest(to, m)); err != nil {
		return diskFault("copy the skill", err)
	}
	have, err := ItemsOf(filepath.Join(p.dir, p.fresh()))
	if err != nil || Digest(have) != m.Tree {
		return tampered("what was copied is not what was audited")
	}
	return nil
}

// swap puts the new folder under the skill's name. What was there is kept aside when it may be
// replaced, and refused otherwise, unless it is the same.
func (p placing) swap(tree string) (already bool, err error) {
	at, fresh, aside := filepath.Join(p.dir, p.slug), filepath.Join(p.dir, p.fresh()), filepath.Join(p.dir, p.aside())
	for range 100 { // another acquisition may put its own there in between
		_, err := os.Lstat(at)
		occupied := err == nil
		switch {
		case occupied && !p.force && p.there().Tree == tree:
			return true, nil
		case occupied && !p.force:
			return false, refuse(CodeInstalled, "use --force to put it in its place", "another %s is installed in %s", p.slug, p.dir)
		case occupied:
			err = exchange(fresh, at, aside)
		default:
			err = os.Rename(fresh, at)
		}
		switch {
		case err == nil:
			return false, p.flush()
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist):
			return false, diskFault("put the skill in its place", err)
		}
	}
	return false, refuse(CodeInstalled, "try again", "others keep installing %s", p.slug)
}

func (p placing) flush() error {
	if err := file.SyncDir(p.dir); err != nil {
		return diskFault("flush the folder of skills", err)
	}
	return nil
}

// clear removes what an attempt left beside the skill's place.
func (p placing) clear() error {
	if p.unplaced() {
		if err := removeBelow(p.dir, p.aside()); err != nil {
			return err
		}
	}
	return removeBelow(p.dir, p.fresh())
}

// removeBelow removes one entry of a folder with all below it, and nothing else.
func removeBelow(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return diskFault("open "+dir, err)
	}
	defer root.Close()
	if err := root.RemoveAll(name); err != nil {
		return diskFault("remove "+name, err)
	}
	return nil
}

// Registered is what the step register leaves behind.
type Registered struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Path        string `json:"path"`
	Routable    bool   `json:"routable"`
	Reason      string `json:"reason,omitempty"` // why a router does not choose it by itself
}

// Register reads the installed skill as a scan will, lets go of the one that it replaced, and of the
// acquisition's own folder.
func (s Shop) Register(_ context.Context, c Candidate, r Request) (Registered, error) {
	path := filepath.Join(s.target(r), c.Slug)
	v, err := Verify(path)
	switch {
	case err != nil:
		return Registered{}, err
	case !v.OK:
		return Registered{}, refuse(CodeUnverified, "see `baton acquire verify "+c.Slug+"`", "what is installed in %s is not what was installed: %s", path, v.Reason)
	}
	text, err := os.ReadFile(filepath.Join(path, skillFile))
	if err != nil {
		return Registered{}, diskFault("read the installed skill", err)
	}
	sk, _ := skills.Parse(filepath.Join(path, skillFile), text)
	sk.Trusted = true
	out := Registered{Name: sk.Name, Description: sk.Description, Path: path, Routable: sk.Selectable(), Reason: sk.Reason}
	if len(sk.Flagged) > 0 {
		out.Reason = "its description instructs its reader: " + sk.Flagged[0]
	}
	p := placing{Shop: s, dir: s.target(r), slug: c.Slug}
	return out, errors.Join(removeBelow(p.dir, p.aside()), removeBelow(filepath.Join(s.Home, "acquire"), s.Run))
}
