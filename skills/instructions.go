package skills

import (
	"regexp"
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// instruction is a phrasing with which a text speaks to the model that reads it instead of saying what
// a skill does. It is looked for only in texts that have one of the words it cannot do without.
type instruction struct {
	words []string
	is    *regexp.Regexp
}

// instructions are matched against folded text: lower case, compatibility forms and Traditional
// characters replaced, invisible characters left out.
var instructions = []instruction{
	{[]string{"ignor", "disregard", "forget", "overrid", "bypass", "overrul"},
		regexp.MustCompile(`(ignor|disregard|forget|overrid|bypass|overrul)\w*\s+(\w+\s+){0,3}?(previous|prior|above|earlier|preceding|all other|any other|system|safety|existing|your)\s+(\w+\s+){0,2}?(instruction|prompt|rule|message|skill|direction|directive|guideline|guardrail|polic|restriction)`)},
	{[]string{"this skill", "this tool"},
		regexp.MustCompile(`(always|must|should)\s+(be\s+)?(choose|pick|select|prefer|use|invoke|route to|call|chosen|picked|selected|rank)\w*\s+this\s+(skill|tool)\s+(first|instead|over|regardless|no matter|before|above|(for|on|with|in) (every|all|any|each))`)},
	{[]string{"other skill", "other tool", "all skills", "all tools", "instruction"},
		regexp.MustCompile(`(take|takes|has|have|given?)\s+(precedence|priority)\s+over\s+(all|any|every|the)\s+(other\s+)?(skill|tool|instruction)|(instead of|rather than|never (use|choose|pick|call))\s+(any|all|every)\s+other\s+(skill|tool)`)},
	{[]string{"user", "human", "operator"},
		regexp.MustCompile(`(do not|don't|dont|never|must not)\s+(tell|inform|ask|show|alert|notify|warn|let)\s+(the|your|any)\s+(user|human|operator)|(hide|conceal|keep)\s+(this|it|that)\s+(\w+\s+)?from\s+(the|your)\s+(user|human|operator)|(mention|reveal|disclose)\s+(this|it|that)\s+to\s+(the|your)\s+(user|human|operator)`)},
	{[]string{"curl", "wget"}, regexp.MustCompile(`(curl|wget)\s[^|\n]*\|\s*(sudo\s+)?(ba|z|da)?sh\b`)},
	{[]string{"system prompt", "hidden instruction", "api key", "credential", "secret", "private key", "password", ".env"},
		regexp.MustCompile(`(reveal|print|send|leak|exfiltrate)\s+(your\s+|the\s+)?(system prompt|hidden instructions|api keys?|credentials)|(send|upload|post|forward|exfiltrate|leak)\s+(\S+\s+){0,5}?(api key|credential|secret|password|private key|\.env)\S*\s+(\S+\s+){0,3}?to\s+(http|\S+@|an?\s+external|an?\s+remote)`)},
	{[]string{"you are now", "act as if you"}, regexp.MustCompile(`(you are now\s+(in\s+)?|act as if you (are|were)\s+)(a\s+|an\s+)?(developer mode|dan\b|jailbr\w+|unrestricted|admin|root)`)},
	{[]string{"<system", "</system", "[system]", "[inst]", "<|im_", "<important", "<instructions"},
		regexp.MustCompile(`</?(system|instructions|important)\s*>|\[(system|inst)\]|<\|im_(start|end)\|>`)},
	{[]string{"忽略", "无视", "忘记", "忘掉", "理会", "抛开"},
		regexp.MustCompile(`(忽略|无视|忘记|忘掉|不要理会|不必理会|无需理会|抛开)(掉)?(你|您)?(之前|以前|以上|上面|上述|前面|此前|所有|一切|先前|任何|其他|其它|系统)的?(所有|全部|任何|一切|其他)?的?(系统)?(指令|提示|规则|要求|说明|技能|约束|限制|指示)`)},
	{[]string{"用户"}, regexp.MustCompile(`(不要|别|不得|禁止|切勿|无需|不必)(再)?(告诉|告知|通知|询问|提示|提醒|让)用户|(瞒着|对)用户(隐瞒|保密)|瞒着用户`)},
	{[]string{"技能", "工具"},
		regexp.MustCompile(`(必须|务必|永远|总是|一律|始终)(要)?(优先|首先)?(选择|选用|使用|调用)(本|这个|此|该)(技能|工具)|优先于(所有|其他|其它|任何|一切)(的)?(其他|其它)?(技能|工具|指令)|(不要|禁止|不得)(使用|选择|调用)(任何|所有|其他|其它)(其他|其它)?(技能|工具)`)},
}

// Instructions gives the phrases in a skill's own text that try to instruct whoever reads it.
func Instructions(text string) []string {
	if ascii(text) {
		text = strings.ToLower(text)
	} else {
		text = words.Fold(text)
	}
	var out []string
	for _, i := range instructions {
		if !has(text, i.words) {
			continue
		}
		if m := i.is.FindString(text); m != "" {
			out = append(out, m)
		}
	}
	return out
}

func has(text string, any []string) bool {
	for _, word := range any {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
