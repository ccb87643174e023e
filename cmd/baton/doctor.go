package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workers/agent"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workers/shim"
)

// finding is what doctor says of one thing it looked at.
type finding struct {
	Name  string `json:"name"`
	Level string `json:"level"` // ok, warn, failed
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
	Code  string `json:"code,omitempty"` // of the refusal that whoever meets it gets
}

// health is the answer of doctor.
type health struct {
	OK     bool              `json:"ok"`
	Checks []finding         `json:"checks"`
	Env    map[string]string `json:"env"` // what steps get of this environment
}

func (a *app) doctorCommand() *cobra.Command {
	var repair bool
	return a.verb(verb{
		use: "doctor [--repair]", short: "check store, server, disk, skills, executors, agents; say what to do", example: `
baton doctor
baton doctor --repair`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&repair, "repair", false, a.say("give up what is quarantined, begin a new epoch and say what is lost"))
		},
		run: func(ctx context.Context, _ []string) error {
			if repair {
				return a.linked(ctx, func(l *link) error { return a.repair(ctx, l) })
			}
			h := health{OK: true, Checks: a.examine(ctx), Env: exec.AllowedEnv(a.environ)}
			for _, f := range h.Checks {
				h.OK = h.OK && f.Level != "failed"
			}
			if err := a.answer(h, func(p *page) error { p.health(h); return nil }); err != nil || h.OK {
				return err
			}
			if slices.ContainsFunc(h.Checks, finding.damaged) {
				return answered(exits[sessions.Damaged])
			}
			return answered(exitFailed)
		},
	})
}

// refused is a finding of what could not even be looked at.
func refused(name string, r *sessions.Refusal) finding {
	return finding{Name: name, Level: "failed", Found: r.Message, Do: r.Hint, Code: r.Code}
}

// damaged says whether the store is not as Baton left it.
func (f finding) damaged() bool {
	return f.Code == "session_quarantined" || strings.HasPrefix(f.Code, "store_") && f.Code != "store_locked"
}

func (p *page) health(h health) {
	for _, f := range h.Checks {
		p.line("%s %s  %s", p.status(f.Level, 6), styled(pad(f.Name, 10)), f.Found)
		if f.Do != "" {
			p.line("                   %s", f.Do)
		}
	}
}

// examine looks at everything. A server that cannot be reached leaves the other checks standing.
func (a *app) examine(ctx context.Context) []finding {
	out := []finding{a.examineHome(), a.examineClock()}
	out = append(out, a.examineAgents(), a.examineSandbox())
	l, err := a.connect(ctx)
	if err != nil {
		r, _ := a.refusal(err)
		return append(out, refused("server", r))
	}
	defer l.Close()
	return append(append(out, a.examineServer(ctx, l)...), a.examineSkills(ctx, l))
}

func (a *app) examineHome() finding {
	home, err := a.homeDir()
	if err == nil {
		err = home.Open()
	}
	if err != nil {
		r, _ := a.refusal(err)
		return refused("home", r)
	}
	f := finding{Name: "home", Level: "ok", Found: home.Dir}
	if free, ok := freeBytes(home.Dir); ok {
		f.Found = fmt.Sprintf("%s, %d MiB free", home.Dir, free>>20)
		if free < 1<<30 {
			f.Level, f.Do = "warn", "make room: under 1 GiB the log may soon be full"
		}
	}
	return f
}

// examineClock tells a clock that was never set: times in the log would be of no use.
func (a *app) examineClock() finding {
	now := a.now().UTC()
	f := finding{Name: "clock", Level: "ok", Found: now.Format(time.RFC3339)}
	if now.Year() < 2025 {
		f.Level, f.Do = "failed", "set the clock"
	}
	return f
}

