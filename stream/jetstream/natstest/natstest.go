//go:build unix

// Package natstest runs real nats-servers as processes of their own, with the configuration that stands in
// deploy/nats, for tests of what only holds, or only breaks, on a cluster.
//
// The server is built from the module that the program embeds, so that it needs nothing installed. Nodes
// can be made to stand still and to go on.
package natstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Password is that of every user.
const Password = "natstest-natstest"

// Cluster is three nodes on the loopback.
type Cluster struct {
	t      testing.TB
	binary string
	conf   string
	env    []string
	Nodes  []*Node
}

// Node is one server of a cluster.
type Node struct {
	Name   string
	Listen string // host:port for clients
	Route  string // host:port for other nodes

	c       *Cluster
	monitor string // host:port of its own reports
	dir     string
	cmd     *exec.Cmd
	out     *output
}

// Config says how a cluster is run.
type Config struct {
	Conf string   // a file of deploy/nats; "": node.conf
	Env  []string // more variables for it
	// Accounts, when it is not 0, is how many accounts there are in place of those of deploy/nats: each is
	// empty, and its only user, of the same name, may do everything in it. See [Account].
	Accounts int
}

// build builds the server.
func build(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nats-server")
	out, err := exec.Command("go", "build", "-o", path, "github.com/nats-io/nats-server/v2").CombinedOutput()
	if err != nil {
		t.Fatalf("build nats-server: %v\n%s", err, out)
	}
	return path
}

// root is the folder of the module.
func root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, look := os.Stat(filepath.Join(dir, "go.mod")); look == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", os.ErrNotExist
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// New starts a cluster of three nodes. They are killed when the test ends.
func New(t testing.TB, cfg Config) *Cluster {
	t.Helper()
	dir, err := root()
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Conf == "" {
		cfg.Conf = "node.conf"
	}
	c := &Cluster{t: t, binary: build(t), conf: filepath.Join(dir, "deploy", "nats", cfg.Conf), env: cfg.Env}
	if cfg.Accounts > 0 {
		c.conf = withAccounts(t, c.conf, cfg.Accounts)
	}
	for i := range 3 {
		c.Nodes = append(c.Nodes, &Node{c: c, Name: fmt.Sprintf("n%d", i+1), Listen: free(t), Route: free(t), monitor: free(t), dir: t.TempDir()})
	}
	var routes []string
	for _, n := range c.Nodes {
		routes = append(routes, strconv.Quote("nats://"+n.Route))
	}
	for _, n := range c.Nodes {
		n.start("BATON_ROUTES=[" + strings.Join(routes, ", ") + "]")
	}
	c.ready()
	return c
}

// Account names an account and its user.
func Account(i int) string { return fmt.Sprintf("T%03d", i) }

// withAccounts writes the configuration with other accounts.
func withAccounts(t testing.TB, conf string, n int) string {
	t.Helper()
	text, err := os.ReadFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("accounts {\n")
	for i := range n {
		fmt.Fprintf(&b, "  %s { jetstream: enabled, users: [{user: %[1]s, password: %s}] }\n", Account(i), Password)
	}
	b.WriteString("}\n")
	path := filepath.Join(t.TempDir(), "accounts-of-tests.conf")
	if err := os.WriteFile(path, bytes.Replace(text, []byte("include accounts.conf"), []byte(b.String()), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// free gives an address that nobody listens on.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// URL names every node, for a user.
func (c *Cluster) URL(user string) string {
	var list []string
	for _, n := range c.Nodes {
		list = append(list, n.URL(user))
	}
	return strings.Join(list, ",")
}

// URL names the node, for a user.
func (n *Node) URL(user string) string { return "nats://" + user + ":" + Password + "@" + n.Listen }

func (n *Node) start(env ...string) {
	n.c.t.Helper()
	n.cmd, n.out = exec.Command(n.c.binary, "-c", n.c.conf, "-m", n.monitor[strings.LastIndexByte(n.monitor, ':')+1:]), new(output)
	n.cmd.Env = append(append(os.Environ(), "BATON_NODE="+n.Name, "BATON_STORE="+strconv.Quote(n.dir),
		"BATON_LISTEN="+strconv.Quote(n.Listen), "BATON_ROUTE="+strconv.Quote(n.Route)), env...)
	for _, user := range []string{"SERVER", "WORKER", "COMMAND", "OUTSIDE", "READER", "SYSTEM"} {
		n.cmd.Env = append(n.cmd.Env, "BATON_"+user+"_PASSWORD="+Password)
	}
	n.cmd.Env = append(n.cmd.Env, n.c.env...)
	n.cmd.Stdout, n.cmd.Stderr = n.out, n.out
	if err := n.cmd.Start(); err != nil {
		n.c.t.Fatal(err)
	}
	n.c.t.Cleanup(func() {
		n.Continue()
		_ = n.cmd.Process.Kill() // it may have ended
		_ = n.cmd.Wait()
		if n.c.t.Failed() {
			n.c.t.Logf("node %s said:\n%s", n.Name, n.out.tail())
		}
	})
}

// Stop makes the node stand still: its lines stay open, and nothing is answered.
func (n *Node) Stop() { _ = n.cmd.Process.Signal(syscall.SIGSTOP) }

// Continue lets a node that stood still go on.
func (n *Node) Continue() { _ = n.cmd.Process.Signal(syscall.SIGCONT) }

// ready waits until every node takes connections.
func (c *Cluster) ready() {
	c.t.Helper()
	for _, n := range c.Nodes {
		for deadline := time.Now().Add(30 * time.Second); ; {
			conn, err := net.DialTimeout("tcp", n.Listen, time.Second)
			if err == nil {
				_ = conn.Close()
				break
			}
			if time.Now().After(deadline) {
				c.t.Fatalf("node %s takes no connections: %v\n%s", n.Name, err, n.out.tail())
			}
			wait := time.NewTimer(20 * time.Millisecond)
			<-wait.C
		}
	}
}

// Leader gives the node that leads a stream, as one of the nodes that answer says; nil when none does.
func (c *Cluster) Leader(account, stream string) *Node {
	for _, n := range c.Nodes {
		name, err := n.leader(account, stream)
		if err != nil {
			continue // it stands still
		}
		for _, other := range c.Nodes {
			if other.Name == name {
				return other
			}
		}
	}
	return nil
}

func (n *Node) leader(account, stream string) (string, error) {
	client := http.Client{Timeout: time.Second}
	answer, err := client.Get("http://" + n.monitor + "/jsz?streams=true&acc=" + account)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var report struct {
		Accounts []struct {
			Streams []struct {
				Name    string
				Cluster struct{ Leader string }
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&report); err != nil {
		return "", err
	}
	for _, a := range report.Accounts {
		for _, s := range a.Streams {
			if s.Name == stream {
				return s.Cluster.Leader, nil
			}
		}
	}
	return "", nil
}

// output keeps what a node says.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	const most = 3000
	text := o.text.String()
	return text[max(0, len(text)-most):]
}
