package main

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/cmd/baton/host"
)

// version is the release that this is, or is on the way to.
const version = "0.1.0"

// built says what the binary was made from.
type built struct {
	Version    string `json:"version"`
	Commit     string `json:"commit"` // "" when it was not built in a repository
	Go         string `json:"go"`
	NATSServer string `json:"nats_server"`
	NATSClient string `json:"nats_client"`
	Platform   string `json:"platform"`
}

func (a *app) versionCommand() *cobra.Command {
	return a.verb(verb{
		use: "version", short: "print version, commit, Go, nats-server and client", example: `baton version --json`,
		run: func(context.Context, []string) error {
			b := built{
				Version: version, Commit: commit(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
				NATSServer: host.Module("github.com/nats-io/nats-server/v2"), NATSClient: host.Module("github.com/nats-io/nats.go"),
			}
			return a.answer(b, func(p *page) error {
				p.line("baton %s %s", b.Version, b.Commit)
				p.line("%s %s, nats-server %s, nats.go %s", b.Go, b.Platform, b.NATSServer, b.NATSClient)
				return nil
			})
		},
	})
}

// commit is the revision of the repository that the binary was built in.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + changed
}
