package audit

import (
	"path"
	"regexp"
	"strings"
)

// end is a place where secrets come from or where data leaves.
type end struct {
	rule   *rule
	line   int
	source bool
	upload bool // of files or of what is piped, not of a request's own data
}

// ends notes what a rule found as an end of a flow.
func (a *auditor) ends(rule *rule, r *reading, line int) {
	inScript := r.class == script
	source, sink := rule.Source.counts(inScript), rule.Sink.counts(inScript)
	if !source && !sink {
		return
	}
	r.ends = append(r.ends, end{rule: rule, line: line, source: source, upload: rule.ID == "net.upload" || rule.ID == "net.drop"})
}

// nearby is how many lines of a document a secret and its way out may be apart.
const nearby = 8

// sends are the words with which a document asks for something to be sent.
var sends = lazily(`\b(?:send|post|upload|forward|transmit|e-?mail|submit|exfiltrate|include|attach|append|paste|embed|copy)\b[^.\n]{0,80}(?:https?://|\bto (?:the |our |my |this )?(?:server|endpoint|url|address|webhook|api|host)\b|@)|(?:发送|上传|提交|外发|转发|发到|传到|传给|发给|贴到)`)

// flows finds what shows only when places are seen together: secrets that leave, downloads that are run.
func (a *auditor) flows() {
	var sources, uploads []*reading
	for _, r := range a.read {
		a.leaks(r)
		if r.class != script {
			continue
		}
		for _, e := range r.ends {
			if e.source {
				sources = append(sources, r)
			}
			if e.upload && !e.source {
				uploads = append(uploads, r)
			}
		}
	}
	for _, s := range sources {
		for _, u := range uploads {
			if s != u && sharesPath(s, u) {
				a.leak(s, firstOf(s.ends, true), "collects secrets which "+u.path+" sends away")
			}
		}
	}
	a.downloads()
}

func firstOf(ends []end, source bool) int {
	for _, e := range ends {
		if e.source == source {
			return e.line
		}
	}
	return 0
}

// leaks finds a file that reads secrets and sends data: anywhere in a script, close by in a document.
func (a *auditor) leaks(r *reading) {
	for _, from := range r.ends {
		if !from.source {
			continue
		}
		for _, to := range r.ends {
			if !to.source && (r.class == script || apart(from.line, to.line) <= nearby) {
				a.leak(r, from.line, "reads secrets and sends data away")
			}
		}
		if r.class == document {
			first, last := max(from.line-nearby, 1), from.line+nearby
			near := strings.Join(r.lines[first-1:min(last, len(r.lines))], "\n")
			if sends.MatchString(strings.ToLower(near)) {
				a.leak(r, from.line, "has secrets read and sent away")
			}
		}
	}
}

func apart(a, b int) int { return max(a-b, b-a) }

func (a *auditor) leak(r *reading, line int, note string) {
	a.add(Finding{Rule: "exfiltration", Kind: "exfiltration", Level: High, File: r.path, Line: line, Excerpt: excerpt(r.lines, line), Note: note})
}

var tempPath = lazily(`(?:/tmp/|/var/tmp/|/dev/shm/|\$tmpdir/|%temp%\\|\$env:temp\\)[\w./-]+`)

// sharesPath says whether two scripts name the same file of passage.
func sharesPath(a, b *reading) bool {
	for _, p := range tempPath.FindAllString(a.joined.s, -1) {
		if strings.Contains(b.joined.s, p) {
			return true
		}
	}
	return false
}

