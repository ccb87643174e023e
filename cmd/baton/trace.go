package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// traceFormats lists the formats, and formatOf the one that a file's ending speaks of.
var (
	traceFormats = []string{"text", "md", "mermaid", "json", "otlp"}
	formatOf     = map[string]string{".md": "md", ".markdown": "md", ".mmd": "mermaid", ".mermaid": "mermaid", ".json": "json"}
)

func (a *app) traceCommand() *cobra.Command {
	var out, format string
	var follow bool
	return a.verb(verb{
		use: "trace [--out F] [--format text|md|mermaid|json|otlp] [--follow]", short: "show the tree of calls with decisions, switches, context, times",
		example: `
baton trace
baton trace --out chain.md
baton trace --format mermaid --session @last`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&out, "out", "", a.say("write it to the file at `PATH`"))
			f.StringVar(&format, "format", "", a.say("`text|md|mermaid|json|otlp` (default: by the file's ending, else text)"))
			f.BoolVar(&follow, "follow", false, a.say("go on as events come in"))
		},
		run: func(ctx context.Context, _ []string) error {
			asked := format
			if format = a.traceFormat(format, out); !slices.Contains(traceFormats, format) {
				return sessions.Refuse(sessions.Usage, "bad_format", "use text, md, mermaid, json or otlp", "there is no trace format %q", format)
			}
			if follow && (out != "" || format != "text") {
				return sessions.Refuse(sessions.Usage, "bad_value", "leave --follow or the others out", "--follow shows text as it comes; it takes no --out, --format or --json")
			}
			return a.within(ctx, func(l *link, session string) error {
				if follow {
					return a.followTrace(ctx, l, session)
				}
				got, err := engine.As[engine.Traced](l.Query(ctx, "trace", session, engine.TraceAsk{Format: format, Lang: a.lang}))
				if err != nil {
					return err
				}
				return a.traced(got.Text, session, format, asked, out)
			})
		},
	})
}

func (a *app) traceFormat(format, out string) string {
	switch {
	case format != "":
		return format
	case formatOf[filepath.Ext(out)] != "":
		return formatOf[filepath.Ext(out)]
	case a.json && out == "":
		return "json"
	}
	return "text"
}

// traced gives the trace: into a file, as the document itself, or as text.
func (a *app) traced(text, session, format, asked, out string) error {
	switch {
	case out != "":
		if err := writeFile(out, text); err != nil {
			return err
		}
		return a.answer(map[string]string{"session": session, "written": out, "format": format}, func(p *page) error { p.line("written to %s", out); return nil })
	case a.json && (format == "json" || format == "otlp"):
		return a.printJSON(json.RawMessage(text))
	case a.json:
		return a.printJSON(map[string]string{"session": session, "format": asked, "text": text})
	}
	return a.write([]byte(strings.TrimRight(text, "\n") + "\n"))
}

// writeFile puts a file in place as a whole.
func writeFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".baton-*")
	if err != nil {
		return sessions.Refuse(sessions.Failed, "file_unwritable", "name a file in a folder that can be written", "write %s: %v", path, err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return sessions.Refuse(sessions.Failed, "file_unwritable", "see whether the disk is full", "write %s: %v", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return sessions.Refuse(sessions.Failed, "file_unwritable", "name a file that can be written", "write %s: %v", path, err)
	}
	return nil
}

// followTrace shows events as they come, and what running attempts say, until the session has ended or
// the user has seen enough.
func (a *app) followTrace(ctx context.Context, l *link, session string) error {
	if !a.quiet {
		if err := l.Listen(ctx, session, a.overheard); err != nil {
			return err
		}
	}
	seen := 0
	for {
		got, err := engine.As[engine.Traced](l.Query(ctx, "trace", session, engine.TraceAsk{Lang: a.lang, Follow: true, After: seen}))
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.write([]byte(got.Text)); err != nil {
			return err
		}
		seen = got.Events
		if got.Ended || !stream.Pause(ctx, followEvery) {
			return nil
		}
	}
}

// overheard shows what an attempt says, on stderr: it is no part of the trace. Who cannot be told
// misses it.
func (a *app) overheard(s stream.Said) {
	p := &page{app: a, colour: a.coloured(a.err)}
	for line := range strings.Lines(s.Text) {
		p.line("%s  %s", styled(pad(s.Call, 12)), strings.TrimRight(line, "\r\n"))
	}
	if len(s.Data) > 0 {
		p.line("%s  %s", styled(pad(s.Call, 12)), cut(string(s.Data), 200))
	}
	_, _ = a.err.Write(p.Bytes())
}
