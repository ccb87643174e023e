package main

// chineseAcquire gives the Chinese for the texts of `baton acquire`.
var chineseAcquire = map[string]string{
	"bring a skill in: find, fetch, audit, confirm, install, register":   "引入技能：查找、下载、审计、确认、安装、登记",
	"say what in a skill's folder a person should see before it is used": "说出技能文件夹里哪些内容应先由人过目",
	"the least level that is listed, `low|medium|high`":                  "列出的最低级别，`low|medium|high`",
	"no finding":                           "没有发现",
	"%s, risk %s: %d findings in %d files": "%s，风险 %s：%[4]d 个文件里有 %[3]d 处发现",
	"hosts it names: %s":                   "提到的主机：%s",
	"commands it calls: %s":                "调用的命令：%s",
	"An audit finds what it knows; no finding is no proof.": "审计只找得到它认识的东西；没有发现并不是证明。",
}
