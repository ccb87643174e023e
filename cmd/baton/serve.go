package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

const (
	defaultLease   = 10 * time.Second
	defaultGrace   = 5 * time.Second
	defaultWorkers = 8
)

// serveCommand runs a server in the foreground. The background server is the same, started by the
// first command.
func (a *app) serveCommand() *cobra.Command {
	var queues, address string
	var workers int
	return a.verb(verb{
		use: "serve", short: "run a server in the foreground: log, workers, HTTP",
		example: `
baton serve
baton serve --http 127.0.0.1:7700 --queues default,ocr --workers 16
baton serve --nats nats://n1:4222,nats://n2:4222`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&address, "http", "", a.say("`ADDR` to listen on (default: 127.0.0.1:7700 or the next free port)"))
			f.StringVar(&queues, "queues", workflows.DefaultQueue, a.say("queues to serve, comma-separated"))
			f.IntVar(&workers, "workers", defaultWorkers, a.say("attempts at once; 0: none"))
		},
		run: func(ctx context.Context, _ []string) error {
			o, err := a.hostOptions(queues, workers)
			if err != nil {
				return err
			}
			o.HTTP = address
			return host.Serve(ctx, o, func(e host.Endpoint) {
				a.notice("serving %s, HTTP %s, process %d", e.URL, e.HTTP, e.PID)
			})
		},
	})
}

// workerCommand runs workers only.
func (a *app) workerCommand() *cobra.Command {
	var queues string
	var concurrency int
	return a.verb(verb{
		use: "worker", short: "run workers only, beside a server or on a cluster",
		example: `
baton worker --queues default,ocr --concurrency 4
baton worker --queues default --nats nats://n1:4222`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&queues, "queues", workflows.DefaultQueue, a.say("queues to serve, comma-separated"))
			f.IntVar(&concurrency, "concurrency", defaultWorkers, a.say("attempts at once"))
		},
		run: func(ctx context.Context, _ []string) error {
			if concurrency < 1 {
				return sessions.Refuse(sessions.Usage, "bad_value", "give a number from 1 to 1000", "--concurrency %d makes no worker", concurrency)
			}
			o, err := a.hostOptions(queues, concurrency)
			if err != nil {
				return err
			}
			if o.NATS == "" {
				l, err := a.connect(ctx) // starts the server when none runs
				if err != nil {
					return err
				}
				if err := l.Close(); err != nil {
					return err
				}
			}
			return host.Work(ctx, o, func(process string) { a.notice("worker %s serves %s", process, strings.Join(o.Queues, ", ")) })
		},
	})
}

func (a *app) hostOptions(queues string, workers int) (host.Options, error) {
	o := host.Options{
		NATS: a.natsURL(), Creds: a.Env("BATON_NATS_CREDS"), Workers: workers, Version: version, Log: a.err,
		Env: map[string]string{}, Queues: strings.Split(queues, ","),
	}
	if workers < 0 || workers > 1000 {
		return o, sessions.Refuse(sessions.Usage, "bad_value", "give a number from 0 to 1000", "%d workers cannot be run", workers)
	}
	if i := slices.IndexFunc(o.Queues, func(q string) bool { return !stream.ValidQueue(q) }); i >= 0 {
		return o, sessions.Refuse(sessions.Usage, "bad_queue", "use lower-case letters, digits, - and _", "%q is no queue", o.Queues[i])
	}
	for _, entry := range a.environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			o.Env[name] = value
		}
	}
	var err error
	if text := a.Env("BATON_REPLICAS"); text != "" {
		if o.Replicas, err = strconv.Atoi(text); err != nil || o.Replicas < 1 || o.Replicas > 5 {
			return o, sessions.Refuse(sessions.Usage, "bad_replicas", "use 1, 3 or 5", "BATON_REPLICAS=%q cannot be used", text)
		}
	}
	if o.Lease, err = a.duration("BATON_LEASE", defaultLease); err != nil {
		return o, err
	}
	if o.Grace, err = a.duration("BATON_GRACE", defaultGrace); err != nil {
		return o, err
	}
	o.Home, err = a.homeDir()
	return o, err
}

// duration reads a setting like BATON_LEASE=10s.
func (a *app) duration(name string, otherwise time.Duration) (time.Duration, error) {
	text := a.Env(name)
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 100*time.Millisecond || d > time.Hour {
		return 0, sessions.Refuse(sessions.Usage, "bad_duration", "use a duration from 100ms to 1h, like 10s", "%s=%q cannot be used", name, text)
	}
	return d, nil
}
