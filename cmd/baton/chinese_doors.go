package main

// chineseDoors gives the Chinese for the texts of the doors to other programs.
var chineseDoors = map[string]string{
	"speak MCP on standard input and output, for an agent's configuration":               "在标准输入输出上使用 MCP，供智能体的配置调用",
	"take an event of Claude Code on standard input; for its hooks":                      "从标准输入读取 Claude Code 的一个事件，供其 hooks 使用",
	"`TIME` after which there is no answer (default 25ms, for what is only recorded 5s)": "超过 `TIME` 就不再回答（默认 25ms，只作记录的为 5s）",
}
