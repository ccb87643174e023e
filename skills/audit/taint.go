package audit

// A name that stands for something, and what it is made of.
var (
	bound   = lazily(`(?m)(?:^|[;&{(]|\b(?:const|let|var|export|local|with)\b)\s*(?:const |let |var |my )?\$?([a-z_]\w*)\s*:?=\s*([^\n;]+)|\bas\s+([a-z_]\w*)\s*:`)
	fromNet = lazily(`\b(?:urlopen|urlretrieve|requests?\.get|requests?\.post|httpx\.get|session\.get|fetch\(|axios|curl\b|wget\b|invoke-webrequest|downloadstring|http\.get|https\.get|got\()`)
	encoded = lazily(`\b(?:b64decode|b32decode|atob\(|fromhex|unhexlify|decompress|marshal\.loads|codecs\.decode|base64\s+(?:-d|--decode)|xxd\s+-r|buffer\.from\()`)
	ran     = lazily(`(?:(?:^|[^.\w])(?:exec|eval|compile|os\.system|os\.popen|system|popen|new function|function|execsync|vm\.run\w+|subprocess\.\w+|child_process\.exec\w*)\(\s*\[?(?:["'](?:ba|z)?sh["']\s*,\s*["']-c["']\s*,\s*)?|\b(?:eval|(?:ba|z|da)?sh\s+-c|iex|invoke-expression|python3?\s+-c)\s+["']?)\$?\{?([a-z_]\w*)`)
)

// tainted finds code that is fetched or decoded into a name and then run by that name.
func (a *auditor) tainted(r *reading) {
	if r.class != script {
		return
	}
	is := map[string]string{} // name: rule
	for range mostRounds {
		for _, m := range bound.FindAllStringSubmatch(r.joined.s, 2*mostConstants) {
			switch {
			case m[1] == "" || is[m[1]] != "":
			case fromNet.MatchString(m[2]):
				is[m[1]] = "run.fetched"
			case encoded.MatchString(m[2]):
				is[m[1]] = "obfuscation.run"
			default:
				for _, word := range identifiers.FindAllString(m[2], 8) {
					if is[word] != "" && word != m[1] {
						is[m[1]] = is[word]
					}
				}
			}
		}
	}
	for _, at := range ran.FindAllStringSubmatchIndex(r.joined.s, 4*mostHits) {
		rule := is[r.joined.s[at[2]:at[3]]]
		if rule == "" {
			continue
		}
		kind, note := "download-run", "runs what it has fetched"
		if rule == "obfuscation.run" {
			kind, note = "obfuscation", "runs what it has decoded"
		}
		line := r.joined.line(at[2])
		a.add(Finding{Rule: rule, Kind: kind, Level: High, File: r.path, Line: line, Excerpt: excerpt(r.lines, line), Note: note})
	}
}

var identifiers = lazily(`[a-z_]\w*`)
