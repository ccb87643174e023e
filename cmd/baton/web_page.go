package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/routing/web"
)

// web writes a line of the web commands in the user's language.
func (p *page) web(format string, args ...any) { p.line(p.app.webSay(format), args...) }

func (p *page) rehearsal(r web.Rehearsal) {
	for _, e := range r.Trace {
		p.webEvent(e)
	}
	p.webNotes(r.Notes)
	p.webFinal(r.Final)
}

// webEvent tells one event of a trace.
func (p *page) webEvent(e web.Event) {
	switch e.Event {
	case "probed":
		p.web("the host can %s", cmp.Or(capabilityNames(e.Capabilities), "-"))
	case "batch":
		p.web("begin %s", join(e.Targets))
	case "call":
		p.web("  call %s (%s) for %s", e.Tool, string(e.Capability), *e.Target)
	case "failed":
		p.web("  %s failed: %s", e.Tool, string(e.Code))
	case "retry":
		p.web("  try %s once more after %v s", e.Tool, *e.WaitS)
	case "switched":
		p.web("  %s takes over from %s: %s", e.To, e.From, e.Reason)
	case "url_rejected":
		p.web("refused %s: %s", e.URL, string(e.Code))
	case "url_deduplicated":
		p.web("already there: %s", e.URL)
	case "site_fallback":
		p.web("official entry %s: %s", e.ID, cmp.Or(e.URL, e.Reason))
	case "confirmation_requested":
		p.web("  ask before %s", e.Action)
	case "confirmation_used":
		p.web("  %s was confirmed, for this once", e.Action)
	case "expansion_stopped":
		p.web("stop looking: %s", e.Reason)
	case "verified":
		p.web("verified %s", join(e.Sources))
	}
}

func capabilityNames(list []web.Capability) string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = string(c)
	}
	return join(names)
}

// webNotes tells what a user is told, one sentence each with its reason.
func (p *page) webNotes(notes []web.Note) {
	for _, n := range notes {
		switch n.Kind {
		case web.NoteSwitch:
			p.web("note: another way is taken (%s)", n.Reason)
		case web.NoteAuthorisation:
			p.web("note: it needs your confirmation (%s)", n.Reason)
		case web.NoteTakeover:
			p.web("note: please do this step yourself (%s)", n.Reason)
		case web.NoteBlocked:
			p.web("note: this cannot be done (%s)", n.Reason)
		}
	}
}

func (p *page) webFinal(f web.Final) {
	line := fmt.Sprint(p.status(string(f.Status), 0))
	if f.Reason != "" {
		line += "  " + safe([]any{f.Reason})[0].(string)
	}
	p.line("%s", styled(line))
	if f.ResumeAt != nil {
		p.web("  goes on at %s", *f.ResumeAt)
	}
	for _, s := range f.Sources {
		p.web("  source  %s", s)
	}
	for _, l := range f.Limitations {
		p.web("  limit   %s", l)
	}
}

func (p *page) opening(o web.Opening) {
	for _, e := range o.Trace {
		if e.Event != "call" {
			p.webEvent(e)
		}
	}
	if o.Call != nil {
		p.web("first: %s (%s) for %s", o.Call.Tool, string(o.Call.Capability), o.Call.Target)
	}
	for i, c := range o.Candidates {
		p.line("%3d. %s  %s", i+1, styled(pad(c.Tool, 16)), p.webWhy(c))
	}
	p.webNotes(o.Notes)
	if o.Final != nil {
		p.webFinal(*o.Final)
	}
}

// webWhy says in words what makes a tool fit and what puts it before the next.
func (p *page) webWhy(c web.Candidate) string {
	why := p.app.webSay(strings.ReplaceAll(c.Why, "_", " "))
	if c.Ahead != "" {
		why += fmt.Sprintf(p.app.webSay("; before the next by %s"), p.app.webSay(strings.ReplaceAll(c.Ahead, "_", " ")))
	}
	return why
}

// verdictTexts says what each action means.
var verdictTexts = map[string]string{
	web.ActRetry:    "try the same tool once more",
	web.ActSwitch:   "another tool takes the target",
	web.ActTakeover: "the user does this step; no tool goes around it",
	web.ActBlock:    "leave the target alone",
	web.ActConfirm:  "ask the user first",
	web.ActFail:     "the target has failed",
	web.ActAbort:    "the task is over",
}

func (p *page) verdict(v web.Verdict) {
	p.line("%s  %s  %s", string(v.Code), v.Action, p.app.webSay(verdictTexts[v.Action]))
	if v.Action == web.ActRetry {
		p.web("  after %v s", v.WaitS)
	}
	if v.ToolOut == "task" {
		p.web("  the tool is out for the rest of the task")
	}
	if v.StaticOut {
		p.web("  no tool reads the page as it is served any more")
	}
	if v.NeverRetry != "" {
		p.web("  not tried again: %s", v.NeverRetry)
	}
	if v.Status != "" {
		p.web("  alone, a task ends %s: %s", string(v.Status), v.Reason)
	}
}

func (p *page) addresses(list []operation.Normalised) {
	for _, n := range list {
		p.line("%s  %s", n.Input, cmp.Or(n.URL, n.Error))
	}
}

