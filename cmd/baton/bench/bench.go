// Package bench measures an installation with the very parts that serve it.
//
// It runs the server in this process on a home of its own, measures plain publishes on the server's own
// log first, and then the work: every step goes through the table of executors, the pool and the claim as
// any other does, and stands in the log afterwards. What is measured is told as figures and as ratios to
// those plain publishes, so that they mean something on any machine.
//
// A plain publish is one request with the bytes of a commit, answered when it is as durable as the class
// promises. The bytes are true commits of sessions of their own, made beforehand, so that the log stays whole.
package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/sessions"
)

// Config says what to measure.
type Config struct {
	Host    host.Options      // what the measured server is started with; its home is this run's own
	Payload int               // bytes that each step takes and gives; 0: steps that do nothing at all
	Runs    int               // at once, in the busy chain
	Branch  int               // branches of the fan-out
	For     time.Duration     // how long each chain is measured
	Events  int               // of the session that is replayed
	Steps   int               // of the run that is interrupted and resumed
	Only    []string          // parts to measure; empty: all
	Command []string          // this program, for the cost of a command; empty leaves that out
	Say     func(part string) // is told what is measured next; nil: nobody is
}

// Result is one figure.
type Result struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Unit  string   `json:"unit"`
	Ratio *float64 `json:"ratio"` // to what Of names; null where it is compared with nothing
	Of    string   `json:"of"`
}

// Report is what was measured.
type Report struct {
	Machine    string   `json:"machine"`
	Durability string   `json:"durability"`
	Payload    int      `json:"payload"`
	Results    []Result `json:"results"`
}

// part is one thing that can be measured on a server with a number of slots.
type part struct {
	name    string
	slots   func(Config) int
	measure func(context.Context, *bench) error
}

// parts lists them in the order in which they are measured. Adding one is a function and a line.
var parts = []part{
	{"chain", spare, chainAlone},
	{"chain-many", spare, chainMany},
	{"chain-files", spare, chainFiled},
	{"fan-out", func(Config) int { return 64 }, fanOut},
	{"fan-out-8", func(Config) int { return 8 }, fanOut},
	{"replay", spare, replay},
	{"route", spare, route},
	{"command", spare, command},
	{"resume", spare, resume},
}

// spare are slots enough for a run not to wait for one that the run before it has yet to give back.
func spare(c Config) int { return min(2*c.Runs, 1000) }

// Parts names what can be measured.
func Parts() []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.name)
	}
	return out
}

// Run measures. The home is left as it is when it ends.
func Run(ctx context.Context, c Config) (Report, error) {
	for _, name := range c.Only {
		if !slices.Contains(Parts(), name) {
			return Report{}, sessions.Refuse(sessions.Usage, "bench_part_unknown", "use "+strings.Join(Parts(), ", "), "there is no part %q to measure", name)
		}
	}
	b := &bench{Config: c, report: Report{Machine: machine(), Payload: c.Payload, Results: []Result{}}, raw: map[int]rate{}}
	if err := b.prepare(); err != nil {
		return b.report, err
	}
	for _, p := range parts {
		if len(c.Only) > 0 && !slices.Contains(c.Only, p.name) {
			continue
		}
		if c.Say != nil {
			c.Say(p.name)
		}
		if err := p.measure(ctx, b.on(p.slots(c))); err != nil {
			return b.report, fmt.Errorf("measure %s: %w", p.name, err)
		}
	}
	return b.report, nil
}

// bench is one run of all parts on one home.
type bench struct {
	Config
	report Report
	raw    map[int]rate // plain publishes, by the number of publishers
	runs   int          // started so far
	*witness
}

// prepare makes the skills and folders that parts need.
func (b *bench) prepare() error {
	b.Host.NoHTTP, b.Host.Queues = true, []string{"default"}
	env := map[string]string{"HOME": b.Host.Home.Dir, "BATON_SKILLS_PATH": b.skills()}
	for name, value := range b.Host.Env {
		if name == "PATH" || name == "TMPDIR" {
			env[name] = value
		}
	}
	b.Host.Env = env
	return errors.Join(os.MkdirAll(b.workspace(), 0o700), makeSkills(b.skills(), skillCount))
}

func (b *bench) skills() string    { return filepath.Join(b.Host.Home.Dir, "bench-skills") }
func (b *bench) workspace() string { return filepath.Join(b.Host.Home.Dir, "bench-work") }

// on is the bench with a server of so many slots.
func (b *bench) on(slots int) *bench {
	b.Host.Workers = slots
	b.witness = newWitness()
	b.Host.Watch = host.Watch{Executor: b.executor, Committed: b.committed}
	return b
}

// within works on a server of this home. Plain publishes are measured before it does anything.
func (b *bench) within(ctx context.Context, work func(context.Context, *host.Server) error, publishers ...int) error {
	return host.Within(ctx, b.Host, func(ctx context.Context, store store) error {
		for _, n := range publishers {
			if err := b.publish(ctx, store, n); err != nil {
				return fmt.Errorf("publish: %w", err)
			}
		}
		return nil
	}, func(ctx context.Context, s *host.Server) error {
		b.report.Durability = s.Durability()
		if err := b.settled(ctx, s); err != nil {
			return err
		}
		return work(ctx, s)
	})
}

// settled waits until the server's readers have caught up, so that they do not take part in what follows.
func (b *bench) settled(ctx context.Context, s *host.Server) error {
	head, err := s.Store().Head(ctx)
	if err != nil {
		return err
	}
	return s.Projector().Reached(ctx, head)
}

func (b *bench) add(name string, value float64, unit string) {
	b.report.Results = append(b.report.Results, Result{Name: name, Value: value, Unit: unit})
}

// compare adds a figure with its ratio to another.
func (b *bench) compare(name string, value float64, unit string, to float64, of string) {
	ratio := value / to
	b.report.Results = append(b.report.Results, Result{Name: name, Value: value, Unit: unit, Ratio: &ratio, Of: of})
}

// Figure writes a figure with three digits that count, as far as it has them.
func Figure(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 3-min(1, int(v)), 64)
}
