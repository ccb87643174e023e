package host

import (
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/agent"
	"github.com/batonflow/baton/workers/builtin"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workers/fetch"
	"github.com/batonflow/baton/workers/http"
	"github.com/batonflow/baton/workers/local"
	"github.com/batonflow/baton/workers/mcp"
	"github.com/batonflow/baton/workers/skill"
)

// executors is the table of ways to do a call. Adding one is a package and a line.
func executors(o Options, ask engine.Client) map[string]workers.Executor {
	run := exec.Runner{Scratch: o.Home.path("scratch"), Grace: o.Grace, Shim: o.Shim, Confine: o.Confine}
	table := map[string]workers.Executor{
		"exec":        exec.Executor{Runner: run},
		"skill":       skill.Executor{Runner: run},
		"agent":       agent.Executor{Runner: run, Prefer: o.Agent},
		"builtin":     builtin.Executor{Effects: acquisition(o.Home, o.Env, ask)},
		"fetch":       fetch.New(o.Version),
		"local_file":  local.Files{},
		"local_cache": local.Cache{},
		"http":        http.Executor{Lookup: o.secret},
		"mcp":         mcp.Executor{Runner: run, Servers: o.Home.path("mcp.json"), Lookup: o.secret, Version: o.Version},
	}
	if o.Watch.Executor != nil {
		for name, x := range table {
			table[name] = o.Watch.Executor(name, x)
		}
	}
	return table
}
