package skills

import (
	"regexp"
	"strings"
)

// instructions are phrasings with which a text speaks to the model that reads it instead of saying
// what a skill does.
var instructions = []*regexp.Regexp{
	regexp.MustCompile(`(ignore|disregard|forget|override)\s+(all\s+|any\s+|the\s+|your\s+|of\s+)*(previous|prior|above|earlier|other|system)\s+(instruction|prompt|rule|message|skill)s?`),
	regexp.MustCompile(`(always|must)\s+(choose|pick|select|prefer|use|invoke|route to)\s+this\s+(skill|tool)\s+(first|instead|over|regardless|no matter|for (every|all|any))`),
	regexp.MustCompile(`(do not|don't|never)\s+(tell|inform|ask|show|alert)\s+the\s+user`),
	regexp.MustCompile(`(curl|wget)\s[^|\n]*\|\s*(sudo\s+)?(ba|z)?sh\b`),
	regexp.MustCompile(`(reveal|print|send|leak|exfiltrate)\s+(your\s+|the\s+)?(system prompt|hidden instructions|api keys?|credentials)`),
	regexp.MustCompile(`you are now\s+(in\s+)?(developer|dan|jailbreak|unrestricted|admin)`),
	regexp.MustCompile(`(忽略|无视|忘记|忘掉)(掉)?(之前|以前|以上|上面|前面|所有|一切|先前)的?(所有|全部)?的?(指令|提示|规则|要求|说明|技能)`),
	regexp.MustCompile(`(不要|别|不得|禁止)(告诉|通知|询问|提示)用户`),
	regexp.MustCompile(`(必须|务必|永远|总是)(优先)?(选择|选用|使用|调用)(本|这个|此)(技能|工具)`),
}

// Instructions gives the phrases in a skill's own text that try to instruct whoever reads it.
func Instructions(text string) []string {
	text = strings.ToLower(zeroWidth.Replace(text))
	var out []string
	for _, re := range instructions {
		if m := re.FindString(text); m != "" {
			out = append(out, m)
		}
	}
	return out
}
