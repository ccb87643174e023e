package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Reading is what was read of one attempt, as a search takes it in: how it ended, and what it adds to
// what is held.
type Reading struct {
	Outcome string   `json:"outcome"` // [Answered], [NoResults], [Cancelled] or the code of a failure
	Results int      `json:"results"`
	Adds    Evidence `json:"adds"`             // of results that were not held before
	Places  []string `json:"places,omitempty"` // where those stand: what is found again counts once
}

// Result is one thing that a provider found. All fields but one may be missing; what a provider says
// beside them is kept in its answer and counts for nothing here.
type Result struct {
	Title      string          `json:"title,omitempty"`
	URL        string          `json:"url,omitempty"`
	Path       string          `json:"path,omitempty"` // of a local file
	Text       string          `json:"text,omitempty"`
	Date       string          `json:"date,omitempty"`
	Grade      string          `json:"grade,omitempty"`      // S, A, B, C
	Confidence json.RawMessage `json:"confidence,omitempty"` // 0 to 1, or low, medium, high
	Kind       string          `json:"kind,omitempty"`       // benchmark and review are reports
	Stance     string          `json:"stance,omitempty"`     // for or against
	Confirms   bool            `json:"confirms,omitempty"`   // an authority says the same fact
}

// answer is a provider's answer, taken apart.
type answer struct {
	failure  string // the code that the provider itself gives
	results  []Result
	evidence Evidence // that the provider itself counts
}

// listNames are where a list of results stands in an answer that is an object.
var listNames = []string{"results", "items", "documents", "hits", "data"}

// Read reads a provider's answer. An answer is a list of results, an object with one and perhaps
// {"error": CODE} or {"evidence": {…}}, or a text, which is one result; null and blanks are none. Results
// that stand where something is held from already add nothing.
func Read(s Source, raw json.RawMessage, held map[string]bool) (Reading, []Result) {
	a := readAnswer(raw)
	switch {
	case a.failure != "":
		return Reading{Outcome: a.failure}, nil
	case len(a.results) == 0:
		return Reading{Outcome: NoResults, Adds: a.evidence}, nil
	}
	r := Reading{Outcome: Answered, Results: len(a.results)}
	fresh := slices.DeleteFunc(slices.Clone(a.results), func(one Result) bool { return one.place() != "" && held[one.place()] })
	for _, one := range fresh {
		if at := one.place(); at != "" && len(r.Places) < mostPlaces && !slices.Contains(r.Places, at) {
			r.Places = append(r.Places, at)
		}
	}
	r.Adds = a.evidence.Plus(weigh(s, fresh))
	return r, a.results
}

// mostPlaces and longestPlace bound what a reading keeps of one answer.
const (
	mostPlaces   = 64
	longestPlace = 200 // bytes
)

// place is where a result stands; empty when it does not say.
func (r Result) place() string {
	at := r.URL + r.Path
	return at[:min(len(at), longestPlace)]
}

func readAnswer(raw json.RawMessage) answer {
	raw = unquoted(bytes.TrimSpace(raw))
	if len(raw) == 0 || string(raw) == "null" {
		return answer{}
	}
	switch raw[0] {
	case '[':
		return answer{results: readResults(raw)}
	case '{':
		return readObject(raw)
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && slices.Contains(bareReasons, strings.TrimSpace(text)) {
		return answer{failure: strings.TrimSpace(text)}
	}
	return answer{results: readResults(slices.Concat([]byte("["), raw, []byte("]")))}
}

// bareReasons are words that a program may print in place of an answer.
var bareReasons = []string{NoResults, quotaExhausted, apiError, timedOut, "gfw_blocked"}

// unquoted gives the list or object that a text holds: services call their JSON a text.
func unquoted(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	inner := json.RawMessage(strings.TrimSpace(text))
	if (bytes.HasPrefix(inner, []byte("[")) || bytes.HasPrefix(inner, []byte("{"))) && json.Valid(inner) {
		return inner
	}
	return raw
}

func readObject(raw json.RawMessage) answer {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return answer{failure: "unreadable_answer"}
	}
	for _, name := range []string{"error", "outcome"} {
		if code := codeIn(fields[name]); code != "" && code != Answered {
			return answer{failure: code}
		}
	}
	var a answer
	_ = json.Unmarshal(fields["evidence"], &a.evidence) // one that cannot be read counts for nothing
	a.evidence = a.evidence.sane()
	for _, name := range listNames {
		if list := bytes.TrimSpace(fields[name]); len(list) > 0 && list[0] == '[' {
			a.results = readResults(list)
			return a
		}
	}
	if len(fields) > 0 { // no list: the object is the one result
		a.results = readResults(slices.Concat([]byte("["), raw, []byte("]")))
	}
	return a
}

