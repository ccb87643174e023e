package audit

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
)

// popular are names that look-alikes are after.
var popular = strings.Fields(`tavily summarize skill-creator frontend-design webapp-testing mcp-builder canvas-design algorithmic-art
	brand-guidelines theme-factory web-artifacts-builder internal-comms slack-gif-creator doc-coauthoring docx pptx xlsx pdf-reader
	find-skills self-improving-agent agent-browser github-cli notion-api obsidian weather brave-search playwright-cli humanizer
	drawio-skill wechat-publisher literature-search skill-radoute superpowers systematic-debugging test-driven-development
	brainstorming writing-plans remotion-best-practices vercel-react-best-practices supabase-postgres-best-practices`)

var (
	cloneTail = lazily(`^(.+)-([a-z0-9]{5})$`)
	mixedTail = lazily(`[0-9].*[a-z]|[a-z].*[0-9]|^[bcdfghjklmnpqrstvwxz]{5}$`)
	doesWork  = lazily(`\b(?:run|runs|running|command|commands|shell|bash|terminal|cli|script|scripts|build|builds|test|tests|testing|execute|executes|install|installs|deploy|deploys|git|docker|compile|lint|debug|automat\w*|server|code|coding|program\w*|develop\w*|npm|python|kubernetes|database|migrat\w*|convert\w*|generat\w*|process\w*|render\w*|download\w*|search\w*|scrap\w*|crawl\w*)\b|运行|命令|脚本|执行|构建|测试|部署|安装|编程|代码|开发|转换|生成|处理|下载|搜索|检索|抓取|调试`)
)

// about looks at what the skill says of itself.
func (a *auditor) about(s About) {
	say := func(rule, kind string, level Level, note string) {
		a.add(Finding{Rule: rule, Kind: kind, Level: level, File: "SKILL.md", Line: 1, Excerpt: shorten(s.Name + ": " + strings.Join(s.AllowedTools, " ")), Note: note})
	}
	if like := a.resembles(s); like != "" {
		say("meta.look-alike", "typosquat", Medium, "has a name that may be taken for "+like)
	}
	for _, tool := range s.AllowedTools {
		switch name, args, _ := strings.Cut(strings.ToLower(tool), "("); {
		case name == "*" || name == "all":
			say("meta.tools", "permissions", Medium, "wants every tool")
		case (name == "bash" || name == "shell" || name == "execute" || name == "terminal") && (args == "" || strings.HasPrefix(args, "*")) && !doesWork.MatchString(strings.ToLower(s.Description)):
			say("meta.tools", "permissions", Medium, "wants any command, and its description says nothing of commands")
		}
	}
}

// resembles gives the known name that a skill's name is a look-alike of; "" when it is none.
func (a *auditor) resembles(s About) string {
	name := strings.ToLower(s.Name)
	plainName := strings.NewReplacer("0", "o", "1", "l", "3", "e", "5", "s", "_", "-", "rn", "m", "vv", "w").Replace(latin(name))
	known := append(slices.Clone(s.Known), popular...)
	if slices.Contains(known, s.Name) {
		return ""
	}
	for _, k := range known {
		k = strings.ToLower(k)
		tail := cloneTail.FindStringSubmatch(name)
		switch {
		case len(k) < 5:
		case plainName == k && name != k, strings.ReplaceAll(name, "-", "") == strings.ReplaceAll(k, "-", "") && name != k:
			return k
		case len(k) >= 6 && distance(name, k) == 1 && name != k+"s" && k != name+"s", len(k) >= 14 && distance(name, k) == 2:
			return k
		case tail != nil && tail[1] == k && mixedTail.MatchString(tail[2]):
			return k
		}
	}
	return ""
}

// distance counts the letters that must be put in, taken out, changed or swapped with their neighbour.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > 2 || len(y)-len(x) > 2 {
		return 3
	}
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range y {
		d[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			d[i+1][j+1] = min(d[i][j+1]+1, d[i+1][j]+1, d[i][j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d[i+1][j+1] = min(d[i+1][j+1], d[i-1][j-1]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}

var (
	addresses = lazily(`(?i)\b(?:https?|wss?|ftp|ssh|git)://[^\s"'<>()\[\]{}` + "`" + `|\\]+`)
	fences    = lazily("(?m)^[ \t]*(?:```|~~~)[ \t]*(\\w*)[^\n]*$")
	calls     = lazily(`^(?:\$ |> )?(?:sudo +)?([a-z][a-z0-9._-]{1,30})(?:\s|$)`)
	shellTags = wordSet(`bash sh shell zsh console terminal shell-session`)
	keywords  = wordSet(`if then else fi for do done while case esac function in echo return exit set export local cd true false test elif until source read shift unset break continue import from def class`)
)

// mentions notes the hosts and the commands that a file names.
func (a *auditor) mentions(r *reading, source string) {
	for _, address := range addresses.FindAllString(source, 500) {
		if u, err := url.Parse(strings.TrimRight(address, ".,;:")); err == nil && strings.Contains(u.Hostname(), ".") {
			a.hosts[strings.ToLower(u.Hostname())] = true
		}
	}
	shell := r.class == script && (path.Ext(r.path) == ".sh" || strings.HasPrefix(source, "#!") && strings.Contains(r.lines[0], "sh"))
	for _, line := range r.plainLines(shell) {
		if m := calls.FindStringSubmatch(strings.TrimSpace(line)); m != nil && !keywords[m[1]] && !strings.Contains(line, "= ") {
			a.commands[m[1]] = true
		}
	}
}

// plainLines are the lines that a shell would be given: of a script all, of a document its blocks.
func (r *reading) plainLines(shell bool) []string {
	if shell || r.class != document {
		if shell {
			return strings.Split(r.plain.s, "\n")
		}
		return nil
	}
	var out []string
	inside, taken := false, false
	for line := range strings.Lines(r.plain.s) {
		if m := fences.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			inside, taken = !inside, !inside && shellTags[m[1]]
			continue
		}
		if inside && taken {
			out = append(out, line)
		}
	}
	return out
}

// blocks tries a rule for scripts on the blocks of code of a document.
func (a *auditor) blocks(rule *rule, r *reading) {
	if len(rule.windows(r.plain.s)) == 0 {
		return
	}
	inside := false
	var w weaver
	n := 0
	for line := range strings.Lines(r.plain.s) {
		n++
		if fences.MatchString(strings.TrimRight(line, "\n")) {
			inside = !inside
			continue
		}
		if inside {
			w.add(line, n)
		}
	}
	code := w.text()
	for _, at := range rule.find(code) {
		level, line := Level(Low), code.line(at[0])
		if !warned(code.s, at[0]) {
			a.ends(rule, r, line)
			level = cmp.Or(rule.Doc, Low)
		}
		a.found(rule, r, line, level, rule.Note)
	}
}
