package main

import (
	"context"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// serveCommand runs a server in the foreground. The background server is the same, started by the
// first command.
func (a *app) serveCommand() *cobra.Command {
	var queues string
	var typed *pflag.FlagSet
	return a.verb(verb{
		use: "serve", short: "run a server in the foreground: log, workers, HTTP",
		example: `
baton serve
baton serve --http 127.0.0.1:7700 --queues default,ocr --workers 16
baton serve --nats nats://n1:4222,nats://n2:4222`,
		flags: func(f *pflag.FlagSet) {
			typed = f
			f.String("http", "", a.say("`ADDR` to listen on (default: 127.0.0.1:7700 or the next free port)"))
			f.String("tls-cert", "", a.say("PEM `FILE` of a certificate: HTTP is TLS, and may be reached from other machines"))
			f.String("tls-key", "", a.say("PEM `FILE` of its key"))
			f.String("http-names", "", a.say("host `NAMES` by which the HTTP server may be called, comma-separated"))
			f.Bool("insecure", false, a.say("HTTP without TLS may be reached from other machines"))
			f.StringVar(&queues, "queues", workflows.DefaultQueue, a.say("queues to serve, comma-separated"))
			f.Int("workers", 0, a.say("attempts at once; 0: none (default 8)"))
			f.String("durability", "", a.say("when a commit counts as recorded: group, always or interval=D (default group)"))
		},
		run: func(ctx context.Context, _ []string) error {
			o, err := a.hostOptions(queues, map[string]any{
				"http": given(typed, "http"), "workers": given(typed, "workers"), "tls.cert": given(typed, "tls-cert"), "tls.key": given(typed, "tls-key"),
				"http_names": given(typed, "http-names"), "http_insecure": given(typed, "insecure"), "durability": given(typed, "durability"),
			})
			if err != nil {
				return err
			}
			a.collectLess()
			return host.Serve(ctx, o, func(e host.Endpoint) {
				a.notice("serving %s, HTTP %s, process %d", e.URL, e.HTTP, e.PID)
			})
		},
	})
}

// collectLess lets garbage wait unless GOGC says otherwise: a server throws much away and keeps little, and
// collecting it whenever there is as much again took a fifth of its processor time.
func (a *app) collectLess() {
	if a.Env("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}

// workerCommand runs workers only.
func (a *app) workerCommand() *cobra.Command {
	var queues string
	var typed *pflag.FlagSet
	return a.verb(verb{
		use: "worker", short: "run workers only, beside a server or on a cluster",
		example: `
baton worker --queues default,ocr --concurrency 4
baton worker --queues default --nats nats://n1:4222`,
		flags: func(f *pflag.FlagSet) {
			typed = f
			f.StringVar(&queues, "queues", workflows.DefaultQueue, a.say("queues to serve, comma-separated"))
			f.Int("concurrency", 0, a.say("attempts at once (default 8)"))
		},
		run: func(ctx context.Context, _ []string) error {
			o, err := a.hostOptions(queues, map[string]any{"workers": given(typed, "concurrency")})
			if err != nil {
				return err
			}
			if o.Workers < 1 {
				return sessions.Refuse(sessions.Usage, "bad_value", "give a number from 1 to 1000", "--concurrency %d makes no worker", o.Workers)
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

// given is the value of a flag that was typed; nil for one that was not.
func given(f *pflag.FlagSet, name string) any {
	flag := f.Lookup(name)
	if !flag.Changed {
		return nil
	}
	if n, err := f.GetInt(name); err == nil {
		return n
	}
	if yes, err := f.GetBool(name); err == nil {
		return map[bool]string{true: "on", false: "off"}[yes]
	}
	return flag.Value.String()
}

// hostOptions is what a serving process is started with; typed are flags by the setting they stand over.
func (a *app) hostOptions(queues string, typed map[string]any) (host.Options, error) {
	maps.DeleteFunc(typed, func(_ string, value any) bool { return value == nil })
	set, err := a.settings(typed)
	if err != nil {
		return host.Options{}, err
	}
	durability, err := stream.ParseDurability(set.Durability)
	if err != nil {
		return host.Options{}, err
	}
	o := host.Options{
		Durability: durability,
		NATS:       set.NATS.URL, Creds: set.NATS.Creds, TLS: tlsOf(set.NATS), Replicas: set.NATS.Replicas, HTTP: set.HTTP, Workers: set.Workers,
		Lease: set.Lease, Grace: set.Grace, Agent: set.Agent, Limits: set.Sizes(), Confine: set.Sandbox == "on", ConfirmHighRisk: set.Route.HighRisk == "confirm", Judge: set.Route.Judge,
		Telemetry: host.Telemetry{Endpoint: set.Telemetry.Endpoint, Headers: set.Telemetry.Headers, Content: set.Telemetry.Content == "on"},
		Version:   version, Log: a.err, Env: a.variables(), Queues: strings.Split(queues, ","),
	}
	o.TLSCert, o.TLSKey, o.Insecure = set.TLS.Cert, set.TLS.Key, set.Clear == "on"
	if set.Names != "" {
		o.HTTPNames = strings.Split(set.Names, ",")
	}
	if i := slices.IndexFunc(o.Queues, func(q string) bool { return !stream.ValidQueue(q) }); i >= 0 {
		return o, sessions.Refuse(sessions.Usage, "bad_queue", "use lower-case letters, digits, - and _", "%q is no queue", o.Queues[i])
	}
	o.Home, err = a.homeDir()
	return o, err
}
