package audit

import (
	"cmp"
	"slices"
	"strings"
)

// mostText is how much of one file is read; a longer text is a finding of its own.
const mostText = 4 << 20

// Run audits the files of one skill. The error is for rules that cannot be read, which the tests of
// this package rule out.
func Run(files []File, about About) (Report, error) {
	list, err := rules()
	if err != nil {
		return Report{}, err
	}
	a := auditor{rules: list, seen: map[place]int{}, hosts: map[string]bool{}, commands: map[string]bool{}}
	if a.secrets, err = secretRules(); err != nil {
		return Report{}, err
	}
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, f.Path)
		a.file(f)
	}
	a.seams()
	a.flows()
	a.about(about)
	return a.report(names), nil
}

// auditor is one audit under way.
type auditor struct {
	rules    []rule
	secrets  []secretRule
	read     []*reading
	findings []Finding
	seen     map[place]int // index of what was found there
	hosts    map[string]bool
	commands map[string]bool
}

// place tells findings apart: a rule says one thing once a line.
type place struct {
	rule, file string
	line       int
}

// reading is a file in the forms in which it is looked at.
type reading struct {
	path   string
	class  class
	lines  []string // of the source
	plain  text
	joined text // plain, with lines that go on and constants put together
	prose  text
	ends   []end // of flows
}

// add notes a finding; of two on one line the worse one stays.
func (a *auditor) add(f Finding) {
	at := place{f.Rule, f.File, f.Line}
	if i, ok := a.seen[at]; ok {
		if f.Level.rank() > a.findings[i].Level.rank() {
			a.findings[i] = f
		}
		return
	}
	a.seen[at] = len(a.findings)
	a.findings = append(a.findings, f)
}

// file looks at one file by itself.
func (a *auditor) file(f File) {
	a.name(f)
	if f.Link {
		a.whole(f, "hidden.link", "hidden", Medium, "is no regular file; where it leads is not looked at")
		return
	}
	content := decodeText(f.Data)
	kind := classify(f.Path, content)
	if kind == opaque {
		a.binary(f)
		return
	}
	if len(content) > mostText {
		a.add(Finding{Rule: "hidden.large", Kind: "hidden", Level: Medium, File: f.Path, Note: "is too long to be read as a whole"})
		content = content[:mostText]
	}
	source := strings.ToValidUTF8(string(content), "\uFFFD")
	r := newReading(f.Path, kind, source)
	a.read = append(a.read, r)
	a.hidden(r, source)
	a.match(r, "")
	a.tainted(r)
	a.secret(r, source)
	for _, d := range decoded(r, source) {
		a.match(d, "in encoded text: ")
	}
	a.mentions(r, source)
}

func newReading(path string, kind class, source string) *reading {
	r := &reading{path: path, class: kind, lines: strings.Split(source, "\n"), plain: plain(source)}
	if kind == document {
		r.plain = r.plain.replace(tableCell, func(g []string) string { return cells.Replace(g[0]) })
	}
	r.joined = joined(r.plain, kind)
	r.prose = prose(r.plain)
	return r
}

// match tries all rules on a reading.
func (a *auditor) match(r *reading, how string) {
	leet := unleet(r.prose)
	for i := range a.rules {
		rule := &a.rules[i]
		switch {
		case rule.In == inProse:
			a.prose(rule, r, r.prose, how)
			if leet.s != r.prose.s {
				a.prose(rule, r, leet, how)
			}
		case rule.In == inScript && r.class == document && how == "":
			a.blocks(rule, r)
		default:
			a.code(rule, r, r.plain, how)
			if r.joined.s != r.plain.s {
				a.code(rule, r, r.joined, how)
			}
		}
	}
}

func (a *auditor) prose(rule *rule, r *reading, t text, how string) {
	for _, at := range rule.find(t) {
		level, note := rule.Level, how+rule.Note
		if how == "" && mentioned(t.s, at[0], at[1]) || fixture(r.path) && literal(r.plain.s, lineStart(r.plain.s, t.line(at[0]))) {
			level, note = Low, note+" (as an example)"
		}
		a.found(rule, r, t.line(at[0]), level, note)
	}
}

func (a *auditor) code(rule *rule, r *reading, t text, how string) {
	for _, at := range rule.find(t) {
		level, note, example := rule.Level, how+rule.Note, true
		doc := r.class == document && how == ""
		if doc && rule.Doc != "" {
			level = rule.Doc
		}
		switch {
		case doc && warned(t.s, at[0]):
			level, note = Low, note+" (named as an example)"
		case how == "" && fixture(r.path) && (r.class == data || literal(t.s, at[0])):
			level, note = Low, note+" (fed to a test)"
		case how == "" && rule.ID == "run.pipe" && installer(t.s[at[0]:at[1]]):
			level, note = Medium, note+", from the installer of a well-known program"
		default:
			example = false
		}
		line := t.line(at[0])
		if !example {
			a.ends(rule, r, line)
		}
		a.found(rule, r, line, level, note)
	}
}

// found notes what a rule found on a line.
func (a *auditor) found(rule *rule, r *reading, line int, level Level, note string) {
	a.add(Finding{Rule: rule.ID, Kind: rule.Kind, Level: level, File: r.path, Line: line, Excerpt: excerpt(r.lines, line), Note: note})
}

// lineStart is the offset of a line, from 1.
func lineStart(s string, line int) int {
	at := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			return at
		}
		at += n + 1
	}
	return at
}

// report puts the findings in order: the worst first, then by file, line and rule.
func (a *auditor) report(names []string) Report {
	slices.SortStableFunc(a.findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(y.Level.rank(), x.Level.rank()), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Rule, y.Rule))
	})
	r := Report{Risk: None, Findings: a.findings, Files: names, Hosts: sorted(a.hosts), Commands: sorted(a.commands)}
	if len(a.findings) == 0 {
		r.Findings = []Finding{}
	} else {
		r.Risk = a.findings[0].Level
	}
	r.Verdict = verdictOf(r.Risk)
	return r
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
