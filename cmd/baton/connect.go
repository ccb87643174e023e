package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/batonflow/baton/cmd/baton/config"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream/jetstream"
)

// link is a connection to a server that decides.
type link = host.Link

// startWithin is how long a command waits for a server to be started and to answer.
const startWithin = 30 * time.Second

// homeDir is the folder of the installation.
func (a *app) homeDir() (host.Home, error) {
	for _, dir := range []string{a.home, a.Env("BATON_HOME")} {
		if dir != "" {
			abs, err := filepath.Abs(dir)
			return host.Home{Dir: abs}, err
		}
	}
	if home := a.Env("HOME"); home != "" {
		return host.Home{Dir: filepath.Join(home, ".baton")}, nil
	}
	return host.Home{}, sessions.Refuse(sessions.Usage, "no_home", "set BATON_HOME, or give --home", "neither --home, BATON_HOME nor HOME says where Baton lives")
}

// settings is what the person has set for this installation; typed are the flags of the command that
// stand over the file and the environment.
func (a *app) settings(typed map[string]any) (config.Config, error) {
	home, err := a.homeDir()
	if err != nil {
		return config.Config{}, err
	}
	if a.nats != "" {
		typed = maps.Clone(typed)
		if typed == nil {
			typed = map[string]any{}
		}
		typed["nats.url"] = a.nats
	}
	return config.Load(home.Config(), a.Env, typed)
}

// dial says how to reach the server.
func (a *app) dial() (host.Dial, error) {
	d := host.Dial{Version: version, Env: a.environ, Say: a.notice}
	var err error
	if d.Home, err = a.homeDir(); err != nil {
		return d, err
	}
	set, err := a.settings(nil)
	if err != nil {
		return d, err
	}
	d.NATS, d.Creds, d.TLS = set.NATS.URL, set.NATS.Creds, tlsOf(set.NATS)
	binary, err := self()
	d.Args = []string{binary, "serve", "--home", d.Home.Dir}
	return d, err
}

func tlsOf(set config.NATS) jetstream.TLS {
	return jetstream.TLS{CA: set.CA, Cert: set.Cert, Key: set.Key}
}

// self is this binary, under the name it was started by.
func self() (string, error) {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		return filepath.Abs(path)
	}
	return os.Executable()
}

// connect reaches the server of this home or cluster, starting one in the background when none runs.
func (a *app) connect(ctx context.Context) (*link, error) {
	d, err := a.dial()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return host.Connect(ctx, d)
}

// connectRunning reaches the server only if one runs.
func (a *app) connectRunning(ctx context.Context) (*link, error) {
	d, err := a.dial()
	if err != nil {
		return nil, err
	}
	d.NoStart = true
	return host.Connect(ctx, d)
}

// notice tells a person something that is no answer.
func (a *app) notice(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.err, projections.Escape(fmt.Sprintf(format, args...)))
	}
}
