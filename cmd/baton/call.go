package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

func (a *app) callCommand() *cobra.Command {
	return a.group("call", "a call is one use of one skill", `
baton call open --skill tavily --intent "latest on agents" --reads research.brief --writes research.raw
baton call close --id c001 --status ok --output count=3 --note "3 good sources"
baton call list`,
		a.callOpen(), a.callClose(), a.callList(), a.callShow(), a.callSuspend(), a.callResume(), a.callClaim(), a.callBeat(), a.callStream())
}

func (a *app) callOpen() *cobra.Command {
	var c sessions.Open
	var inputs []string
	return a.verb(verb{
		use: "open --skill N --intent T [--input K=V]… [--reads K]… [--writes K]…", short: "open a call and get its envelope",
		example: `baton call open --skill tavily --intent "latest on agents" --input query="AI agents 2026" --reads research.brief --writes research.raw`,
		need:    []string{"skill", "intent"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&c.Skill, "skill", "", a.say("the skill that is used"))
			f.StringVar(&c.Intent, "intent", "", a.say("what it is to do"))
			f.StringArrayVar(&inputs, "input", nil, a.say("`K=V` given to the skill; V is JSON where it parses (repeat)"))
			f.StringArrayVar(&c.Reads, "reads", nil, a.say("context `KEY` that it reads (repeat)"))
			f.StringArrayVar(&c.Writes, "writes", nil, a.say("context `KEY` that it promises to write (repeat)"))
			f.StringVar(&c.Parent, "parent", "", a.say("`ID` of the call it belongs to, or none (default: the innermost open call)"))
			f.StringVar(&c.Queue, "queue", "", a.say("leave it on this queue for somebody to claim"))
		},
		run: func(ctx context.Context, _ []string) (err error) {
			if c.Inputs, err = valuePairs("input", inputs); err != nil {
				return err
			}
			if c.Queue != "" {
				c.Path = a.skillsPath() // a worker runs the skill's entry point
			}
			return tell(ctx, a, c, (*page).envelope)
		},
	})
}

func (p *page) envelope(e sessions.Envelope) {
	p.line("call %s: %s, %s", e.CallID, e.Skill, e.Intent)
	if e.Parent != "" {
		p.line("  parent  %s", e.Parent)
	}
	if e.Queue != "" {
		p.line("  queue   %s, %s", e.Queue, e.Status)
	}
	p.values("input", e.Inputs)
	p.values("context", e.ContextIn)
	if len(e.Missing) > 0 {
		p.line("  missing %s", strings.Join(e.Missing, " "))
	}
	if len(e.MustWrite) > 0 {
		p.line("  writes  %s", strings.Join(e.MustWrite, " "))
	}
	if e.LeaseUntil != nil {
		p.line("  attempt %d, lease until %s", e.Attempt, *e.LeaseUntil)
	}
}

func (p *page) values(what string, values map[string]json.RawMessage) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		p.line("  %s %s = %s", styled(pad(p.app.say(what), 7)), key, cut(shown(values[key]), 200))
	}
}

func (a *app) callClose() *cobra.Command {
	var c sessions.Close
	var outputs []string
	var usage string
	return a.verb(verb{
		use: "close [--id C] --status ok|partial|failed|skipped", short: "close a call with its result",
		example: `baton call close --id c001 --status ok --output count=3 --artifact report.md --note "3 good sources"`,
		need:    []string{"status"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&c.Call, "id", "", a.say("`ID` of the call (default: the innermost open one)"))
			f.StringVar(&c.Status, "status", "", a.say("`ok|partial|failed|skipped`"))
			f.StringArrayVar(&outputs, "output", nil, a.say("`K=V` written to the context; V is JSON where it parses (repeat)"))
			f.StringArrayVar(&c.Artifacts, "artifact", nil, a.say("`PATH` of a file that was made (repeat)"))
			f.StringVar(&c.Note, "note", "", a.say("a word on it"))
			f.StringVar(&usage, "usage", "", a.say("`JSON` object of what it used: tokens, money, seconds"))
			f.IntVar(&c.Attempt, "attempt", 0, a.say("number of the attempt, for a call that was claimed"))
		},
		run: func(ctx context.Context, _ []string) (err error) {
			if c.Outputs, err = valuePairs("output", outputs); err != nil {
				return err
			}
			if c.Usage, err = jsonObject("usage", usage); err != nil {
				return err
			}
			return tell(ctx, a, c, (*page).closed)
		},
	})
}

func (p *page) closed(c sessions.CloseAnswer) {
	p.line("call %s closed: %s", c.CallID, p.status(c.Status, 0))
	if len(c.MissingWrites) > 0 {
		p.line("  promised and not written: %s", strings.Join(c.MissingWrites, " "))
	}
	p.stack(c.Stack)
}

func (p *page) stack(calls []string) {
	if len(calls) > 0 {
		p.line("  stack: %s", strings.Join(calls, " → "))
	}
}

func (a *app) callList() *cobra.Command {
	var open bool
	return a.verb(verb{
		use: "list [--open]", short: "list the calls of the session", example: `baton call list --open`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&open, "open", false, a.say("only those that are not over")) },
		run: func(ctx context.Context, _ []string) error {
			return a.within(ctx, func(l *link, session string) error {
				raw, err := l.Query(ctx, "call.list", session, engine.None{})
				rows, err := engine.As[[]sessions.Row](raw, err)
				if err != nil {
					return err
				}
				if open {
					rows = operation.OpenRows(rows)
				}
				return a.answer(rows, func(p *page) error { p.calls(rows); return nil })
			})
		},
	})
}

func (p *page) calls(list []sessions.Row) {
	var rows [][]string
	for _, r := range list {
		rows = append(rows, []string{r.CallID, r.Status, r.Skill, clock(r.OpenedAt), cut(r.Intent, 60)})
	}
	if len(rows) == 0 {
		p.line("there is no call yet; open one with `baton call open`")
		return
	}
	p.rows([]string{"call", "status", "skill", "opened", "intent"}, rows)
}
