package template

import (
	"fmt"
	"strings"
	"time"
)

// Wait holds a run until a time or a signal. Exactly one of For, Until and Signal is given.
type Wait struct {
	For     time.Duration
	Until   string        // RFC 3339, or ${…} that gives such a text; see [Step.Until]
	Signal  string        // name
	Expires time.Duration // after which a signal has not come; 0: it waits as long as it takes
}

var waitFields = fieldTable{of: "wait", fields: []string{"for", "until", "signal", "expires"}}

const (
	timeLayout = time.RFC3339Nano
	timeHint   = "write 2026-12-24T08:00:00Z, or ${…} that gives such a text"
)

// Until is the moment that a step with wait: {until: …} waits for, in UTC; zero when it waits for
// something else. It fails with [ErrExpression].
func (s *Step) Until(env Env) (time.Time, error) {
	if s.Wait == nil || s.Wait.Until == "" {
		return time.Time{}, nil
	}
	at, err := until(s.Wait.Until, s.programs, env)
	if err != nil {
		return time.Time{}, fmt.Errorf("until of %s: %w", s.ID, err)
	}
	return at, nil
}

func until(text string, known programs, env Env) (time.Time, error) {
	filled, err := fillText(text, known, env)
	if err != nil {
		return time.Time{}, err
	}
	at, ok := instant(filled)
	if !ok {
		return time.Time{}, fmt.Errorf("%w: %s is no time, which is like 2026-12-24T08:00:00Z", ErrExpression, short(filled))
	}
	return at, nil
}

func instant(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(text))
	return at.UTC(), err == nil
}

func (r *reader) wait(s *Step, p place) any {
	f := r.fields(p, waitFields)
	if f == nil || !r.oneOf(p, f, waitHint, "for", "until", "signal") {
		return nil
	}
	w, settings := new(Wait), map[string]any{}
	if d, ok := r.someTime(f["for"]); ok {
		w.For, settings["for"] = d, d.String()
	}
	if at, ok := r.moment(f["until"]); ok {
		w.Until, settings["until"] = at, at
	}
	if name, ok := r.signal(f["signal"]); ok {
		w.Signal, settings["signal"] = name, name
	}
	if d, ok := r.someTime(f["expires"]); ok {
		w.Expires, settings["expires"] = d, d.String()
	}
	if !f["expires"].absent() && f["signal"].absent() {
		r.fail(f["expires"], CodeContradiction, "only the wait for a signal can expire", "leave it out")
	}
	s.Wait = w
	return settings
}

const waitHint = "write {for: 2h}, {until: TIME} or {signal: NAME}"

// oneOf says whether exactly one of a few fields is given; it reports none, and the second of two.
func (r *reader) oneOf(p place, f map[string]place, hint string, names ...string) bool {
	first := ""
	for _, name := range names {
		switch at, ok := f[name]; {
		case !ok || at.absent():
		case first != "":
			r.fail(at, CodeContradiction, fmt.Sprintf("%s and %s do not go together", first, name), hint)
			return false
		default:
			first = name
		}
	}
	if first == "" && !r.faulty(p) {
		r.fail(p, CodeMissingField, "none of "+strings.Join(names, ", ")+" is given", hint)
	}
	return first != ""
}

func (r *reader) moment(p place) (string, bool) {
	if p.absent() {
		return "", false
	}
	text, ok := r.must(p, p, mostSource, "until says no time", timeHint)
	if !ok || strings.Contains(text, "${") {
		return text, ok
	}
	at, ok := instant(text)
	if !ok {
		r.fail(p, CodeBadValue, short(text)+" is no time", timeHint)
	}
	return at.Format(timeLayout), ok
}

func (r *reader) signal(p place) (string, bool) {
	if p.absent() {
		return "", false
	}
	name, _ := r.text(p)
	if why := badID(name); why != "" {
		r.fail(p, CodeBadValue, "the signal's name "+why, idHint)
		return "", false
	}
	return name, true
}
