package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
)

// skillsCache shows what the server holds of loaded skills, which outlives the command.
func (a *app) skillsCache() *cobra.Command {
	return a.group("cache", "the loaded skills that the server holds, five at most", `
baton skills cache stats
baton skills cache load tavily
baton skills cache evict tavily`,
		a.verb(verb{
			use: "stats", short: "list the loaded skills, the one used last first", example: `baton skills cache stats`,
			run: func(ctx context.Context, _ []string) error {
				return a.linked(ctx, func(l *link) error {
					raw, err := a.aboutSkill(ctx, l, "skills.loaded", "")
					return reply(a, raw, err, (*page).cached)
				})
			},
		}),
		a.verb(verb{
			use: "load N", short: "load a skill's text, as activating it does", args: exactly("N"), example: `baton skills cache load tavily`,
			run: func(ctx context.Context, args []string) error {
				return a.linked(ctx, func(l *link) error {
					raw, err := a.aboutSkill(ctx, l, "skills.load", args[0])
					return a.loaded(raw, err)
				})
			},
		}),
		a.verb(verb{
			use: "evict N", short: "let a loaded skill go", args: exactly("N"), example: `baton skills cache evict tavily`,
			run: func(ctx context.Context, args []string) error {
				return a.linked(ctx, func(l *link) error {
					raw, err := a.aboutSkill(ctx, l, "skills.evict", args[0])
					return a.evicted(raw, err)
				})
			},
		}))
}

func (p *page) cached(c host.CacheStats) {
	for _, b := range c.Loaded {
		p.line("%s  %d bytes, loaded %s  %s", b.Name, b.Bytes, b.LoadedAt, b.File)
	}
	p.line("%d of %d loaded, %d bytes; %d skills in the index", c.Count, c.Max, c.ApproxBytes, c.IndexSkills)
}

// loaded prints what was loaded without its text, for which there is show.
func (a *app) loaded(raw json.RawMessage, err error) error {
	got, err := engine.As[operation.Loaded](raw, err)
	if err != nil {
		return err
	}
	out := map[string]any{"loaded": got.Loaded, "scripts": got.Scripts, "loaded_at": got.LoadedAt}
	return a.answer(out, func(p *page) error {
		p.line("%s loaded, %d bytes, scripts: %s", got.Loaded, len(got.Body), join(got.Scripts))
		return nil
	})
}

func (a *app) evicted(raw json.RawMessage, err error) error {
	got, err := engine.As[host.Evicted](raw, err)
	if err != nil {
		return err
	}
	err = a.answer(got, func(p *page) error {
		if got.OK {
			p.line("%s is no longer loaded", got.Evicted)
		} else {
			p.line("%s was not loaded", got.Evicted)
		}
		return nil
	})
	if err == nil && !got.OK {
		return answered(exitFailed)
	}
	return err
}
