package page

import (
	"io"
	"net/http"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/audit"
)

// formats lists what a session can be taken away as: the format of the trace, its media type and ending.
var formats = map[string]struct{ trace, media, ending string }{
	"jsonl":    {"", "application/jsonl", "jsonl"},
	"text":     {"text", "text/plain", "txt"},
	"markdown": {"md", "text/markdown", "md"},
	"mermaid":  {"mermaid", "text/plain", "mmd"},
	"json":     {"json", "application/json", "json"},
	"otlp":     {"otlp", "application/json", "otlp.json"},
}

// export gives the session as a file, with secrets shortened.
func (p *page) export(r *request) error {
	session := r.PathValue("session")
	f, ok := formats[r.Query("format")]
	if !ok {
		return sessions.Refuse(sessions.Usage, "bad_format", "use jsonl, markdown, mermaid, otlp, json or text", "there is no export format %q", r.Query("format"))
	}
	if f.trace == "" {
		return p.exportEvents(r, session)
	}
	got, err := ask[engine.Traced](r, "trace", session, engine.TraceAsk{Format: f.trace, Lang: r.Lang})
	if err != nil {
		return err
	}
	r.attach(session, f.media, f.ending)
	_, _ = io.WriteString(r.w, audit.Mask(got.Text)) // who went away misses it
	return nil
}

func (r *request) attach(session, media, ending string) {
	r.w.Header().Set("Content-Type", media+"; charset=utf-8")
	r.w.Header().Set("Content-Disposition", `attachment; filename="baton-`+session+"."+ending+`"`)
}

// exportEvents writes one event a line, page by page.
func (p *page) exportEvents(r *request, session string) error {
	begun := false
	for from := 1; from > 0; {
		got, err := ask[engine.Facts](r, "timeline.events", session, engine.FactsAsk{From: from, Count: 500})
		if err != nil && !begun {
			return err
		}
		if err != nil {
			_ = http.NewResponseController(r.w).SetWriteDeadline(r.page.Now()) // the file breaks off here, and the browser says so
			return nil
		}
		if !begun {
			begun = true
			r.attach(session, "application/jsonl", "jsonl")
		}
		for _, line := range got.Events {
			raw, err := events.Marshal(line)
			if err != nil {
				return nil // what was read encodes again
			}
			if _, err := io.WriteString(r.w, audit.Mask(string(raw))+"\n"); err != nil {
				return nil // it went away
			}
		}
		from = got.Next
	}
	return nil
}
