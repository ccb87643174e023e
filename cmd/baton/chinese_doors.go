package main

// chineseDoors gives the Chinese for the texts of the doors to other programs.
var chineseDoors = map[string]string{
	"speak MCP on standard input and output, for an agent's configuration": "在标准输入输出上使用 MCP，供智能体的配置调用",
}
