package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	sourcing "github.com/batonflow/baton/routing/source"
	"github.com/batonflow/baton/workflows"
)

// sourcePlan writes a plan for people: codes become sentences.
func (p *page) sourcePlan(plan sourcing.Plan) {
	p.line("%s  %s  %s", plan.TaskID, plan.TaskType, plan.PrimarySubject)
	for _, s := range plan.SelectedSources {
		p.line("%3d. %s  x%-3d %s", s.Priority, styled(pad(string(s.Source), 12)), plan.BudgetAllocation.Of(s.Source), s.Rationale)
		for _, hint := range s.SearchHints {
			p.line("     - %s", hint)
		}
	}
	if d := plan.Diagnostics; d.CounterSkip != nil {
		p.line(p.app.sourceSay("no opposing views: %s"), p.app.sourceCode(skipSentences, *d.CounterSkip))
	}
	p.line(p.app.sourceSay("end: %s; at most %d rounds"), p.app.sourceSay(plan.StopRule.Condition), plan.StopRule.MaxRounds)
	var chain []string
	for _, level := range plan.FallbackChain {
		chain = append(chain, level.Source)
	}
	if len(chain) > 0 {
		p.line(p.app.sourceSay("providers: %s"), strings.Join(chain, " > "))
	}
	for _, w := range plan.Diagnostics.Warnings {
		p.line(p.app.sourceSay("warning: %s"), p.app.sourceCode(warningSentences, w))
	}
}

// search writes how a search went.
func (p *page) search(v workflows.SearchView) {
	p.line("%s  %s  %s", v.TaskID, p.app.sourceSay(v.Status), v.PrimarySubject)
	p.line(p.app.sourceSay("run %s: %d of at most %d rounds, %d of %d searches"), v.Run, v.Rounds, v.MaxRounds, v.AttemptsUsed, v.Budget.Total)
	for i, t := range v.Attempts {
		outcome := p.app.sourceSay(cmp.Or(t.Outcome, "going"))
		p.line("%3d. %s  %s  %s  x%d", i+1, styled(pad(t.Provider, 18)), styled(pad(outcome, 18)), t.Query, t.Results)
	}
	for _, d := range v.DegradationLog {
		to := p.app.sourceSay("the end")
		if d.ToLevel != nil {
			to = strconv.Itoa(*d.ToLevel)
		}
		p.line(p.app.sourceSay("down: level %d > %s  %s  %s"), d.FromLevel, to, d.Reason, d.QueryAffected)
	}
	for _, name := range v.Unconfigured {
		p.line(p.app.sourceSay("not configured: %s"), name)
	}
	for _, r := range v.Results {
		p.line("- %s  %s%s", r.Title, r.URL, r.Path)
		if r.Text != "" {
			p.line("    %s", cut(strings.Join(strings.Fields(r.Text), " "), 160))
		}
	}
}

func (p *page) sourceFaults(faults sourcing.Errors) {
	for _, f := range faults {
		field := f.Field
		if field == "" {
			field = p.app.sourceSay("the description")
		}
		p.line(p.app.sourceSay("%s  %s: want %s"), f.Code, field, p.app.sourceSay(f.Want))
	}
}

// sourceCode gives the sentence of a code, with what stands behind its colon put in.
func (a *app) sourceCode(sentences map[string]string, code string) string {
	name, of, _ := strings.Cut(code, ":")
	sentence, ok := sentences[name]
	if !ok {
		return code
	}
	return strings.ReplaceAll(a.sourceSay(sentence), "%s", of)
}

var skipSentences = map[string]string{
	"budget_zero":                 "there is no budget",
	"counter_unavailable":         "there is no source for them",
	"skip_internal_retrieval":     "something internal is only looked up",
	"skip_budget_le_3":            "three searches or fewer are too few",
	"skip_tight_recommended_only": "five searches or fewer are too few for what is only recommended",
	"no_trigger":                  "nothing asks for them",
	"dropped_budget":              "no search was left for them",
	"counter_alone":               "alone they are no answer",
}