var (
	fetched = []*lazy{
		lazily(`\bcurl\b[^\n;|&]*?\s(?:-\w*o|--output)[= ]*["']?([^\s"';|&]+)`),
		lazily(`\b(?:curl|wget)\b[^\n;|&]*>\s*["']?([^\s"';|&]+)`),
		lazily(`\bwget\b[^\n;|&]*?\s(?:-\w*o|--output-document)[= ]*["']?([^\s"';|&]+)`),
		lazily(`\b(?:wget|curl\s+(?:-\w+\s+)*-\w*o\w*)\s+(?:-\S+\s+)*["']?https?://[^\s"';|&]*/([^\s"';|&/?]+)`),
		lazily(`\b(?:invoke-webrequest|iwr|invoke-restmethod|irm|start-bitstransfer)\b[^\n]*-(?:outfile|destination)\s+["']?([^\s"';|&]+)`),
		lazily(`\b(?:urlretrieve|downloadfile|download_file|wget\.download|saveas)\(\s*[^,()\n]+,\s*(?:filename\s*=\s*|out\s*=\s*)?["']([^"'\n]+)["']`),
		lazily(`\bcertutil\b[^\n]*https?://\S+\s+["']?([^\s"';|&]+)`),
		lazily(`\baria2c\b[^\n]*\s-o\s*["']?([^\s"';|&]+)`),
	}
	written    = lazily(`\bopen\(\s*["']([^"'\n]+)["']\s*,\s*["']wb?\+?["']|\bwritefile(?:sync)?\(\s*["']([^"'\n]+)["']|\bpath\(\s*["']([^"'\n]+)["']\s*\)\.write_(?:bytes|text)`)
	requesting = lazily(`\b(?:requests?\.get|urlopen|httpx\.get|fetch\(|https?\.get\(|axios|net/http|urllib)`)
	verified   = lazily(`\bsha(?:256|512)sum\b[^\n]*(?:-c|--check)|\bshasum\b[^\n]*-c|\bgpg\b[^\n]*--verify|\bcosign\s+verify|\bminisign\s+-\w*v|\bhashlib\.sha(?:256|512)`)
)

const runners = `(?:(?:ba|z|da|k)?sh|source|python[0-9.]*|node|perl|ruby|php|pwsh|powershell(?:\.exe)?|exec|start|start-process|open|chmod\s+[+\w,=]+|nohup|sudo|xargs|bun|deno\s+run|invoke-item|&|import|require|rundll32|cmd(?:\.exe)?\s+/c)`

// downloads finds files that one place downloads and the same or another place runs.
func (a *auditor) downloads() {
	got := map[string]bool{}
	checked := false
	for _, r := range a.read {
		for _, p := range downloadsOf(r) {
			got[p] = true
		}
		checked = checked || verified.MatchString(r.joined.s)
	}
	for p := range got {
		run := runOf(p)
		for _, r := range a.read {
			if !strings.Contains(r.joined.s, path.Base(p)) {
				continue
			}
			at := run.FindStringIndex(r.joined.s)
			if at == nil {
				continue
			}
			level, note := High, "runs what was downloaded before"
			if checked || r.class == document && strings.Contains(r.joined.s[at[0]:at[1]], "chmod") {
				level, note = Medium, note+"; look at where it comes from"
			}
			line := r.joined.line(at[1] - 1)
			a.add(Finding{Rule: "run.downloaded", Kind: "download-run", Level: level, File: r.path, Line: line, Excerpt: excerpt(r.lines, line), Note: note})
		}
	}
}

// target is what a downloaded file may be called.
var target = lazily(`^[\w.$~{}/\\:%-]*[\w}]$`)

func downloadsOf(r *reading) []string {
	var out []string
	for _, re := range fetched {
		for _, m := range re.FindAllStringSubmatch(r.joined.s, 50) {
			out = append(out, m[1])
		}
	}
	if requesting.MatchString(r.joined.s) {
		for _, m := range written.FindAllStringSubmatch(r.joined.s, 50) {
			out = append(out, m[1]+m[2]+m[3])
		}
	}
	kept := out[:0]
	for _, p := range out {
		if p = strings.TrimRight(p, ")`."); target.MatchString(p) && p != "/dev/null" && !strings.Contains(p, "://") {
			kept = append(kept, p)
		}
	}
	return kept
}

// runOf is a pattern for a place that runs a file.
func runOf(p string) *regexp.Regexp {
	name := regexp.QuoteMeta(p)
	if base := path.Base(p); len(base) >= 3 && base != p {
		name = `(?:` + name + `|(?:[\w.$~{}/-]*/)?` + regexp.QuoteMeta(base) + `)`
	} else if !strings.ContainsAny(p, "/$") {
		name = `(?:\./)?` + name
	}
	ending := `["']?\s*(?:[;&|)\s,\]]|$)`
	return regexp.MustCompile(`(?m)(?:\b` + runners + `|(?:^|[;&|])\s*\.)\s+(?:-\S+\s+)*["']?` + name + ending +
		`|(?:system|popen|run|call|check_call|check_output|exec\w*|spawn\w*|startfile)\(\s*\[?\s*(?:["'][\w./-]+["']\s*,\s*)*["'](?:` + runners + `\s+)?` + name + ending +
		`|(?:^|[;&|]\s*)["']?(?:\./)` + strings.TrimPrefix(name, `(?:\./)?`) + ending +
		`|(?:^|[;&|]\s*)["']?` + name + `["']?\s*(?:&|;|$)|\bexec\(\s*open\(\s*["']` + name)
}
