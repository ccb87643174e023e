//go:build unix

package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	osexec "os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/workers/shim/shimtest"
)

// Parts that the test binary plays.
const (
	serverArg = "__mcp_server"  // a server made with the SDK
	deafArg   = "__deaf_server" // the same, which neither its input's end nor SIGTERM ends
	oldArg    = "__old_server"  // one of an earlier revision of the protocol, written out
	workerArg = "__worker"
)

func TestMain(m *testing.M) {
	shimtest.Main(m, map[string]func([]string) int{
		serverArg: func([]string) int { return serveStdio() },
		deafArg:   func([]string) int { return serveDeaf() },
		oldArg:    func([]string) int { return serveOld() },
		workerArg: fakeWorker,
	})
}

func serveStdio() int {
	if err := newServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serveDeaf() int {
	signal.Ignore(syscall.SIGTERM)
	serveStdio()
	select {}
}

// newServer makes a server with a tool for each thing that a tool can do.
func newServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	for name, do := range map[string]sdk.ToolHandler{
		"report": report, "text": text, "json": text, "twin": twin, "many": many, "nothing": nothing,
		"fail": fail, "picky": picky, "large": large, "block": block, "exit": exit, "family": family,
	} {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, do)
	}
	return s
}

func texts(all ...string) *sdk.CallToolResult {
	r := &sdk.CallToolResult{}
	for _, one := range all {
		r.Content = append(r.Content, &sdk.TextContent{Text: one})
	}
	return r
}

// seen is what report says that it was given.
type seen struct {
	PID       int
	Arguments json.RawMessage
	Meta      map[string]any
	Folder    string
	Words     []string
	Env       map[string]string
}

func report(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	raw, err := json.Marshal(seen{os.Getpid(), req.Params.Arguments, req.Params.Meta, dir, os.Args[2:], env})
	if err != nil {
		return nil, err
	}
	r := texts(string(raw))
	r.StructuredContent = json.RawMessage(raw)
	return r, nil
}

func text(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct{ Say string }
	err := json.Unmarshal(req.Params.Arguments, &in)
	return texts(in.Say), err
}

func twin(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	r := texts(`{"id": 12345678901234567890, "price": 1.50}`)
	r.StructuredContent = json.RawMessage(r.Content[0].(*sdk.TextContent).Text)
	return r, nil
}

func many(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	return texts("one", "two"), nil
}

func nothing(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return texts(), nil }

func fail(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	r := texts("no luck with "+os.Getenv("SECRET"), "today")
	r.IsError = true
	return r, nil
}

func picky(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	return nil, errArguments
}

func large(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	return texts(strings.Repeat("x", 8<<20)), nil
}

// block says who it is and then nothing more.
func block(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	fmt.Fprintln(os.Stderr, os.Getpid())
	<-ctx.Done()
	return nil, ctx.Err()
}

func exit(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	fmt.Fprintln(os.Stderr, "cannot go on", os.Getenv("SECRET"))
	os.Exit(3)
	return nil, nil
}

// family leaves a child and a daemon behind, and names all three.
func family(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child, daemon := osexec.Command("sleep", "1000"), osexec.Command(self, shimtest.Daemon)
	said, err := daemon.StdoutPipe()
	if err != nil {
		return nil, err
	}
	for _, cmd := range []*osexec.Cmd{child, daemon} {
		if err := cmd.Start(); err != nil {
			return nil, err
		}
	}
	if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{StructuredContent: []int{os.Getpid(), child.Process.Pid, daemon.Process.Pid}}, nil
}

// serveOld speaks the revision of 2025-06-18: it knows initialize and a tool, and refuses what it
// does not know.
func serveOld() int {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var req struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(in.Bytes(), &req) != nil || len(req.ID) == 0 {
			continue
		}
		answer := `"error":{"code":-32601,"message":"unknown"}`
		switch req.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"0"}}`
		case "tools/list":
			answer = `"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			var call struct {
				Name string
				Meta json.RawMessage `json:"_meta"`
			}
			_ = json.Unmarshal(req.Params, &call)
			raw, _ := json.Marshal(string(call.Meta))
			answer = fmt.Sprintf(`"result":{"content":[{"type":"text","text":%s}],"isError":%t}`, raw, call.Name != "echo")
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", req.ID, answer)
	}
	return 0
}
