package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream/file"
	"github.com/batonflow/baton/workflows"
	"github.com/batonflow/baton/workflows/fromtext"
)

// workflowFromText makes a template of a sentence.
func (a *app) workflowFromText() *cobra.Command {
	save, start := "", false
	return a.verb(verb{
		use: "from-text TEXT [--save NAME] [--run]", short: "make a template of a sentence, Chinese or English", args: exactly("TEXT"),
		example: `
baton workflow from-text "search for news on agents, summarize it and write an article"
baton workflow from-text "搜索AI进展并整理成要点" --save research-publish
baton workflow from-text "search the notes and draw a diagram" --run`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&save, "save", "", a.say("keep it as a template of this `NAME`"))
			f.BoolVar(&start, "run", false, a.say("run it at once and wait for its end"))
		},
		run: func(ctx context.Context, args []string) error {
			return a.linked(ctx, func(l *link) error {
				workspace, err := a.workspace()
				if err != nil {
					return err
				}
				ask := operation.DraftAsk{Workspace: workspace, Path: a.skillsPath(), Text: args[0]}
				w, err := engine.As[fromtext.Workflow](l.Query(ctx, "workflow.draft", "", ask))
				if err != nil {
					return err
				}
				if save != "" {
					w.Name, w.Named = save, true
				}
				return a.written(ctx, l, w, start)
			})
		},
	})
}

// written shows a workflow that was made, keeps it where its name was given, and runs it where it was
// asked for.
func (a *app) written(ctx context.Context, l *link, w fromtext.Workflow, start bool) error {
	text, err := w.YAML()
	if err != nil {
		return err
	}
	if _, err := workflows.ParseTemplate(w.Name, text); err != nil {
		return err
	}
	s := host.Template{Name: w.Name, Text: text}
	if w.Named {
		if s.Path, err = a.saveTemplate(w.Name, text); err != nil {
			return err
		}
	}
	if !start {
		return a.answer(w, func(p *page) error { p.template(text); return nil })
	}
	templates, err := a.templates()
	if err != nil {
		return err
	}
	c, err := a.newStart(templates, s)
	if err != nil {
		return err
	}
	return a.start(ctx, l, c, false)
}

// template shows a template's text, line by line.
func (p *page) template(text string) {
	for line := range strings.Lines(text) {
		p.line("%s", strings.TrimRight(line, "\n"))
	}
}

// saveTemplate writes a template where `workflow run` finds it by its name. What stood there before is
// kept beside it.
func (a *app) saveTemplate(name, text string) (string, error) {
	folder, err := a.saveFolder()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", sessions.Refuse(sessions.Failed, "not_written", "make the folder writable, or name another with BATON_WORKFLOW_DIR", "%v", err)
	}
	path := filepath.Join(folder, fileName(name)+".yaml")
	if old, err := os.ReadFile(path); err == nil && string(old) != text {
		if err := os.Rename(path, path+"~"); err != nil {
			return "", err
		}
		a.note("the template that was there is kept as %s", path+"~")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", sessions.Refuse(sessions.Failed, "not_written", "give another name", "%v", err)
	}
	if err := file.Replace(path, []byte(text), 0o644); err != nil {
		return "", sessions.Refuse(sessions.Failed, "not_written", "make the folder writable, or name another with BATON_WORKFLOW_DIR", "%v", err)
	}
	a.note("saved as %s", path)
	return path, nil
}

// saveFolder is the first place where templates are looked up: a folder that is named, the workspace's
// own if it has one, else that of the installation.
func (a *app) saveFolder() (string, error) {
	templates, err := a.templates()
	if err != nil {
		return "", err
	}
	folders := templates.Folders()
	at := 0
	if info, err := os.Stat(folders[0]); folders[0] == "workflows" && (err != nil || !info.IsDir()) {
		at = 1
	}
	return filepath.Abs(folders[at])
}

// fileName keeps letters, digits, hyphens and underscores of a name: it is no path.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, name)
}
