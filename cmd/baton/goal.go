package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/entrypoint"
	"github.com/batonflow/baton/workflows"
)

func (a *app) sessionGoal() *cobra.Command {
	var evaluator string
	c := a.verb(verb{
		use: "goal [TEXT|clear]", short: a.goalSay("a condition that the session's runs are to meet; without TEXT it is shown"),
		example: `
baton session goal "a contradiction between VOR and BPPV is explained" --evaluator "./judge.sh"
baton session goal pursue
baton session goal answer satisfied --evidence "see as_03.json"
baton session goal clear`, args: between(0, "TEXT"),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&evaluator, "evaluator", "", a.goalSay("`COMMAND` that judges after each run, or agent[:NAME]; without it a person answers"))
		},
		run: func(ctx context.Context, args []string) error {
			switch {
			case len(args) == 0:
				return a.showGoal(ctx)
			case args[0] == "clear":
				return a.tellGoal(ctx, workflows.ClearGoal{By: a.actor()})
			}
			judge, err := evaluatorOf(evaluator)
			if err != nil {
				return err
			}
			return a.tellGoal(ctx, workflows.SetGoal{Condition: args[0], By: a.actor(), Evaluator: judge})
		},
	})
	c.AddCommand(a.goalAnswer(), a.goalPursue())
	return c
}

// evaluatorOf is how an evaluator is run: a command cut into words, which no shell sees, or an agent.
func evaluatorOf(text string) (json.RawMessage, error) {
	switch name, isAgent := strings.CutPrefix(text, "agent"); {
	case text == "":
		return nil, nil
	case isAgent && name == "":
		return json.RawMessage(`{"agent":{}}`), nil
	case isAgent && strings.HasPrefix(name, ":"):
		return events.Marshal(map[string]string{"agent": name[1:]})
	}
	argv, err := entrypoint.Argv(text, nil)
	if err != nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_value", "give a command and its arguments; a dollar sign is written $$", "--evaluator: %v", err)
	}
	return events.Marshal(map[string][]string{"exec": argv})
}

func (a *app) showGoal(ctx context.Context) error {
	return look(ctx, a, "goal.show", engine.None{}, (*page).goal)
}

func (a *app) tellGoal(ctx context.Context, c workflows.Command) error {
	return a.within(ctx, func(l *link, session string) error {
		raw, err := l.Do(ctx, session, c, a.meta())
		return reply(a, raw, err, (*page).goal)
	})
}

func (a *app) goalAnswer() *cobra.Command {
	var c workflows.EvaluateGoal
	return a.verb(verb{
		use: "answer OUTCOME --evidence T", short: a.goalSay("say whether the goal is met after a run, or what stands in the way"),
		example: `
baton session goal answer satisfied --evidence "see as_03.json"
baton session goal answer goal_not_met_yet --evidence "one direction is missing"`, args: exactly("OUTCOME"), need: []string{"evidence"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&c.Evidence, "evidence", "", a.goalSay("what it rests on"))
			f.StringVar(&c.Run, "run", "", a.goalSay("`ID` of the run that is judged (default: the newest)"))
		},
		run: func(ctx context.Context, args []string) error {
			c.Outcome, c.By = args[0], a.actor()
			return a.tellGoal(ctx, c)
		},
	})
}

func (p *page) goal(v workflows.GoalView) {
	if v.Goal == "" {
		p.line("%s", p.app.goalSay("the session has no goal"))
		return
	}
	p.line("%s  %s", p.status(v.Status, 0), v.Goal)
	for i, e := range v.Evaluations {
		p.line("%3d. %s  %s  (%s)", i+1, e.Outcome, e.Evidence, e.Reason)
	}
	if v.Status == "active" {
		p.line(p.app.goalSay("next: %s"), v.Next)
	}
}

// goalSay gives a text of the goal commands in the user's language.
func (a *app) goalSay(text string) string {
	if chinese, ok := goalTexts[text]; ok && a.lang == "zh" {
		return chinese
	}
	return text
}

// goalTexts gives the Chinese for each English text of the goal commands.
var goalTexts = map[string]string{
	"a condition that the session's runs are to meet; without TEXT it is shown":          "会话各次运行要达成的条件；不给 TEXT 则显示",
	"`COMMAND` that judges after each run, or agent[:NAME]; without it a person answers": "每次运行后作评判的 `COMMAND`，或 agent[:NAME]；没有则由人回答",
	"say whether the goal is met after a run, or what stands in the way":                 "说明运行之后目标是否达成，或卡在哪里",
	"what it rests on": "依据是什么",
	"`ID` of the run that is judged (default: the newest)":                                           "被评判的运行 `ID`（默认最新的）",
	"run towards the goal, judge, and go on while it is not met; what is recorded is not done again": "朝目标运行、评判，未达成就继续；已记录的不重做",
	"the session has no goal": "会话没有目标",
	"next: %s":                "下一步：%s",
	"run %s: %s, %s (%s)":     "运行 %s：%s，%s（%s）",
}