var warningSentences = map[string]string{
	"duplicate_source":      "%s is listed more than once",
	"budget_zero":           "the budget is zero, nothing is searched",
	"counter_unavailable":   "opposing views are called for, and there is no source for them",
	"source_unavailable":    "%s would be searched and is not available",
	"no_usable_source":      "no source can be used, only what is cached",
	"counter_alone":         "opposing views alone are no answer, only what is cached is left",
	"web_share_below_70":    "the web has less than 70 percent, because opposing views are wanted and searches are few",
	"source_dropped_budget": "%s is left out, the budget does not reach so far",
}

// sourceSay gives a text of the source commands in the user's language.
func (a *app) sourceSay(text string) string {
	if i := slices.IndexFunc(sourceWords, func(pair [2]string) bool { return pair[0] == text }); i >= 0 && a.lang == "zh" {
		return sourceWords[i][1]
	}
	return text
}

// sourceWords gives the Chinese for each English text of the source commands.
var sourceWords = [][2]string{
	{"searches: which sources, in which order, and when to stop", "检索：去哪些来源找、按什么顺序、何时停止"},
	{"plan a search from a file, from stdin or from flags; a flag wins over the file", "由文件、标准输入或标志制定检索计划；标志优先于文件"},
	{"what it is about, a `TEXT` of at most 500 characters", "检索的主题，不超过 500 字的 `TEXT`"},
	{"`high|medium|low`: a day, a month, any age", "`high|medium|low`：一天内、一月内、不限"},
	{"`KIND` of task: breaking_news, deep_research, entity_analysis, internal_knowledge, tech_evaluation", "任务类型 `KIND`：breaking_news、deep_research、entity_analysis、internal_knowledge、tech_evaluation"},
	{"`MODE`: analyze, evaluate, compare, investigate", "目标 `MODE`：analyze、evaluate、compare、investigate"},
	{"`LIST` of the sources there are: web,local_file,vector,graph,counter", "现有来源的 `LIST`：web,local_file,vector,graph,counter"},
	{"opposing views are wanted; =false where they are not", "需要反面证据；不需要时写 =false"},
	{"`TEXT` of what is missing (repeat)", "缺什么信息的 `TEXT`（可重复）"},
	{"how many searches may be spent, a `NUMBER` up to 1000 (default 10)", "可用的检索次数，不超过 1000 的 `NUMBER`（默认 10）"},
	{"`LIST` of hosts to look at with preference", "优先查看的域名 `LIST`"},
	{"`LIST` of the search providers that are configured (default: all)", "已配置的搜索服务 `LIST`（默认全部）"},
	{"`vector=N` or local_file=N: documents known to be at hand (repeat)", "`vector=N` 或 local_file=N：已知手头的文档数（可重复）"},
	{"nothing is judged, only looked up", "只查找，不作判断"},
	{"mend the file, or remove it", "修好文件，或删除它"},
	{"see `baton source plan -h`", "见 `baton source plan -h`"},

	{"no opposing views: %s", "不查反面证据：%s"},
	{"end: %s; at most %d rounds", "停止：%s；最多 %d 轮"},
	{"providers: %s", "搜索服务：%s"},
	{"warning: %s", "警告：%s"},
	{"%s  %s: want %s", "%s  %s：应为 %s"},
	{"the description", "任务描述"},

	{"stop after 3 independent authoritative sources confirm the same fact", "3 个独立权威信源确认同一事实后停止"},
	{"stop when every selected source has been searched at least min(2, its budget) times, or 10 high-quality results are held", "每个所选来源至少检索 min(2, 其预算) 次，或已有 10 条高质量结果时停止"},
	{"stop graph searching when the main entity's relation network has at least 5 nodes", "主实体的关系网络达到 5 个节点后停止 graph 检索"},
	{"stop when at least 5 relevant local documents have been hit", "本地命中至少 5 条相关文档后停止"},
	{"stop when at least 2 independent benchmark or review reports are held and both sides of the target variable are covered", "至少有 2 份独立评测报告且正反两面都已覆盖时停止"},
	{"stop when the round limit is reached, or at least 3 high-confidence results are held", "达到轮数上限，或至少有 3 条高置信度结果时停止"},
	{"stop at once: the search budget is zero", "立即停止：检索预算为零"},

	{"there is no budget", "没有预算"},
	{"there is no source for them", "没有相应的来源"},
	{"something internal is only looked up", "只是查找内部资料"},
	{"three searches or fewer are too few", "检索不足四次"},
	{"five searches or fewer are too few for what is only recommended", "检索不足六次，且只是建议项"},
	{"nothing asks for them", "没有触发条件"},
	{"no search was left for them", "没有剩余的检索次数"},
	{"alone they are no answer", "仅有反面证据不成答案"},

	{"%s is listed more than once", "%s 重复列出"},
	{"the budget is zero, nothing is searched", "预算为零，不做检索"},
	{"opposing views are called for, and there is no source for them", "应查反面证据，但没有相应的来源"},
	{"%s would be searched and is not available", "应检索 %s，但它不可用"},
	{"no source can be used, only what is cached", "没有可用的来源，只剩本地缓存"},
	{"opposing views alone are no answer, only what is cached is left", "仅有反面证据不成答案，只剩本地缓存"},
	{"the web has less than 70 percent, because opposing views are wanted and searches are few", "因需要反面证据而次数很少，web 不足七成"},
	{"%s is left out, the budget does not reach so far", "预算不够，略去 %s"},

	{"search as planned, over the providers that are configured", "按计划检索，使用已配置的搜索服务"},
	{"`NAME=CMD` asks a provider by a program; {query} stands for what is asked, stdin has it too (repeat)", "`NAME=CMD` 用程序调用搜索服务；{query} 代表检索词，stdin 也有（可重复）"},
	{"`FILE` that says how providers are asked (default: sources.yaml of the home)", "说明如何调用搜索服务的 `FILE`（默认：主目录的 sources.yaml）"},
	{"how long an answer is waited for (default and most: `30s`)", "等待回答的时间（默认且最长：`30s`）"},
	{"make one with `baton source plan … --json`", "用 `baton source plan … --json` 制定"},
	{"run %s: %d of at most %d rounds, %d of %d searches", "运行 %s：第 %d 轮，至多 %d 轮；检索 %d 次，预算 %d 次"},
	{"down: level %d > %s  %s  %s", "降级：第 %d 级 > %s  %s  %s"},
	{"the end", "链尾"},
	{"not configured: %s", "未配置：%s"},
	{"going", "进行中"},
	{"condition_met", "达到停止条件"},
	{"rounds_spent", "轮数用完"},
	{"budget_spent", "预算用完"},
	{"nothing_left", "没有可查的了"},
	{"low_quality", "结果质量低"},
	{"cancelled", "已取消"},
	{"exhausted", "已到链尾"},
	{"ok", "有结果"},
	{"empty_results", "无结果"},

	{"one JSON object", "一个 JSON 对象"},
	{"a text of 1 to 500 characters", "1 至 500 字的文本"},
	{"a text", "文本"},
	{"a list of texts", "文本列表"},
	{"a list of host names", "域名列表"},
	{"a host name such as example.org", "如 example.org 的域名"},
	{"a whole number from 0", "不小于 0 的整数"},
	{"a whole number from 0 to 1000", "0 到 1000 的整数"},
	{"numbers of documents by source: vector, local_file", "各来源的文档数：vector、local_file"},
	{"a list of web | local_file | vector | graph | counter", "列表，取自 web | local_file | vector | graph | counter"},
	{"nothing of this name", "不写：没有这个字段"},
}
