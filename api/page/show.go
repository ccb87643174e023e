package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections/timeline"
	"github.com/batonflow/baton/skills/audit"
	"github.com/batonflow/baton/workflows"
)

// functions are what the templates of a language can do.
func functions(lang string) template.FuncMap {
	say := func(text string, args ...any) string { return translate(lang, text, args...) }
	return template.FuncMap{
		"t":     say,
		"safe":  audit.Mask,
		"cut":   cut,
		"json":  pretty,
		"clock": func(at time.Time) string { return at.UTC().Format("15:04:05.000") },
		"day":   func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05") },
		"iso":   func(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) },
		"ago": func(at, now time.Time) string {
			return say("%s ago", timeline.Short(now.Sub(at).Truncate(time.Second)))
		},
		"took":     func(from, to time.Time) string { return timeline.Short(to.Sub(from)) },
		"short":    shortID,
		"count":    grouped,
		"money":    func(usd float64) string { return strconv.FormatFloat(usd, 'f', decimals(usd), 64) },
		"percent":  percent,
		"status":   func(s string) string { return say(s) },
		"mark":     func(s string) string { return marks[s] },
		"zero":     func(at time.Time) bool { return at.IsZero() },
		"plus":     func(a, b int) int { return a + b },
		"float":    func(n int) float64 { return float64(n) },
		"deref":    func(at *time.Time) time.Time { return *at },
		"dur":      func(d time.Duration) string { return timeline.Short(max(d, 0)) },
		"jsonOf":   func(v any) string { return prettyOf(v) },
		"jsonText": func(raw json.RawMessage) string { return string(raw) },
		"prose":    prose,
		"ask":      asking, "dead": resolving,
		"legend":    func() []legendLine { return legend },
		"chunkRows": func() int { return chunkRows },
		"gist":      func(parts []string) string { return strings.Join(parts, " · ") },
	}
}

// marks are the signs of where something stands; their colour says it too, and a word beside them.
var marks = map[string]string{
	"ok": "✓", "completed": "✓", "partial": "◐", "failed": "✕", "dead": "✕", "running": "●", "queued": "○", "waiting": "◷", "backoff": "↻",
	"skipped": "–", "cancelled": "⊘", "pending": "·", "active": "●", "ended": "■", "open": "●", "suspended": "‖",
}

// cut shortens a text to so many characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// shortID is enough of an id to know it again.
func shortID(id string) string {
	if len(id) == 36 && strings.Count(id, "-") == 4 {
		return id[:8] + "…" + id[32:]
	}
	if run, rest, ok := strings.Cut(id, "/"); ok {
		return shortID(run) + "/" + rest
	}
	if strings.HasPrefix(id, "r-") && len(id) > 14 {
		return id[:6] + "…" + id[len(id)-4:]
	}
	return id
}

// grouped writes a number with thin spaces between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "\u2009" + text[i:]
	}
	return text
}

func decimals(usd float64) int {
	if usd != 0 && math.Abs(usd) < 0.1 {
		return 4
	}
	return 2
}

// percent writes a share as a length of SVG, between 0% and 100%.
func percent(part, whole float64) string {
	if whole <= 0 || math.IsNaN(part) {
		return "0%"
	}
	return strconv.FormatFloat(100*max(0, min(1, part/whole)), 'f', 3, 64) + "%"
}

// mostValue is how much of a value is shown.
const mostValue = 48 << 10

// pretty writes JSON for people: a text as itself, the rest indented.
func pretty(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		var out bytes.Buffer
		if json.Indent(&out, raw, "", "  ") != nil {
			out.Reset()
			out.Write(raw)
		}
		text = out.String()
	}
	if more := len(text) - mostValue; more > 0 {
		text = strings.ToValidUTF8(text[:mostValue], "") + fmt.Sprintf("\n… +%d bytes", more)
	}
	return audit.Mask(text)
}

// prettyOf writes a value as pretty does JSON.
func prettyOf(v any) string {
	raw, err := events.Marshal(v)
	if err != nil {
		return ""
	}
	return pretty(raw)
}

// viewer is what pieces of a page need to know of the page that they stand on.
type viewer interface {
	Here() string
	who() string
}

func (b base) who() string { return b.User }

// approvalPiece is a question with the form that answers it.
type approvalPiece struct {
	A          workflows.ApprovalView
	Linked     bool // to where it is asked
	Here, User string
	Now        time.Time
}

func asking(on viewer, a workflows.ApprovalView, linked bool) approvalPiece {
	return approvalPiece{A: a, Linked: linked, Here: on.Here(), User: on.who(), Now: time.Now()}
}

// deadPiece is the form that says what becomes of a dead letter.
type deadPiece struct{ Session, Run, Step, Here string }

func resolving(on viewer, session, run, step string) deadPiece {
	return deadPiece{session, run, step, on.Here()}
}

// legendLine says what a bar means.
type legendLine struct{ Class, Fill, Text string }

var legend = []legendLine{
	{"bar work ok", "", "bar.work"}, {"bar work failed", "", "failed"}, {"bar work lost", "url(#lost)", "lost"}, {"bar queue", "", "bar.queue"},
	{"bar limit", "url(#hatch)", "bar.limit"}, {"bar approval", "", "bar.approval"}, {"bar timer", "", "bar.timer"}, {"bar backoff", "url(#dots)", "bar.backoff"},
}

// phrase is a piece of a text: words, or a command.
type phrase struct {
	Text string
	Code bool
}

// prose tells commands between backticks from the words around them.
func prose(text string) []phrase {
	var out []phrase
	for i, part := range strings.Split(audit.Mask(text), "`") {
		if part != "" {
			out = append(out, phrase{part, i%2 == 1})
		}
	}
	return out
}
