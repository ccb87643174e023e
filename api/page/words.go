package page

import "fmt"

// tongues are the languages of the page: what each says for an English text. What is missing stays English.
var tongues = map[string]map[string]string{"en": english, "zh": chinese}

// english is what stands for names that are no texts.
var english = map[string]string{
	"bar.work": "working", "bar.queue": "in the queue", "bar.limit": "waiting for a limit", "bar.approval": "waiting for an approval",
	"bar.timer": "waiting for its time", "bar.signal": "waiting for a signal", "bar.backoff": "pause before the next attempt",
	"bar.child": "waiting for its run", "bar.outside": "waiting for an agent", "bar.suspended": "suspended",
	"ok": "done", "at.now": "now", "view.timeline": "Timeline", "view.graph": "Graph", "view.events": "Events",
	"view.context": "Context", "view.decisions": "Decisions", "tab.call": "Call", "tab.context": "Context", "tab.decision": "Decision",
	"tab.attempts": "Attempts", "tab.events": "Events", "tab.fork": "Fork", "sort.newest": "newest first",
	"sort.oldest": "oldest first", "sort.longest": "longest first", "sort.name": "by name", "sort.cost": "dearest first",
	"1h": "1 hour", "24h": "24 hours", "7d": "7 days", "30d": "30 days",
}

// translate gives a text in a language, with its arguments set in.
func translate(lang, text string, args ...any) string {
	said, ok := tongues[lang][text]
	if !ok {
		if said, ok = english[text]; !ok {
			said = text
		}
	}
	if len(args) == 0 {
		return said
	}
	return fmt.Sprintf(said, args...)
}
