package audit

import (
	"strings"
)

// speaksOf finds words with which a text speaks about attacks instead of making one.
var speaksOf = lazily(`\b(?:examples?|e\.g|such as|for instance|like|detect(?:s|ed|ing|ion)?|flag(?:s|ged)?|block(?:s|ed|ing|list)?|filter(?:s|ed)?|attack(?:s|er|ers)?|malicious|injections?|prevent(?:s|ing)?|refuse(?:s|d)?|reject(?:s|ed)?|never|avoid|dangerous|unsafe|insecure|vulnerab\w+|bad|wrong|phrases?|patterns?|payloads?|jailbreaks?|deny|denied|forbid(?:den)?|guard(?:s|rail)?|suspicious|red flags?|attempts?|adversarial|test cases?|do not run|don't run|must not|warn(?:s|ing)?)\b|例如|比如|诸如|譬如|示例|攻击|恶意|注入|检测|识别|拦截|拒绝|防止|避免|危险|可疑|越狱|样例|话术|禁止|不要|切勿`)

// mentioned says whether what was found in prose is quoted where attacks are spoken about.
func mentioned(s string, i, j int) bool {
	before, after := s[max(0, i-240):i], s[j:min(len(s), j+160)]
	quote := ""
	for _, q := range []string{`"`, "'"} {
		at := strings.LastIndex(before, q)
		if at >= 0 && len(before)-at <= 100 && strings.Contains(after, q) && strings.Count(before, q)%2 == 1 {
			quote, before = q, before[:at]
			break
		}
	}
	return quote != "" && speaksOf.MatchString(lastWords(before))
}

// lastWords is what stands right before, as far as it can belong to what follows.
func lastWords(s string) string { return s[max(0, len(s)-140):] }

// warns finds words that say of a command that it is not to be run.
var warns = lazily(`\b(?:never|(?:do not|don't|must not|should not|cannot) (?:ever )?(?:run|execute|use|type|paste|call|do|pipe|copy)|avoid (?:running|using|commands?|patterns?|piping|this)|dangerous|destructive|malicious|harmful|block(?:ed|s|list)|deny|denied|denylist|forbid(?:den)?|reject(?:s|ed)?|detect(?:s|ed|ion)?|flag(?:s|ged)|attack(?:s|ers?)?|red flags?|suspicious|not allowed|disallow(?:ed)?|insecure|unsafe|(?:bad|malicious|attack) (?:example|pattern)s?|e\.g\.|for example)\b|❌|✗|✘|🚫|⛔|(?:不要|禁止|避免|切勿|严禁|请勿)(?:运行|执行|使用|直接)?|危险|拦截|检测|攻击|恶意|例如|示例`)

// warned says whether a document names a command in order to warn of it: on its line, or in the line
// or heading before it.
func warned(s string, i int) bool {
	from := strings.LastIndexByte(s[:i], '\n') + 1
	to := len(s)
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		to = i + n
	}
	if warns.MatchString(s[from:i]) || warns.MatchString(comment(s[i:to])) {
		return true
	}
	return introduced(s[:from])
}

// mostBack is how many lines of a list or a block a warning before it reaches over.
const mostBack = 8

// introduced says whether the line or heading before a list or a block of code warns of what is in it.
func introduced(before string) bool {
	inside := false
	for range mostBack {
		before = strings.TrimRight(before, " \t\n")
		n := strings.LastIndexByte(before, '\n') + 1
		line := strings.TrimSpace(before[n:])
		before = before[:n]
		fence := strings.HasPrefix(line, "```")
		switch {
		case warns.MatchString(line):
			return true
		case fence:
			inside = true
		case !inside && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "* "):
			return false
		case inside: // the line before the block was looked at
			return false
		}
	}
	return false
}

// comment is what follows a mark of a comment on the rest of a line.
func comment(rest string) string {
	for _, m := range []string{" # ", " // ", " <!-- "} {
		if _, after, ok := strings.Cut(rest, m); ok {
			return after
		}
	}
	return ""
}

// literal says whether a place lies within quotes on its line, as data of a test does.
func literal(s string, i int) bool {
	from := strings.LastIndexByte(s[:i], '\n') + 1
	for _, q := range []string{`"`, "'", "`"} {
		if strings.Count(s[from:i], q)%2 == 1 {
			return true
		}
	}
	return false
}