func (a *app) examineAgents() finding {
	var found []string
	for _, p := range agent.Detect(a.variables()) {
		found = append(found, p.Name)
	}
	if len(found) == 0 {
		return finding{Name: "agents", Level: "warn", Found: "no coding-agent CLI is on PATH", Do: "`run: agent` needs one; skills without an entry point wait on queue skills for `baton call claim`"}
	}
	return finding{Name: "agents", Level: "ok", Found: join(found)}
}

// examineSandbox says what a step's sandbox can do here.
func (a *app) examineSandbox() finding {
	const always = "own process group, own BATON_TMP, environment by allow-list; sandbox.cpu, sandbox.memory and sandbox.output"
	switch version := shim.Landlock(); {
	case version == 0:
		return finding{Name: "sandbox", Level: "warn", Found: always + "; this kernel has no Landlock: nothing keeps a step from writing elsewhere",
			Do: "use a Linux kernel from 5.13 on with landlock among its security modules, or run steps in a container"}
	case version < wholeLandlock:
		return finding{Name: "sandbox", Level: "warn", Found: fmt.Sprintf("%s; Landlock version %d confines writing, but not cutting files short", always, version), Do: "use a kernel from 6.2 on"}
	default:
		return finding{Name: "sandbox", Level: "ok", Found: fmt.Sprintf("%s; Landlock version %d confines writing of steps with sandbox", always, version)}
	}
}

// wholeLandlock is the first version that knows every way to write to a file.
const wholeLandlock = 3

func (a *app) examineServer(ctx context.Context, l *link) []finding {
	i, err := engine.As[host.Info](l.Query(ctx, "server", "", engine.None{}))
	if err != nil {
		r, _ := a.refusal(err)
		return []finding{refused("server", r)}
	}
	out := []finding{{Name: "server", Level: "ok", Found: fmt.Sprintf("process %d, version %s, durability %s, HTTP %s", i.PID, i.Version, i.Durability, i.HTTP)}}
	if i.Version != version {
		out[0].Level, out[0].Do = "warn", "this is Baton "+version+"; `baton stop` ends the other one, the next command starts this one"
	}
	work := finding{Name: "workers", Level: "ok", Found: fmt.Sprintf("%d attempts at once on %s; %d running, %d queued, %d timers", i.Workers, join(i.Queues), i.Running, i.Work.Queued, i.Work.Timers)}
	if i.Workers == 0 {
		work.Level, work.Do = "warn", "nothing is run here; `baton worker --queues default` adds workers"
	}
	store := finding{Name: "store", Level: "ok", Found: filepath.Join(i.Home, "store") + ", every commit can be read"}
	if n := len(i.Work.Unreadable); n > 0 {
		store.Level, store.Found, store.Do = "failed", fmt.Sprintf("%d commits cannot be read, the first: %s", n, i.Work.Unreadable[0]), "use the Baton that wrote them, or restore the store"
	}
	return append(append(out, work, store), append(examineAnchor(i), examineOutside(i))...)
}

// examineOutside says how a program in any language gets work.
func examineOutside(i host.Info) finding {
	how := "a user that may publish to call.* and nothing else, on " + i.URL
	if i.OutsideToken != "" {
		how = "the token in " + i.OutsideToken + ", on " + i.URL
	}
	return finding{Name: "outside", Level: "ok", Found: "programs outside ask call.claim, call.beat, call.stream and call.close with " + how}
}

func (a *app) examineSkills(ctx context.Context, l *link) finding {
	list, report, err := a.shelf(ctx, l)
	if err != nil {
		r, _ := a.refusal(err)
		return refused("skills", r)
	}
	f := finding{Name: "skills", Level: "ok", Found: fmt.Sprintf("%d in %d folders, %d unusable", len(list.Skills), len(report.Roots), len(report.Unusable))}
	if len(list.Skills) == 0 {
		f.Level, f.Do = "warn", "put SKILL.md folders into .agents/skills or ~/.agents/skills, or name folders in BATON_SKILLS_PATH"
	}
	return f
}
