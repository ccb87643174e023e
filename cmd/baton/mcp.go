package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/batonflow/baton/api/mcp"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/workflows"
)

// mcpCommand speaks the Model Context Protocol with the agent that started it.
func (a *app) mcpCommand() *cobra.Command {
	return a.verb(verb{
		use: "mcp", short: "speak MCP on standard input and output, for an agent's configuration",
		example: `
baton mcp
claude mcp add baton -- baton mcp`,
		run: func(ctx context.Context, _ []string) error {
			folder, err := os.Getwd()
			if err != nil {
				return fmt.Errorf("current folder: %w", err)
			}
			server := &lasting{app: a}
			defer server.close()
			if _, err := server.reach(ctx); err != nil {
				return err
			}
			door, err := mcp.New(mcp.Config{Backend: server, Version: version, Workspace: folder})
			if err != nil {
				return err
			}
			return door.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(a.in), Writer: unclosed{a.out}})
		},
	})
}

// unclosed keeps who has a writer from closing it.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// lasting is a server for as long as the agent lives: one that was stopped is started again, and one that
// was replaced is found.
type lasting struct {
	app *app

	mu      sync.Mutex
	link    *link
	process string
}

// reach gives a connection to the server that runs now.
func (l *lasting) reach(ctx context.Context) (*link, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d, err := l.app.dial()
	if err != nil {
		return nil, err
	}
	if l.link != nil {
		e, err := d.Home.Endpoint()
		if d.NATS != "" || err == nil && e.Process == l.process {
			return l.link, nil
		}
		_ = l.link.Close() // its server is gone
		l.link = nil
	}
	if l.link, err = l.app.connect(ctx); err != nil {
		return nil, err
	}
	e, err := d.Home.Endpoint()
	if err == nil {
		l.process = e.Process
	}
	return l.link, nil
}

func (l *lasting) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.link != nil {
		_ = l.link.Close()
	}
}

// Do sends a command to the server that runs now.
func (l *lasting) Do(ctx context.Context, session string, c workflows.Command, m engine.Meta) (json.RawMessage, error) {
	link, err := l.reach(ctx)
	if err != nil {
		return nil, err
	}
	return link.Do(ctx, session, c, m)
}

// Query asks the server that runs now.
func (l *lasting) Query(ctx context.Context, name, session string, question any) (json.RawMessage, error) {
	link, err := l.reach(ctx)
	if err != nil {
		return nil, err
	}
	return link.Query(ctx, name, session, question)
}
