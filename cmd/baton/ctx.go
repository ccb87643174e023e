package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

func (a *app) ctxCommand() *cobra.Command {
	return a.group("ctx", "the context: named values with revisions that calls hand on", `
baton ctx set research.raw '{"sources":3}' --json-value
baton ctx get research.raw
baton ctx history research.raw`,
		a.ctxSet(), a.ctxGet(), a.ctxDel(), a.ctxList(), a.ctxHistory(), a.ctxRollback())
}

func (a *app) ctxSet() *cobra.Command {
	var asValue bool
	var file, by string
	return a.verb(verb{
		use: "set K [V] [--json-value] [--from-file PATH|-]", short: "write a value",
		example: `baton ctx set research.raw '{"sources":3}' --json-value`, args: between(1, "K", "V"),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&asValue, "json-value", false, a.say("V is JSON"))
			f.StringVar(&file, "from-file", "", a.say("take the value from the file at `PATH`, or from stdin with -"))
			f.StringVar(&by, "by", "", a.say("who writes (default: the skill of the innermost open call)"))
		},
		run: func(ctx context.Context, args []string) error {
			if (len(args) == 2) == (file != "") {
				return sessions.Refuse(sessions.Usage, "argument_missing", "give V, or --from-file PATH, one of the two", "baton ctx set needs one value")
			}
			if err := sessions.CheckKey(args[0]); err != nil {
				return err
			}
			raw, err := a.valueOf(args, file, asValue)
			if err != nil {
				return err
			}
			c := sessions.SetContext{Key: args[0], Value: events.Value{JSON: raw}, By: by}
			if a.session == "" && a.Env("BATON_SESSION") != "" {
				c.Call = a.Env("BATON_CALL")
			}
			return tell(ctx, a, c, func(p *page, w sessions.Written) { p.line("%s = revision %d", w.Key, w.Rev) })
		},
	})
}

// valueOf reads the value: as JSON when that is asked for, else as text. The seed's --json is the
// output format here, so with it an object or an array is taken as JSON too.
func (a *app) valueOf(args []string, file string, asValue bool) (json.RawMessage, error) {
	key, text := args[0], args[len(args)-1]
	if file != "" {
		raw, err := a.readFrom(file, maxValue)
		if err != nil {
			return nil, err
		}
		text = string(raw)
	}
	raw, ok := asJSON(text)
	switch {
	case asValue && !ok:
		return nil, sessions.Refuse(sessions.Usage, "bad_json", "give one JSON value, or leave --json-value out to store text", "the value of %s: %v", key, errNoJSON)
	case asValue, ok && a.json && (raw[0] == '{' || raw[0] == '['):
		return raw, nil
	}
	return asText(key, text)
}

func (a *app) ctxGet() *cobra.Command {
	return a.verb(verb{
		use: "get K", short: "print a value", example: `baton ctx get research.raw`, args: exactly("K"),
		run: func(ctx context.Context, args []string) error {
			return look(ctx, a, "context.get", engine.KeyAsk{Key: args[0]}, func(p *page, w sessions.Written) {
				p.value(w.Value)
			})
		},
	})
}

// value prints a value whole. Into a file or a pipe it goes byte for byte; on a terminal it is escaped.
func (p *page) value(raw json.RawMessage) {
	if isTerminal(p.app.out) {
		p.line("%s", shown(raw))
		return
	}
	p.text(shown(raw))
}

func (a *app) ctxDel() *cobra.Command {
	return a.verb(verb{
		use: "del K", short: "delete a value; its history stays", example: `baton ctx del research.raw`, args: exactly("K"),
		run: func(ctx context.Context, args []string) error {
			return tell(ctx, a, sessions.DeleteContext{Key: args[0]}, func(p *page, w sessions.Written) {
				p.line("%s deleted, revision %d", w.Key, w.Rev)
			})
		},
	})
}

func (a *app) ctxList() *cobra.Command {
	return a.verb(verb{
		use: "list [PREFIX]", short: "list the values; a prefix that ends in a dot lists a branch", example: `baton ctx list research.`, args: between(0, "PREFIX"),
		run: func(ctx context.Context, args []string) error {
			var q engine.KeyAsk
			if len(args) > 0 {
				q.Key = args[0]
			}
			return look(ctx, a, "context.list", q, func(p *page, list []sessions.Written) {
				var rows [][]string
				for _, w := range list {
					rows = append(rows, []string{w.Key, fmt.Sprint(w.Rev), w.WrittenBy, w.CallID, cut(shown(w.Value), 60)})
				}
				if len(rows) == 0 {
					p.line("there is no value")
					return
				}
				p.rows([]string{"key", "rev", "by", "call", "value"}, rows)
			})
		},
	})
}

func (a *app) ctxHistory() *cobra.Command {
	return a.verb(verb{
		use: "history K", short: "list every revision of a value", example: `baton ctx history research.raw`, args: exactly("K"),
		run: func(ctx context.Context, args []string) error {
			return look(ctx, a, "context.history", engine.KeyAsk{Key: args[0]}, func(p *page, list []sessions.Written) {
				var rows [][]string
				for _, w := range list {
					value := cut(shown(w.Value), 60)
					switch {
					case w.Deleted:
						value = p.app.say("(deleted)")
					case w.From > 0:
						value = fmt.Sprintf(p.app.say("(rolled back to %d)"), w.From) + " " + value
					}
					rows = append(rows, []string{fmt.Sprint(w.Rev), clock(w.Time), w.WrittenBy, w.CallID, value})
				}
				p.rows([]string{"rev", "time", "by", "call", "value"}, rows)
			})
		},
	})
}

func (a *app) ctxRollback() *cobra.Command {
	var to int
	return a.verb(verb{
		use: "rollback K --to REV", short: "make an earlier value current again", example: `baton ctx rollback research.raw --to 1`, args: exactly("K"),
		flags: func(f *pflag.FlagSet) {
			f.IntVar(&to, "to", 0, a.say("the `REV` to go back to"))
			f.IntVar(&to, "rev", 0, a.say("the same as --to"))
		},
		run: func(ctx context.Context, args []string) error {
			if to < 1 {
				return sessions.Refuse(sessions.Usage, "bad_value", "name a revision with --to; see `baton ctx history "+args[0]+"`", "revisions count from 1, not %d", to)
			}
			return tell(ctx, a, sessions.RollBackContext{Key: args[0], To: to}, func(p *page, w sessions.Written) {
				p.line("%s is at the value of revision %d again, as revision %d", w.Key, w.From, w.Rev)
			})
		},
	})
}
