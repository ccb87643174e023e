package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/bench"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/sessions"
)

// benchCommand measures this machine on a store of its own; the installation is not touched.
func (a *app) benchCommand() *cobra.Command {
	var keep, only, durability string
	c := bench.Config{Events: 10_000, Steps: 1000}
	return a.verb(verb{
		use: "bench [--only PART,…] [--keep DIR]", short: "measure this machine: steps against plain publishes on the same server",
		example: `
baton bench
baton bench --only chain --payload 0 --json
baton bench --keep /tmp/measured && baton --home /tmp/measured audit verify`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&only, "only", "", a.say("`PARTS` to measure, comma-separated")+": "+strings.Join(bench.Parts(), ","))
			f.StringVar(&keep, "keep", "", a.say("`DIR` that becomes the home of what was measured, and stays (default: a temporary folder in the home)"))
			f.StringVar(&durability, "durability", "", a.say("`CLASS` of the measured server: group, always or interval=D (default: as configured)"))
			f.IntVar(&c.Payload, "payload", 200, a.say("bytes that each step takes and gives; 0: steps that do nothing"))
			f.IntVar(&c.Runs, "runs", 64, a.say("runs at once"))
			f.IntVar(&c.Branch, "branches", 1000, a.say("branches of the fan-out"))
			f.DurationVar(&c.For, "for", 3*time.Second, a.say("how long each chain is measured"))
		},
		run: func(ctx context.Context, _ []string) error {
			if only != "" {
				c.Only = strings.Split(only, ",")
			}
			if err := checkBench(c); err != nil {
				return err
			}
			return a.bench(ctx, c, keep, durability)
		},
	})
}

func checkBench(c bench.Config) error {
	for _, check := range []struct {
		flag     string
		got      int
		from, to int
	}{{"payload", c.Payload, 0, 32 << 10}, {"runs", c.Runs, 1, 500}, {"branches", c.Branch, 1, 10_000}} {
		if check.got < check.from || check.got > check.to {
			return sessions.Refuse(sessions.Usage, "bad_value", "see `baton bench -h`", "--%s %d is not from %d to %d", check.flag, check.got, check.from, check.to)
		}
	}
	if c.For < 50*time.Millisecond || c.For > time.Minute {
		return sessions.Refuse(sessions.Usage, "bad_value", "use a duration like 3s", "--for %s is not from 50ms to 1m", c.For)
	}
	return nil
}

func (a *app) bench(ctx context.Context, c bench.Config, keep, durability string) (err error) {
	typed := map[string]any{}
	if durability != "" {
		typed["durability"] = durability
	}
	if c.Host, err = a.hostOptions("default", typed); err != nil {
		return err
	}
	c.Host.NATS, c.Host.Creds = a.nats, "" // a cluster is measured, and written to, only when it is named
	home, remove, err := benchHome(c.Host.Home, keep)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	a.collectLess() // as the server does
	c.Host.Home, c.Say = home, func(part string) { a.notice(a.say("measuring %s"), part) }
	log, err := os.OpenFile(home.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c.Host.Log = log
	binary, err := self()
	if err != nil {
		return err
	}
	c.Command = []string{binary}
	got, err := bench.Run(ctx, c)
	if err != nil {
		return err
	}
	return a.answer(got, func(p *page) error { return p.bench(got) })
}

// benchHome makes the home of what is measured: on the disk of the installation, since that is what counts.
func benchHome(own host.Home, keep string) (home host.Home, remove func() error, err error) {
	if keep != "" {
		dir, err := filepath.Abs(keep)
		if err != nil {
			return home, nil, err
		}
		if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return home, nil, sessions.Refuse(sessions.Conflict, "bench_home_taken", "name a folder that is empty or not there", "%s cannot become the home of what is measured", dir)
		}
		home = host.Home{Dir: dir}
		return home, func() error { return nil }, home.Open()
	}
	if err := own.Open(); err != nil {
		return home, nil, err
	}
	dir, err := os.MkdirTemp(own.Dir, "bench-")
	return host.Home{Dir: dir}, func() error { return os.RemoveAll(dir) }, err
}

func (p *page) bench(r bench.Report) error {
	p.line("%s", r.Machine)
	p.line("durability %s, %d bytes a step", r.Durability, r.Payload)
	rows := make([][]string, 0, len(r.Results))
	for _, one := range r.Results {
		ratio := ""
		if one.Ratio != nil {
			ratio = bench.Figure(*one.Ratio)
		}
		rows = append(rows, []string{one.Name, bench.Figure(one.Value), one.Unit, ratio, one.Of})
	}
	p.rows([]string{"WHAT", "FIGURE", "UNIT", "RATIO", "OF"}, rows)
	return nil
}
