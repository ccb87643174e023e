package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events/bundle"
	"github.com/batonflow/baton/events/seal"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

func (a *app) auditCommand() *cobra.Command {
	return a.group("audit", "is the log as Baton left it? And a session as one file that verifies anywhere", `
baton audit verify
baton audit seal
baton audit export --session @last --out session.bundle
baton audit verify --bundle session.bundle`, a.auditVerify(), a.auditSeal(), a.auditExport())
}

func (a *app) auditVerify() *cobra.Command {
	var file string
	return a.verb(verb{
		use: "verify [--session ID] [--bundle F]", short: "check every chain and every large value, of the log, a session or a bundle", example: `
baton audit verify
baton audit verify --bundle session.bundle`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&file, "bundle", "", a.say("`FILE` to verify; no server and no store is needed"))
		},
		run: func(ctx context.Context, _ []string) error {
			if file != "" {
				return a.verifyBundle(file)
			}
			return a.linked(ctx, func(l *link) (err error) {
				session := ""
				if a.session != "" {
					if session, err = a.find(ctx, l, a.session); err != nil {
						return err
					}
				}
				return a.audited(engine.As[engine.Audited](l.Query(ctx, "audit", session, engine.None{})))
			})
		},
	})
}

func (a *app) auditSeal() *cobra.Command {
	return a.verb(verb{
		use: "seal", short: "sign how far every session has come; keep the checkpoint elsewhere", example: `baton audit seal > checkpoint.txt`,
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				got, err := engine.As[host.Sealing](l.Query(ctx, "seal", "", engine.None{}))
				if err != nil {
					return err
				}
				a.notice("%d lines up to sequence %d, verified by key %s", got.Lines, got.Sequence, got.Key)
				return a.answer(got, func(p *page) error { p.text(got.Checkpoint); return nil })
			})
		},
	})
}

func (a *app) audited(got engine.Audited, err error) error {
	if err != nil {
		return err
	}
	err = a.answer(got, func(p *page) error {
		p.line("%d commits, %d events on %d lines, %d large values, %d erased", got.Commits, got.Events, got.Lines, got.Values, got.Erased)
		for _, w := range got.Witnesses {
			p.line("compared with %s", w)
		}
		for _, lost := range got.Lost {
			p.line("known to be lost: %s", lost)
		}
		for _, f := range got.Problems {
			p.line("sequence %d, %s: %s", f.Sequence, f.Entity, f.Problem)
		}
		if len(got.Problems) == 0 {
			p.line("all is whole")
		}
		return nil
	})
	if err == nil && len(got.Problems) > 0 {
		return answered(exitUnverified)
	}
	return err
}

func (a *app) verifyBundle(file string) error {
	in, err := os.Open(file)
	if err != nil {
		return sessions.Refuse(sessions.NotFound, "bundle_not_found", "name a file that `baton audit export` wrote", "%v", err)
	}
	defer in.Close()
	got, err := bundle.Verify(bufio.NewReader(in))
	if err != nil {
		return sessions.Refuse(sessions.Unverified, "bundle_differs", "get it again from where it was exported", "%s: %v", file, err)
	}
	return a.answer(got, func(p *page) error {
		p.line("session %s of installation %s: %d commits, %d events, %d large values, %d erased", got.Session, got.Installation, got.Commits, got.Events, got.Values, got.Erased)
		p.line("all is whole, up to commit hash %s", got.Last)
		for _, s := range got.Seals {
			p.line("session %s had %d commits when the log was sealed at sequence %d, by key %s", s.Session, s.Commits, s.Sequence, s.Key)
		}
		return nil
	})
}

func (a *app) auditExport() *cobra.Command {
	var out string
	return a.verb(verb{
		use: "export --session ID --out F", short: "write a session with all it names to one file that verifies anywhere", example: `baton audit export --session @last --out session.bundle`,
		need: []string{"out"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&out, "out", "", a.say("`FILE` to write; it must not be there yet"))
		},
		run: func(ctx context.Context, _ []string) error {
			return a.within(ctx, func(l *link, session string) error { return a.export(ctx, l, session, out) })
		},
	})
}

// exported is the answer of audit export.
type exported struct {
	Session string `json:"session"`
	File    string `json:"file"`
	Bytes   int64  `json:"bytes"`
	bundle.Report
}

// export writes beside the file and puts it in place as a whole, once it verifies.
func (a *app) export(ctx context.Context, l *link, session, out string) error {
	path, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return sessions.Refuse(sessions.Conflict, "file_exists", "give another name", "%s is there already", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".baton-export-*")
	if err != nil {
		return sessions.Refuse(sessions.Usage, "file_unwritable", "give a file in a folder that can be written", "%v", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	buffered := bufio.NewWriter(f)
	if err := (exporter{l: l, seen: map[string]bool{}}).write(ctx, session, buffered); err != nil {
		return err
	}
	if err := errors.Join(buffered.Flush(), f.Sync()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	size, err := f.Seek(0, 0)
	if err != nil {
		return err
	}
	report, err := bundle.Verify(bufio.NewReader(f))
	if err != nil {
		return sessions.Refuse(sessions.Unverified, "bundle_differs", "see `baton audit verify`", "what was exported does not verify: %v", err)
	}
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return a.answer(exported{session, path, size, report}, func(p *page) error {
		p.line("session %s: %d commits, %d large values, %d bytes in %s", session, report.Commits, report.Values, size, path)
		return nil
	})
}

// exporter reads what a bundle holds.
type exporter struct {
	l    *link
	seen map[string]bool
}

func (x exporter) write(ctx context.Context, session string, out *bufio.Writer) error {
	first, err := engine.As[engine.Exported](x.l.Query(ctx, "export", session, engine.ExportAsk{}))
	if err != nil {
		return err
	}
	w, err := bundle.NewWriter(out, bundle.Head{Installation: first.Installation, Session: session})
	if err != nil {
		return err
	}
	for at, page := session, first; ; {
		if err := x.page(ctx, w, page); err != nil {
			return err
		}
		ask := engine.ExportAsk{After: page.After}
		from := page.From
		for page.More {
			if page, err = engine.As[engine.Exported](x.l.Query(ctx, "export", at, ask)); err != nil {
				return err
			}
			if err := x.page(ctx, w, page); err != nil {
				return err
			}
			ask.After = page.After
		}
		if err := x.seal(ctx, w, at); err != nil {
			return err
		}
		if from == "" {
			return w.Close()
		}
		at = from
		if page, err = engine.As[engine.Exported](x.l.Query(ctx, "export", at, engine.ExportAsk{})); err != nil {
			return err
		}
	}
}

// seal takes the proof along that a session was sealed, where it was.
func (x exporter) seal(ctx context.Context, w *bundle.Writer, session string) error {
	proof, err := engine.As[*seal.Proof](x.l.Query(ctx, "seal.proof", session, engine.None{}))
	if err != nil || proof == nil {
		return err
	}
	return w.Seal(*proof)
}

func (x exporter) page(ctx context.Context, w *bundle.Writer, page engine.Exported) error {
	for _, text := range page.Frames {
		message, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return fmt.Errorf("read a commit: %w", err)
		}
		if err := w.Frame(message); err != nil {
			return err
		}
	}
	for _, sha := range page.Values {
		if x.seen[sha] {
			continue
		}
		x.seen[sha] = true
		value, err := x.l.Payloads.Get(ctx, sha)
		if errors.Is(err, stream.ErrNotFound) {
			err = w.Erased(sha)
		} else if err == nil {
			err = w.Value(value)
		}
		if err != nil {
			return fmt.Errorf("value %.12s: %w", sha, err)
		}
	}
	return nil
}
