package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/sessions"
)

func (a *app) taskCommand() *cobra.Command {
	return a.group("task", a.taskSay("chains of research: how a query is worked on"), `baton task route "find papers on 3D nystagmus"`, a.taskRoute(), a.taskRun(), a.taskStop(), a.taskDelegate(), a.taskData())
}

func (a *app) taskRoute() *cobra.Command {
	var known, hint, profile string
	return a.verb(verb{
		use: "route QUERY", short: a.taskSay("decide mode, chain, genes and delegations for a query"),
		example: `
baton task route "find papers on 3D nystagmus"
baton task route 同时搜索VOR和BPPV两个方向的文献并分析矛盾 --json
baton task route "download these papers" --context '{"items":25}'`, args: exactly("QUERY"),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&known, "context", "{}", a.taskSay("`JSON` object of what the session knows: executed, outputs, items, subtasks, single_source, biomedical"))
			f.StringVar(&hint, "mode-hint", "auto", a.taskSay("`auto|simple|exploratory|research|parallel`, in place of the words of the query"))
			f.StringVar(&profile, "profile", "current", a.taskSay("`current|legacy`: legacy says only how far a query reaches"))
		},
		run: func(ctx context.Context, args []string) error {
			data, router, err := a.taskRouter()
			if err != nil {
				return a.taskRefusal(err)
			}
			switch profile {
			case "legacy":
				reach := router.Legacy(args[0])
				return a.answer(reach, func(p *page) error { p.taskReach(reach); return nil })
			case "current":
			default:
				return sessions.Refuse(sessions.Usage, "bad_value", "use current or legacy", "--profile %q is no profile", profile)
			}
			req := task.Request{Query: args[0], ModeHint: hint}
			if req.Context, err = task.ReadContext([]byte(known)); err != nil {
				return a.taskRefusal(err)
			}
			d, err := router.Route(req)
			if err != nil {
				return a.taskRefusal(err)
			}
			ask := sessions.RouteTask{Router: "task", Task: req.Query, Tables: host.TaskTables(data)}
			if err := a.record(ctx, ask, operation.TaskInput{Query: req.Query, Context: json.RawMessage(known), ModeHint: hint}); err != nil {
				return err
			}
			return a.answer(d, func(p *page) error { p.taskDecision(d); return nil })
		},
	})
}

// taskRouter goes by the rules and genes of the home where it has them, else by those of the binary.
func (a *app) taskRouter() (task.Data, task.Router, error) {
	home, err := a.homeDir()
	if err != nil {
		return task.Data{}, task.Router{}, err
	}
	return home.TaskRouter()
}

// taskRefusal puts a refusal of the router into the words of a refusal of the command.
func (a *app) taskRefusal(err error) error {
	var r *task.Refusal
	if errors.As(err, &r) {
		return sessions.Refuse(sessions.Usage, r.Code, a.taskSay(r.Hint), "%s", r.Message)
	}
	return err
}

func (p *page) taskReach(r task.Reach) {
	p.line("%s", r.Complexity)
	for i, skill := range r.Chain {
		p.line("%3d. %s", i+1, skill)
	}
}

func (p *page) taskDecision(d task.Decision) {
	if d.Plan == nil {
		p.line(p.app.taskSay("slash: the skill %s alone"), d.Skill)
		p.line(p.app.taskSay("goal: %s"), d.Goal)
		return
	}
	if word := d.Matched[d.Rule]; word != "" {
		p.line(p.app.taskSay("%s, by the rule %s: %s"), d.Route, d.Rule, word)
	} else {
		p.line(p.app.taskSay("%s, by the rule %s"), d.Route, d.Rule)
	}
	p.line("%s", p.app.taskSay(modeSentences[d.Route]))
	for i, skill := range d.AtomChain {
		genes := join(d.Genes.Atoms[i].IDs)
		if i < d.StartAt {
			genes += "  " + p.app.taskSay("done")
		}
		p.line("%3d. %s  %s", i+1, styled(pad(skill, 24)), genes)
	}
	p.line(p.app.taskSay("genes: %d active, %d silent"), d.Genes.Activated, d.Genes.Suppressed)
	p.taskChildren(d.Delegations)
	if len(d.Status.Alternatives) > 0 {
		p.line(p.app.taskSay("other rules with a word in it: %s"), join(d.Status.Alternatives))
	}
	for _, note := range d.Notes {
		p.line(p.app.taskSay("note: %s"), p.app.taskSay(cmp.Or(noteSentences[note], note)))
	}
}

func (p *page) taskChildren(list []task.Delegation) {
	for _, child := range list {
		s := child.Scope
		switch {
		case s == nil:
			p.line("%s", p.app.taskSay("one child gets the query as it is, with an empty context"))
		case s.FirstItem == 0:
			p.line(p.app.taskSay("child %d of %d: %s"), s.Index, s.Of, s.Item)
		case s.Item == "":
			p.line(p.app.taskSay("child %d of %d: items %d to %d"), s.Index, s.Of, s.FirstItem, s.FirstItem+s.ItemCount-1)
		default:
			p.line(p.app.taskSay("child %d of %d: %s, items %d to %d"), s.Index, s.Of, s.Item, s.FirstItem, s.FirstItem+s.ItemCount-1)
		}
	}
}

