package main

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/schedules"
	"github.com/batonflow/baton/workflows/template"
)

func (a *app) workflowSchedule() *cobra.Command {
	var set events.ScheduleSet
	var inputs []string
	c := a.verb(verb{
		use: "schedule T --cron LINE [--tz ZONE] [--overlap skip|queue|allow] [--input K=V]…", short: "run a template at certain times; `schedule list|pause|resume|remove`",
		example: `
baton workflow schedule report --cron "0 9 * * 1-5" --tz Europe/Berlin --input topic="AI agents"
baton workflow schedule list
baton workflow schedule pause report`,
		args: exactly("T"), need: []string{"cron"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&set.Cron, "cron", "", a.say("`LINE` of minute, hour, day, month, weekday"))
			f.StringVar(&set.Zone, "tz", "UTC", a.say("time `ZONE` of the line, like Europe/Berlin"))
			f.StringVar(&set.Overlap, "overlap", schedules.Skip, a.say("`skip|queue|allow`: what becomes of a run when the one before has not ended"))
			f.StringVar(&set.Schedule, "name", "", a.say("`NAME` of the schedule (default: the template's)"))
			f.StringArrayVar(&inputs, "input", nil, a.say("`K=V` of the template's inputs; V is JSON where it parses (repeat)"))
		},
		run: func(ctx context.Context, args []string) (err error) {
			if err := a.fillSchedule(&set, args[0]); err != nil {
				return err
			}
			if set.Inputs, err = valuePairs("input", inputs); err != nil {
				return err
			}
			return a.scheduled(ctx, "schedule.set", schedules.Set{ScheduleSet: set})
		},
	})
	c.AddCommand(a.scheduleList(), a.schedulePause(), a.scheduleResume(), a.scheduleRemove())
	return c
}

// fillSchedule takes the template as it is now: a run that comes later is of this text.
func (a *app) fillSchedule(set *events.ScheduleSet, name string) error {
	templates, s, err := a.template(name)
	if err != nil {
		return err
	}
	templates.Known = template.Known{} // its limits may be set by then
	start, err := a.newStart(templates, s)
	if err != nil {
		return err
	}
	set.Name, set.Text, set.SHA256, set.Path = start.Name, start.Text, template.Digest([]byte(start.Text)), start.Path
	set.Workspace, set.Folder, set.Env, set.Templates, set.By = start.Workspace, filepath.Dir(s.Path), start.Env, start.Templates, a.actor()
	if set.Schedule == "" {
		set.Schedule = strings.ToLower(s.Name)
	}
	return nil
}

func (a *app) scheduled(ctx context.Context, query string, change schedules.Command) error {
	return a.linked(ctx, func(l *link) error {
		raw, err := l.Query(ctx, query, "", change)
		return reply(a, raw, err, (*page).schedule)
	})
}

func (p *page) schedule(r schedules.Row) {
	p.line("schedule %s  %s  %s", r.Name, p.status(r.Status, 0), r.Template)
	p.line("  %s %s, overlap %s", r.Cron, r.Zone, r.Overlap)
	if !r.Next.IsZero() {
		p.line("  next    %s", r.Next)
	}
	if r.LastRun != "" {
		p.line("  last    %s, run %s", r.LastAt, r.LastRun)
	}
}

func (a *app) scheduleList() *cobra.Command {
	return a.verb(verb{
		use: "list", short: "list the schedules", example: "baton workflow schedule list --json",
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				raw, err := l.Query(ctx, "schedule.list", "", engine.None{})
				return reply(a, raw, err, (*page).schedules)
			})
		},
	})
}

func (p *page) schedules(list []schedules.Row) {
	var rows [][]string
	for _, r := range list {
		rows = append(rows, []string{r.Name, r.Status, r.Cron, r.Zone, clock(r.Next), strconv.Itoa(r.Fired), strconv.Itoa(r.Skipped), r.LastRun})
	}
	if len(rows) == 0 {
		p.line("there is no schedule yet; `baton workflow schedule -h` shows how to make one")
		return
	}
	p.rows([]string{"schedule", "status", "cron", "zone", "next", "fired", "skipped", "last run"}, rows)
}

func (a *app) schedulePause() *cobra.Command {
	var reason string
	return a.verb(verb{
		use: "pause NAME [--reason R]", short: "start nothing until it is resumed", example: `baton workflow schedule pause report --reason "holidays"`, args: exactly("NAME"),
		flags: func(f *pflag.FlagSet) { f.StringVar(&reason, "reason", "", a.say("why")) },
		run: func(ctx context.Context, args []string) error {
			return a.scheduled(ctx, "schedule.pause", schedules.Pause{Schedule: args[0], By: a.actor(), Reason: reason})
		},
	})
}

func (a *app) scheduleResume() *cobra.Command {
	return a.verb(verb{
		use: "resume NAME", short: "go on with a paused schedule; what it has missed stays so", example: "baton workflow schedule resume report", args: exactly("NAME"),
		run: func(ctx context.Context, args []string) error {
			return a.scheduled(ctx, "schedule.resume", schedules.Resume{Schedule: args[0], By: a.actor()})
		},
	})
}

func (a *app) scheduleRemove() *cobra.Command {
	return a.verb(verb{
		use: "remove NAME", short: "end a schedule; runs that it started go on", example: "baton workflow schedule remove report", args: exactly("NAME"),
		run: func(ctx context.Context, args []string) error {
			return a.scheduled(ctx, "schedule.remove", schedules.Remove{Schedule: args[0], By: a.actor()})
		},
	})
}