// codeIn reads a code: a word, or an object that holds one.
func codeIn(raw json.RawMessage) string {
	var text string
	var object struct{ Code, Type string }
	switch {
	case json.Unmarshal(raw, &text) == nil:
	case json.Unmarshal(raw, &object) == nil && string(raw) != "null":
		if text = object.Code; text == "" {
			text = object.Type
		}
		if text == "" {
			text = apiError
		}
	}
	if text == "" || word.MatchString(text) {
		return text
	}
	return apiError // it says in a sentence what went wrong
}

// readResults reads a list of objects and texts; what is neither is no result.
func readResults(raw json.RawMessage) []Result {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []Result
	for _, one := range list {
		var r Result
		var text string
		one = bytes.TrimSpace(one)
		switch {
		case len(one) > 0 && one[0] == '{':
			_ = json.Unmarshal(one, &r) // what fits is taken
			out = append(out, r)
		case json.Unmarshal(one, &text) == nil && strings.TrimSpace(text) != "":
			out = append(out, Result{Text: text})
		}
	}
	return out
}

// highConfidence is from where on a result's confidence is high.
const highConfidence = 0.8

// weigh counts what results are worth, by what their provider says of them.
func weigh(s Source, results []Result) Evidence {
	var e Evidence
	confirming := map[string]bool{}
	for _, r := range results {
		switch strings.ToUpper(r.Grade) {
		case "S", "A":
			e.Graded, e.Good, e.HighQuality = e.Graded+1, e.Good+1, e.HighQuality+1
		case "B":
			e.Graded++
		case "C":
			e.Graded, e.Poor = e.Graded+1, e.Poor+1
		}
		if r.confident() {
			e.HighConfidence++
		}
		if r.Kind == "benchmark" || r.Kind == "review" {
			e.Reports++
		}
		e.For, e.Against = e.For || r.Stance == "for", e.Against || r.Stance == "against"
		if r.Confirms {
			confirming[r.origin()] = true
		}
	}
	e.Confirmations = len(confirming)
	switch s {
	case LocalFile, Vector:
		e.LocalDocuments = len(results)
	case Graph:
		e.Nodes = len(results)
	}
	return e
}

func (r Result) confident() bool {
	var number float64
	if json.Unmarshal(r.Confidence, &number) == nil {
		return number >= highConfidence
	}
	return strings.EqualFold(string(r.Confidence), `"high"`)
}

// origin is what makes two results independent of each other: where they stand.
func (r Result) origin() string {
	if u, err := url.Parse(r.URL); err == nil && u.Host != "" {
		return strings.ToLower(u.Hostname())
	}
	return r.URL + r.Path + r.Title
}

// Failure is an attempt that ended badly, as whoever made it tells it.
type Failure struct {
	Class  string // timeout, cancelled, lost, or any other
	Code   string
	Status int    // of an HTTP answer
	Exit   int    // of a program
	Said   string // the end of what it said; a last line that is one word is its code
}

// Outcome names a failure: by the reason that the level lists for it, if there is one, else as closely
// as can be.
func (l Level) Outcome(f Failure) string {
	names := f.names()
	for _, name := range names {
		if slices.Contains(l.triggers(), name) {
			return name
		}
	}
	return names[0]
}

// names are what a failure may be called, the closest first.
func (f Failure) names() []string {
	switch {
	case f.Class == "timeout":
		return []string{timedOut}
	case f.Class == "cancelled":
		return []string{Cancelled}
	case f.Class == "lost":
		return []string{"lost"}
	}
	var names []string
	lines := strings.Split(strings.TrimSpace(f.Said), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); f.Exit != 0 && word.MatchString(last) {
		names = append(names, last)
	}
	switch {
	case f.Status == 402 || f.Status == 429:
		names = append(names, quotaExhausted, fmt.Sprintf("http_%d", f.Status), apiError)
	case f.Status != 0:
		names = append(names, fmt.Sprintf("http_%d", f.Status), apiError)
	case f.Exit != 0:
		names = append(names, fmt.Sprintf("exit_%d", f.Exit), apiError)
	case word.MatchString(f.Code):
		names = append(names, f.Code, apiError)
	default:
		names = append(names, "unknown", apiError)
	}
	return names
}
