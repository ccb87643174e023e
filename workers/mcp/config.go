package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/secret"
)

// config is the file of the servers known by name.
type config struct {
	Servers map[string]server `json:"servers"`
}

// server is how one is reached: by a command that starts it, or by its address.
type server struct {
	Command []string          `json:"command"`
	Env     map[string]string `json:"env"` // with references to secrets
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"` // with references to secrets
}

// readConfig reads a configuration. The error says what is wrong in which server.
func readConfig(raw []byte) (config, error) {
	var c config
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		if err := c.Servers[name].check(); err != nil {
			return c, fmt.Errorf("server %s: %w", name, err)
		}
	}
	return c, nil
}

func (s server) check() error {
	switch {
	case (s.URL == "") == (len(s.Command) == 0):
		return errors.New("one of command and url is given")
	case s.URL == "" && s.Command[0] == "":
		return errors.New("the command names no program")
	case s.URL == "" && len(s.Headers) > 0:
		return errors.New("headers go with url")
	case s.URL == "":
		return nil
	case len(s.Env) > 0:
		return errors.New("env goes with command")
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil:
		return err
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fmt.Errorf("%q is no address of a web service", s.URL)
	case u.User != nil:
		return errors.New("the address holds a user: write headers with a reference")
	}
	return nil
}

// reach starts the step's own server, or finds the one that it names.
func (e Executor) reach(ctx context.Context, t workers.Task, s settings, secrets *secret.Book, live io.Writer, m *meter) (peer, *events.Failure) {
	if s.Server == "" {
		return e.start(ctx, t, program{argv: s.Command, folder: t.Folder}, live, m)
	}
	known, failure := e.find(s.Server)
	if failure != nil {
		return nil, failure
	}
	if known.URL != "" {
		headers, err := secrets.ResolveAll(known.Headers)
		if err != nil {
			return nil, failed(workers.Terminal, "secret_missing", "server "+s.Server+": header "+err.Error())
		}
		return dial(ctx, s.Server, known.URL, headers, m), nil
	}
	env, err := secrets.ResolveAll(known.Env)
	if err != nil {
		return nil, failed(workers.Terminal, "secret_missing", "server "+s.Server+": variable "+err.Error())
	}
	return e.start(ctx, t, program{argv: known.Command, folder: filepath.Dir(e.Servers), env: env}, live, m)
}

// find looks a server up by its name.
func (e Executor) find(name string) (server, *events.Failure) {
	raw, err := os.ReadFile(e.Servers)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return server{}, failed(workers.Terminal, "mcp_config", "read the MCP servers: "+err.Error()+": make it readable")
	}
	var c config
	if err == nil {
		if c, err = readConfig(raw); err != nil {
			return server{}, failed(workers.Terminal, "mcp_config", "read the MCP servers in "+e.Servers+": "+err.Error()+": correct it")
		}
	}
	known, ok := c.Servers[name]
	if !ok {
		names := strings.Join(slices.Sorted(maps.Keys(c.Servers)), ", ")
		if names == "" {
			names = "none"
		}
		return server{}, failed(workers.Terminal, "mcp_unknown_server", fmt.Sprintf(
			`this worker knows no MCP server %q (known: %s): name it in %s as {"servers": {%[1]q: {"command": […]}}}`, name, names, e.where()))
	}
	return known, nil
}

func (e Executor) where() string {
	if e.Servers == "" {
		return "a file of servers, which this worker was given none of"
	}
	return e.Servers
}
