package audit

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/batonflow/baton/routing/table"
)

var (
	//go:embed rules.yaml
	proseFile []byte
	//go:embed rules_code.yaml
	codeFile []byte
)

// rule is one idea of what is worth a look; rules.yaml says what its fields mean.
type rule struct {
	ID     string    `yaml:"id"`
	Kind   string    `yaml:"kind"`
	Level  Level     `yaml:"level"`
	Doc    Level     `yaml:"doc"`
	In     string    `yaml:"in"`
	Speaks bool      `yaml:"speaks"`
	Source flow      `yaml:"source"`
	Sink   flow      `yaml:"sink"`
	Note   string    `yaml:"note"`
	Hints  []string  `yaml:"hints"`
	Any    []string  `yaml:"any"`
	Unless []string  `yaml:"unless"`
	Tests  ruleTests `yaml:"tests"`

	any, unless []*regexp.Regexp
}

type ruleTests struct {
	Finds  []string `yaml:"finds"`
	Passes []string `yaml:"passes"`
}

// flow says whether what a rule finds is an end of an exfiltration: "true" anywhere, "script" in
// scripts only.
type flow string

func (f flow) counts(script bool) bool { return f == "true" || f == "script" && script }

// Places that a rule looks at.
const (
	inProse  = "prose"
	inCode   = "code"
	inScript = "script"
)

// Parts of patterns of prose: gap is any few signs between words, loose is the same or nothing, soft
// is a few words between two that matter, within one sentence, and few at most two of them.
const (
	gap   = `[^\w.。;；!?]{1,4}`
	loose = `\W{0,4}`
	soft  = gap + `(?:[\w'"/-]+` + gap + `){0,7}?`
	few   = gap + `(?:[\w'"/-]+` + gap + `){0,2}?`
)

// expand writes a pattern of prose in full: a blank is a gap.
func expand(pattern string) string {
	pattern = strings.NewReplacer(" {soft}", "{soft}", "{soft} ", "{soft}", " {few}", "{few}", "{few} ", "{few}").Replace(pattern)
	var b strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			b.WriteString(pattern[i : i+2])
			i++
			continue
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == ' ' && !class && i+1 < len(pattern) && pattern[i+1] == '?':
			b.WriteString(loose)
			i++
			continue
		case c == ' ' && !class:
			b.WriteString(gap)
			continue
		}
		b.WriteByte(c)
	}
	return strings.NewReplacer("{soft}", soft, "{few}", few).Replace(b.String())
}

// rules are the embedded rules, compiled once.
var rules = sync.OnceValues(func() ([]rule, error) {
	var all []rule
	for _, file := range [][]byte{proseFile, codeFile} {
		some, err := readRules(file)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
})

func readRules(file []byte) ([]rule, error) {
	list, err := table.Strict[[]rule](file)
	if err != nil {
		return nil, fmt.Errorf("read the rules: %w", err)
	}
	for i := range list {
		if err := list[i].compile(); err != nil {
			return nil, fmt.Errorf("rule %s: %w", list[i].ID, err)
		}
	}
	return list, nil
}

func (r *rule) compile() error {
	switch {
	case r.ID == "" || r.Kind == "" || r.Note == "" || len(r.Any) == 0:
		return fmt.Errorf("it lacks its id, kind, note or patterns")
	case !r.Level.Valid() || r.Doc != "" && !r.Doc.Valid():
		return fmt.Errorf("its level is none of high, medium, low")
	case r.In != inProse && r.In != inCode && r.In != inScript:
		return fmt.Errorf("it looks at %q, which is none of prose, code, script", r.In)
	}
	for _, pattern := range r.Any {
		if r.In == inProse {
			pattern = expand(pattern)
		}
		re, err := regexp.Compile(`(?m)` + pattern)
		if err != nil {
			return fmt.Errorf("pattern: %w", err)
		}
		r.any = append(r.any, re)
	}
	for _, pattern := range r.Unless {
		re, err := regexp.Compile(`(?m)` + pattern)
		if err != nil {
			return fmt.Errorf("exception: %w", err)
		}
		r.unless = append(r.unless, re)
	}
	return nil
}

// Around a hint, this many bytes are looked at: no pattern reaches farther.
const reach = 500

// windows are the parts of a text in which the rule may find something: around its hints, from blank
// to blank in prose and by whole lines in code. Without hints it is all of the text.
func (r *rule) windows(s string) [][2]int {
	if len(r.Hints) == 0 {
		return [][2]int{{0, len(s)}}
	}
	ends := "\n"
	if r.In == inProse {
		ends = " "
	}
	var hits []int
	for _, h := range r.Hints {
		for at := 0; at < len(s) && len(hits) < mostHints; {
			n := strings.Index(s[at:], h)
			if n < 0 {
				break
			}
			hits = append(hits, at+n)
			at += n + reach/2
		}
	}
	slices.Sort(hits)
	var out [][2]int
	for _, at := range hits {
		from := strings.LastIndexAny(s[:max(at-reach, 0)], ends) + 1
		to := min(at+reach, len(s))
		if n := strings.IndexAny(s[to:], ends); n >= 0 {
			to += n
		} else {
			to = len(s)
		}
		if n := len(out); n > 0 && from <= out[n-1][1] {
			out[n-1][1] = max(to, out[n-1][1])
			continue
		}
		out = append(out, [2]int{from, to})
	}
	return out
}

// Bounds of one rule over one form of one file: the first finds tell enough.
const (
	mostHits  = 20
	mostHints = 10_000
)

// find gives the places, as offsets, where a rule finds something in a text.
func (r *rule) find(t text) [][]int {
	var out [][]int
	for _, w := range r.windows(t.s) {
		for _, re := range r.any {
			for _, at := range re.FindAllStringIndex(t.s[w[0]:w[1]], mostHits) {
				at[0], at[1] = at[0]+w[0], at[1]+w[0]
				if at[1] > at[0] && !r.excused(t.s, at) {
					out = append(out, at)
				}
			}
		}
		if len(out) > mostHits {
			break
		}
	}
	return out
}

// excused says whether an exception of the rule stands around what it found: on its line in code,
// within its sentence in prose.
func (r *rule) excused(s string, at []int) bool {
	if len(r.unless) == 0 {
		return false
	}
	from, to := around(s, at[0], at[1], r.In == inProse)
	for _, re := range r.unless {
		if re.MatchString(s[from:to]) {
			return true
		}
	}
	return false
}

// around gives the line or the sentence that a place lies in.
func around(s string, i, j int, sentence bool) (from, to int) {
	ends := "\n"
	if sentence {
		ends = ".!?\n"
	}
	from = strings.LastIndexAny(s[:i], ends) + 1
	if sentence {
		from = max(from, afterLast(s[:i], "。"), i-200)
		for from < i && s[from]&0xC0 == 0x80 {
			from++
		}
	}
	to = len(s)
	if n := strings.IndexAny(s[j:], ends); n >= 0 {
		to = j + n
	}
	return from, to
}

func afterLast(s, sep string) int {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return i + len(sep)
	}
	return 0
}