// modeSentences say for people how each mode goes.
var modeSentences = map[string]string{
	task.Standard:    "each atom is handed the outputs of those before it; a failure stops the chain",
	task.Exploratory: "the chain is a cycle, run until the target is met or nothing improves",
	task.Research:    "an outer loop plans and reviews, an inner one executes",
	task.Parallel:    "each child runs the chain on its own; one join brings the results together",
}

// noteSentences say for people what the notes of a decision mean.
var noteSentences = map[string]string{
	"parallel_unsplittable": "parallel work is asked for, and no two targets are named",
}

// taskSay gives a text of the task commands in the user's language.
func (a *app) taskSay(text string) string {
	if i := slices.IndexFunc(taskTexts, func(pair [2]string) bool { return pair[0] == text }); i >= 0 && a.lang == "zh" {
		return taskTexts[i][1]
	}
	return text
}

// taskTexts gives the Chinese for each English text of the task commands.
var taskTexts = [][2]string{
	{"chains of research: how a query is worked on", "研究链：一个查询怎么做"},
	{"decide mode, chain, genes and delegations for a query", "为查询决定模式、原子链、基因与派发"},
	{"`JSON` object of what the session knows: executed, outputs, items, subtasks, single_source, biomedical", "会话已知情况的 `JSON` 对象：executed、outputs、items、subtasks、single_source、biomedical"},
	{"`auto|simple|exploratory|research|parallel`, in place of the words of the query", "`auto|simple|exploratory|research|parallel`，代替查询里的词"},
	{"`current|legacy`: legacy says only how far a query reaches", "`current|legacy`：legacy 只说查询要走多远"},
	{"route a query and run its chain; outputs/<session>/ holds what came of it", "路由查询并执行原子链；结果在 outputs/<session>/"},
	{"`JSON` object of what the session knows, as for task route, and for a loop: target, metric, baseline", "会话已知情况的 `JSON` 对象，同 task route；循环另有 target、metric、baseline"},
	{"%d rounds, ended by %s", "%d 轮，结束原因：%s"},
	{"read first: %s", "先看：%s"},
	{"report: %s", "报告：%s"},
	{"end a loop after the cycle that runs; what it has is kept", "让循环在当前一轮之后结束；已有结果保留"},
	{"run %s ends after the cycle that runs", "运行 %s 将在当前一轮之后结束"},
	{"end it with `baton workflow cancel`", "用 `baton workflow cancel` 结束它"},
	{"hand a query to a child: as it is, with an empty context, at most ten items each", "把查询派给子任务：原话、空上下文、每个至多十项"},
	{"what the child is told; anything but the query is refused", "告诉子任务的话；只许是查询原话"},
	{"what it is told beside; anything is refused, it knows by itself how to go about it", "另外告诉它的话；一律拒绝，它自己知道怎么做"},
	{"`JSON` list of things to be worked on one by one; more than ten are split over several children", "逐项处理的 `JSON` 列表；超过十项则拆给多个子任务"},
	{"of terminal, file, web, skills (default: all)", "terminal、file、web、skills 之中（默认全部）"},
	{lintHints["E_CONTEXT_NOT_EMPTY"], "去掉 --context：子任务知道自己的技能"},
	{lintHints["E_GOAL_NOT_VERBATIM"], "去掉 --goal：子任务只听查询原话"},
	{lintHints["E_NESTED_DELEGATION"], "在这里做完，或交回去：子任务不再派子任务"},
	{lintHints["E_TOOLSET"], "用 terminal、file、web 和 skills"},
	{"print a table of the task router, or its JSON Schema", "打印任务路由的数据表，或其 JSON Schema"},
	{"the JSON Schema of the table", "数据表的 JSON Schema"},
	{"print the template that would be run, and run nothing", "只打印将要执行的模板，什么也不执行"},
	{"slash: the skill %s alone", "斜杠：只用技能 %s"},
	{"goal: %s", "目标：%s"},
	{"%s, by the rule %s: %s", "%s，依规则 %s：%s"},
	{"%s, by the rule %s", "%s，依规则 %s"},
	{modeSentences[task.Standard], "每个原子得到前面各原子的输出；一处失败，全链即停"},
	{modeSentences[task.Exploratory], "全链为一轮，反复执行，直到达成目标或不再有进展"},
	{modeSentences[task.Research], "外循环规划与审查，内循环执行"},
	{modeSentences[task.Parallel], "每个子任务各自走完全链，最后汇总一次"},
	{"done", "已完成"},
	{"genes: %d active, %d silent", "基因：激活 %d 条，沉默 %d 条"},
	{"one child gets the query as it is, with an empty context", "一个子任务：目标即原话，上下文为空"},
	{"child %d of %d: %s", "子任务 %d/%d：%s"},
	{"child %d of %d: items %d to %d", "子任务 %d/%d：第 %d 至 %d 项"},
	{"child %d of %d: %s, items %d to %d", "子任务 %d/%d：%s，第 %d 至 %d 项"},
	{"other rules with a word in it: %s", "另有词语命中的规则：%s"},
	{"note: %s", "注：%s"},
	{noteSentences["parallel_unsplittable"], "说要并行，却找不到两个目标"},
	{"say what is to be done", "说明要做什么"},
	{"use auto, simple, exploratory, research or parallel", "用 auto、simple、exploratory、research 或 parallel"},
}
