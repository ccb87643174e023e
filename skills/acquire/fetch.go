package acquire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/batonflow/baton/sessions"
)

// Fetched is what the step fetch leaves behind.
type Fetched struct {
	From     string `json:"from"`
	SHA256   string `json:"sha256"`
	Size     int64  `json:"size"`
	SignedBy string `json:"signed_by,omitempty"`
	Resumed  bool   `json:"resumed,omitempty"` // a download that was cut off went on where it stopped
}

// Names within the private folder of an acquisition.
const (
	packageFile = "package.zip"
	partFile    = "package.part"
	treeDir     = "tree"
	newTreeDir  = "tree.new"
)

// Fetch brings the pinned version of a skill into the acquisition's own folder. What is not pinned is
// not asked for; what is not what was pinned is deleted.
func (s Shop) Fetch(ctx context.Context, c Candidate, live io.Writer) (Fetched, error) {
	e, pin, err := s.pinned(c)
	if err != nil {
		return Fetched{}, err
	}
	if err := os.MkdirAll(s.work(), 0o700); err != nil {
		return Fetched{}, diskFault("make the folder of the acquisition", err)
	}
	file := filepath.Join(s.work(), packageFile)
	if digest, n, err := fileDigest(file); err == nil && digest == pin { // an attempt before came this far
		signer, err := s.signed(ctx, e, c.Version, file)
		return Fetched{From: file, SHA256: pin, Size: n, SignedBy: signer}, err
	}
	out, err := s.download(ctx, e, c.Version, pin, live)
	if err != nil {
		return Fetched{}, err
	}
	if out.SignedBy, err = s.signed(ctx, e, c.Version, filepath.Join(s.work(), partFile)); err != nil {
		return Fetched{}, errors.Join(err, s.drop(partFile))
	}
	if err := os.Rename(filepath.Join(s.work(), partFile), file); err != nil {
		return Fetched{}, diskFault("keep the package", err)
	}
	return out, nil
}

// pinned gives the entry of a candidate and the digest that its version must have.
func (s Shop) pinned(c Candidate) (Entry, string, error) {
	e, ok := s.Trust.Find(c.Slug)
	if !ok {
		return Entry{}, "", refuse(CodeNoPin, fmt.Sprintf("ask its author for the SHA-256, then `baton acquire trust add %s --version %s --sha256 …`", c.Slug, c.Version),
			"%s is not in the table of trust, so nothing says what %s must be", c.Slug, c.Version)
	}
	pin := e.Versions[c.Version]
	if pin == "" {
		return Entry{}, "", refuse(CodeNoPin, fmt.Sprintf("ask its author for the SHA-256, then `baton acquire trust add %s --version %s --sha256 …`", c.Slug, c.Version),
			"no digest is pinned for %s %s, and none is taken from the network", c.Slug, c.Version).With("slug", c.Slug).With("version", c.Version)
	}
	return e, pin, nil
}

// download tries the places in order.
func (s Shop) download(ctx context.Context, e Entry, version, pin string, live io.Writer) (Fetched, error) {
	source, ok := s.sources()[e.Source]
	if !ok {
		return Fetched{}, refuse(CodeSource, "use github, https or dir", "%q is no kind of source", e.Source)
	}
	var tried []error
	gone := true
	for _, place := range source.Places(e, version) {
		out, err := s.from(ctx, source, place, pin, live)
		if err == nil {
			return out, nil
		}
		var refused *sessions.Refusal
		if errors.As(err, &refused) {
			return Fetched{}, err
		}
		gone = gone && errors.Is(err, fs.ErrNotExist)
		tried = append(tried, fmt.Errorf("%s: %w", place, err))
	}
	if ctx.Err() != nil {
		return Fetched{}, context.Cause(ctx)
	}
	if gone {
		return Fetched{}, refuse(CodeGone, "check slug, version and the entry in the table of trust", "no place has %s %s: %v", e.Slug, version, errors.Join(tried...))
	}
	return Fetched{}, refuse(CodeUnreachable, "check the network and the proxy, then `baton acquire resume`", "%s %s could not be fetched: %v", e.Slug, version, errors.Join(tried...))
}

// from downloads from one place, going on where an attempt before stopped. A file that turns out to be
// another one than was pinned is deleted; if it was made of two downloads it is fetched once more.
func (s Shop) from(ctx context.Context, source Source, place, pin string, live io.Writer) (Fetched, error) {
	for {
		resumed, err := s.stream(ctx, source, place, live)
		if err != nil {
			return Fetched{}, err
		}
		digest, n, err := fileDigest(filepath.Join(s.work(), partFile))
		if err != nil {
			return Fetched{}, diskFault("read the package", err)
		}
		if digest == pin {
			return Fetched{From: place, SHA256: digest, Size: n, Resumed: resumed}, nil
		}
		if err := s.drop(partFile); err != nil {
			return Fetched{}, err
		}
		if !resumed {
			return Fetched{}, refuse(CodeDigest, "do not use it, and ask its author whether the release was changed",
				"%s has the SHA-256 %s, pinned is %s; it was deleted", place, digest, pin).With("sha256", digest).With("pinned", pin)
		}
	}
}

// stream appends to the part that is there.
func (s Shop) stream(ctx context.Context, source Source, place string, live io.Writer) (resumed bool, err error) {
	f, err := os.OpenFile(filepath.Join(s.work(), partFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, diskFault("open the package", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false, diskFault("measure the package", err)
	}
	body, at, size, err := source.Open(ctx, place, have)
	if errors.Is(err, errRetry) && have > 0 && ctx.Err() == nil { // what is there may be the whole, or too much
		body, at, size, err = source.Open(ctx, place, 0)
	}
	if err != nil {
		return false, err
	}
	defer body.Close()
	if size > MaxPackage {
		return false, refuse(CodeLarge, "do not use it", "%s has %d bytes, at most %d are taken", place, size, MaxPackage)
	}
	if err := f.Truncate(at); err != nil {
		return false, diskFault("cut the package", err)
	}
	if _, err := f.Seek(at, io.SeekStart); err != nil {
		return false, diskFault("write the package", err)
	}
	tell := &teller{to: live, done: at, size: size}
	n, err := io.Copy(io.MultiWriter(f, tell), io.LimitReader(body, MaxPackage-at+1))
	if err != nil || size >= 0 && at+n < size {
		return false, fmt.Errorf("%w: cut off after %d bytes: %w", errRetry, at+n, errors.Join(err, f.Sync()))
	}
	if at+n > MaxPackage {
		return false, errors.Join(refuse(CodeLarge, "do not use it", "%s has more than %d bytes", place, MaxPackage), s.drop(partFile))
	}
	return at > 0, f.Sync()
}

// drop deletes one file of the acquisition.
func (s Shop) drop(name string) error {
	err := os.Remove(filepath.Join(s.work(), name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diskFault("delete "+name, err)
	}
	return nil
}

// teller says from time to time how far a download is.
type teller struct {
	to         io.Writer
	done, size int64
	said       int64
}

// every is after how many bytes it is said again.
const every = 1 << 20

func (t *teller) Write(p []byte) (int, error) {
	t.done += int64(len(p))
	if t.to != nil && t.done-t.said >= every {
		t.said = t.done
		whole := "?"
		if t.size >= 0 {
			whole = fmt.Sprintf("%.1f", float64(t.size)/(1<<20))
		}
		fmt.Fprintf(t.to, "fetched %.1f of %s MiB\n", float64(t.done)/(1<<20), whole)
	}
	return len(p), nil
}