// webTexts gives the Chinese for each English text of the web commands.
var webTexts = [][2]string{
	{"tasks on the web: which tool, and what follows a failure", "网络任务：用哪个工具，失败之后怎么办"},
	{"say which tool a task on the web begins with, and why", "说明网络任务从哪个工具开始，以及原因"},
	{"`URL` to read (repeat); addresses in the task count too", "要读取的 `URL`（可重复）；任务里写的网址也算"},
	{"`FILE|-` with the host's tools in JSON (default: web.yaml of the home, else one of each capability)", "`FILE|-`：宿主工具的 JSON（默认：主目录的 web.yaml，否则每类能力一个）"},
	{"what the page needs: `js,visual,login,actions,fresh`", "页面需要什么：`js,visual,login,actions,fresh`"},
	{"`SITE` that a tool may know", "工具可能支持的站点 `SITE`"},
	{"`OPERATION` of the site", "站点的操作 `OPERATION`"},
	{"`ACTION` that changes something: post, pay, upload … (repeat)", "有外部影响的动作 `ACTION`：post、pay、upload……（可重复）"},
	{"`TOOL` that goes first (repeat)", "优先使用的工具 `TOOL`（可重复）"},
	{"`TOOL` that is never used (repeat)", "绝不使用的工具 `TOOL`（可重复）"},
	{"how many good sources suffice (default: all)", "几个可靠来源就够（默认：全部）"},
	{"TASK is a file, or -, with {request, host, outcomes}: go through it as if the calls went so", "TASK 是含 {request, host, outcomes} 的文件（或 -）：按给定的调用结果推演一遍"},
	{"no --tools: one tool of each capability is assumed", "没有 --tools：假定每类能力各有一个工具"},
	{"say what follows a failure: retry, switch, ask, stop", "说明失败之后怎么办：重试、切换、询问或停止"},
	{"`CODE` or HTTP status (repeat: what it looks like)", "错误码 `CODE` 或 HTTP 状态（像几种就重复几次）"},
	{"`SECONDS` that the server asked for", "服务器要求等待的秒数 `SECONDS`"},
	{"the tool was retried for this target already", "这个工具已为该目标重试过"},
	{"the call was to change something", "这次调用是写操作"},
	{"%s is no known failure; known are %s", "%s 不是已知的错误；已知的有 %s"},
	{"give addresses the form in which they are compared", "给出网址用于比较的规范形式"},
	{"the host can %s", "宿主能力：%s"},
	{"begin %s", "开始 %s"},
	{"  call %s (%s) for %s", "  调用 %s（%s）：%s"},
	{"  %s failed: %s", "  %s 失败：%s"},
	{"  try %s once more after %v s", "  再试一次 %s，等待 %v 秒"},
	{"  %s takes over from %s: %s", "  由 %s 接替 %s：%s"},
	{"refused %s: %s", "拒绝 %s：%s"},
	{"already there: %s", "重复：%s"},
	{"official entry %s: %s", "官方入口 %s：%s"},
	{"  ask before %s", "  动作 %s 之前先确认"},
	{"  %s was confirmed, for this once", "  动作 %s 已确认，仅此一次"},
	{"stop looking: %s", "停止扩张：%s"},
	{"verified %s", "已验证 %s"},
	{"note: another way is taken (%s)", "提示：改走另一条路（%s）"},
	{"note: it needs your confirmation (%s)", "提示：需要你确认（%s）"},
	{"note: please do this step yourself (%s)", "提示：请亲自完成这一步（%s）"},
	{"note: this cannot be done (%s)", "提示：无法继续（%s）"},
	{"  goes on at %s", "  之后从这里继续：%s"},
	{"  source  %s", "  来源    %s"},
	{"  limit   %s", "  限制    %s"},
	{"first: %s (%s) for %s", "第一步：%s（%s）：%s"},
	{"finds sources", "能发现来源"},
	{"site search", "支持该站点的搜索"},
	{"site operation", "支持该站点的这项操作"},
	{"needs browser", "页面需要浏览器"},
	{"page has no static content", "静态读取没有正文"},
	{"known public page", "已知的公开页面"},
	{"opens any page", "能打开任何页面"},
	{"; before the next by %s", "；先于下一个，因为%s"},
	{"preferred", "用户优先"},
	{"fit", "匹配度"},
	{"scope", "权限范围"},
	{"private session", "不碰私人登录态"},
	{"structured", "结果结构化程度"},
	{"latency ms", "延迟"},
	{"failure rate", "失败率"},
	{"capability", "能力顺序"},
	{"name", "名称"},
	{verdictTexts[web.ActRetry], "同一工具再试一次"},
	{verdictTexts[web.ActSwitch], "由另一个工具处理该目标"},
	{verdictTexts[web.ActTakeover], "这一步由用户完成；任何工具都不绕过"},
	{verdictTexts[web.ActBlock], "不再碰这个目标"},
	{verdictTexts[web.ActConfirm], "先问用户"},
	{verdictTexts[web.ActFail], "该目标失败"},
	{verdictTexts[web.ActAbort], "任务结束"},
	{"  after %v s", "  等待 %v 秒之后"},
	{"  the tool is out for the rest of the task", "  本任务内不再使用这个工具"},
	{"  no tool reads the page as it is served any more", "  该目标不再用静态读取"},
	{"  not tried again: %s", "  不重试：%s"},
	{"carry a task on the web out, over the tools that are configured", "执行网络任务，使用已配置的工具"},
	{"`FILE|-` with the tools and how each is asked (default: web.yaml of the home)", "说明有哪些工具、如何调用的 `FILE|-`（默认：主目录的 web.yaml）"},
	{"how long a call may take (default and most: `30s`)", "一次调用的时限（默认且最长：`30s`）"},
	{"show a task on the web as it stands", "显示网络任务的现状"},
	{"wait for its end, or until it asks somebody", "等到结束，或等到它要问人"},
	{"it waits for a person: %s, or --no; then `baton web show %s --wait`", "等待用户：%s，或 --no；然后 `baton web show %s --wait`"},
	{"  alone, a task ends %s: %s", "  仅此一个目标时，任务结束于 %s：%s"},
}
