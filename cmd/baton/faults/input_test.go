//go:build linux

package faults_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// bad is a use of the command that must be refused.
type bad struct {
	args  string // separated by spaces; words of the table below stand for what cannot be typed so
	code  int
	says  string // the refusal's code; "": any
	stdin string
}

// words stand for arguments that a table of texts cannot hold.
var words = map[string]string{
	"EMPTY": "", "NUL": "a\x01b\x1b[2J\nerror: forged", "LATIN": "\xff\xfe", "BIG": strings.Repeat("k", 5000), "DEEP": strings.Repeat("[", 100000),
}

// unknownID is well-formed and nobody's.
const unknownID = "0198c0de-0000-7000-8000-00000000dead"

var badInput = []bad{
	// No such command, flag, argument.
	{args: "nonsense", code: 2, says: "unknown_command"},
	{args: "session nonsense", code: 2, says: "unknown_command"},
	{args: "call", code: 2},
	{args: "--nonsense", code: 2, says: "unknown_flag"},
	{args: "status --nonsense", code: 2, says: "unknown_flag"},
	{args: "status extra", code: 2},
	{args: "ctx get", code: 2},
	{args: "ctx get a b", code: 2},
	{args: "session new", code: 2},
	{args: "session new --goal EMPTY", code: 2},
	{args: "session new --goal g --mode sometimes", code: 2},
	{args: "session new --goal g --home", code: 2},
	{args: "status --lang fr", code: 2},
	// Sessions.
	{args: "ctx list --session " + unknownID, code: 3},
	{args: "status --session " + unknownID, code: 3},
	{args: "events --session " + unknownID, code: 3},
	{args: "trace --session " + unknownID, code: 3},
	{args: "replay --session " + unknownID, code: 3},
	{args: "replay --session " + unknownID + " --verify", code: 3},
	{args: "projections rebuild --session " + unknownID, code: 3},
	{args: "ctx set a b --session " + unknownID, code: 3},
	{args: "call open --skill s --intent i --session " + unknownID, code: 3},
	{args: "session use zzz", code: 3},
	{args: "ctx list --session zzz", code: 3},
	{args: "ctx list --session NUL", code: 3},
	{args: "ctx list --session ../../etc", code: 3},
	{args: "ctx set a b --session ENDED", code: 4},
	{args: "ctx del k --session ENDED", code: 4},
	{args: "call open --skill s --intent i --session ENDED", code: 4},
	{args: "session end --session ENDED", code: 4},
	{args: "route x --session ENDED", code: 4},
	// Calls.
	{args: "call show c999", code: 3},
	{args: "call close --id c999 --status ok", code: 3},
	{args: "call close --id c001 --status ok", code: 4},
	{args: "call close --id c002 --status fine", code: 2},
	{args: "call close --id c002 --status ok --output x", code: 2},
	{args: "call close --id c002 --status ok --output EMPTY=1", code: 2},
	{args: "call close --id c002 --status ok --usage {", code: 2, says: "bad_json"},
	{args: "call close --id c002 --status ok --attempt 7", code: 4},
	{args: "call close --id c002 --status ok --attempt x", code: 2},
	{args: "call suspend c001", code: 4},
	{args: "call resume c002", code: 4},
	{args: "call resume c999", code: 3},
	{args: "call open --skill s", code: 2},
	{args: "call open --skill EMPTY --intent i", code: 2},
	{args: "call open --skill s --intent i --parent c999", code: 3},
	{args: "call open --skill s --intent i --queue NOT.A.QUEUE", code: 2},
	{args: "call open --skill s --intent i --input x", code: 2},
	{args: "call open --skill s --intent i --writes BIG", code: 2},
	{args: "call claim --queue Bad/Queue", code: 2},
	{args: "call claim --queue nothing-here", code: 3},
	{args: "call beat c002 --attempt 0", code: 2},
	{args: "call beat c999 --attempt 1", code: 3},
	{args: "replay c999", code: 3},
	// Context.
	{args: "ctx get nothing", code: 3},
	{args: "ctx del nothing", code: 3},
	{args: "ctx history nothing", code: 3},
	{args: "ctx rollback k --to 99", code: 3},
	{args: "ctx rollback k --to 0", code: 2},
	{args: "ctx rollback k --to x", code: 2},
	{args: "ctx set EMPTY v", code: 2},
	{args: "ctx set NUL v", code: 2},
	{args: "ctx set BIG v", code: 2},
	{args: "ctx set k LATIN", code: 2},
	{args: "ctx set k", code: 2},
	{args: "ctx set k v --from-file -", code: 2},
	{args: "ctx set k --from-file /nothing/here", code: 3},
	{args: "ctx set k --from-file /", code: 2},
	{args: "ctx set k {broken --json-value", code: 2, says: "bad_json"},
	{args: "ctx set k DEEP --json-value", code: 2},
	{args: "ctx set k --from-file - --json-value", code: 2, says: "bad_json", stdin: `{"a":1} trailing`},
	{args: "ctx set k --from-file -", code: 2, stdin: "\xff\xfe"},
	// Switch, route.
	{args: "switch --to u --kind handoff", code: 2},
	{args: "switch --to u --kind sideways --reason r", code: 2},
	{args: "route x --threshold many", code: 2},
	{args: "route x --top -1", code: 2},
	{args: "route x --mode sometimes", code: 2},
	// Workflows.
	{args: "workflow run nothing-here", code: 3},
	{args: "workflow run ./nothing.yaml", code: 3},
	{args: "workflow run /", code: 2},
	{args: "workflow run ./broken.yaml", code: 2},
	{args: "workflow run ./cycle.yaml", code: 2},
	{args: "workflow run ./unknown.yaml", code: 2},
	{args: "workflow run ./empty.yaml", code: 2},
	{args: "workflow run ./binary.yaml", code: 2},
	{args: "workflow run ./good.yaml --input", code: 2},
	{args: "workflow run ./good.yaml", code: 2}, // an input is missing
	{args: "workflow run ./good.yaml --input topic=x --input n=many", code: 2},
	{args: "workflow run ./good.yaml --input topic=x --input more=1", code: 2},
	{args: "workflow run ./good.yaml --input topic=x --session ENDED", code: 4},
	{args: "workflow show r-nothing", code: 3},
	{args: "workflow resume r-nothing", code: 3},
	{args: "workflow cancel r-nothing", code: 3},
	{args: "workflow list --status odd", code: 2},
	{args: "workflow list --since yesterday", code: 2},
	{args: "workflow validate ./nothing.yaml", code: 3},
	{args: "why r-nothing", code: 3},
	// Others.
	{args: "events schema no.such", code: 3},
	{args: "replay --at never", code: 2},
	{args: "replay --at 0", code: 2},
	{args: "trace --format pdf", code: 2},
	{args: "trace --out /nothing/here/trace.md", code: 1},
	{args: "skills show nothing-here", code: 3},
	{args: "worker --concurrency 0", code: 2},
	{args: "worker --queues A.B", code: 2},
	{args: "serve --workers -1", code: 2},
	{args: "serve", code: 4, says: "store_locked"},
	{args: "completion tcsh", code: 2},
}

var (
	oneError = regexp.MustCompile(`^error: [a-z0-9_]+: [^\n]+\n$`)
	stack    = regexp.MustCompile(`panic|goroutine \d|\.go:\d|internal fault|runtime error`)
)

// TestBadInput: each refusal has the right exit status and one line, and nothing is appended.
func TestBadInput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ended := h.session()
	h.must("session", "end")
	h.session()
	h.must("ctx", "set", "k", "v")
	h.must("call", "open", "--skill", "s", "--intent", "i")
	h.must("call", "close", "--status", "ok")
	h.must("call", "open", "--skill", "s", "--intent", "i", "--parent", "none")
	h.templates()
	before := h.log()
	for _, b := range badInput {
		args := strings.Fields(b.args)
		for i, arg := range args {
			for word, text := range words {
				arg = strings.ReplaceAll(arg, word, text)
			}
			args[i] = strings.ReplaceAll(arg, "ENDED", ended)
		}
		h.refuses(b, args)
	}
	if after := h.log(); after != before {
		t.Errorf("something was appended: %s", strings.TrimPrefix(after, before))
	}
	if servers := h.servers(); len(servers) != 1 {
		t.Errorf("%d servers run", len(servers))
	}
}

// log is the log without what the server notes by itself: which skills are installed.
func (h *home) log() string {
	h.t.Helper()
	var out strings.Builder
	for line := range strings.Lines(h.must("events", "--all", "--json")) {
		if !strings.Contains(line, `"type":"skills.scanned"`) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// templates writes templates into the workspace, most of them wrong.
func (h *home) templates() {
	for name, text := range map[string]string{
		"broken":  "name: [\n  - {",
		"cycle":   "name: x\norder: dataflow\nsteps:\n  - {id: a, needs: [b], run: {exec: ['true']}}\n  - {id: b, needs: [a], run: {exec: ['true']}}\n",
		"unknown": "name: x\nsteps:\n  - {id: a, run: {exec: ['true']}, nonsense: 1}\n",
		"empty":   "",
		"binary":  "\x00\xff\x01",
		"good":    "name: x\ninputs: {topic: {type: string, required: true}, n: {type: number}}\nsteps:\n  - {id: a, run: {exec: ['true']}}\n",
	} {
		write(h.t, filepath.Join(h.work, name+".yaml"), []byte(text))
	}
}

// refuses checks a refusal, as text and as JSON.
func (h *home) refuses(b bad, args []string) {
	h.t.Helper()
	for _, more := range [][]string{nil, {"--json"}} {
		var stdin io.Reader
		if b.stdin != "" {
			stdin = strings.NewReader(b.stdin)
		}
		r := h.feed(stdin, append(more[:len(more):len(more)], args...)...)
		label := fmt.Sprintf("baton %s %s", strings.Join(more, " "), b.args)
		if r.code != b.code {
			h.t.Errorf("%s: exit %d, want %d: %.300s%.300s", label, r.code, b.code, r.stdout, r.stderr)
			continue
		}
		if stack.MatchString(r.stderr + r.stdout) {
			h.t.Errorf("%s shows its inside: %.500s%.500s", label, r.stdout, r.stderr)
		}
		//lint:ignore SA1011 bytes that are no text are what is tried
		if !oneError.MatchString(r.stderr) || strings.ContainsAny(r.stderr, "\x00\x01\x1b\xff") {
			h.t.Errorf("%s says %.500q", label, r.stderr)
		}
		if b.says != "" && !strings.HasPrefix(r.stderr, "error: "+b.says+": ") {
			h.t.Errorf("%s says %.200q, want %s", label, r.stderr, b.says)
		}
		if more == nil {
			if r.stdout != "" {
				h.t.Errorf("%s prints %.200q", label, r.stdout)
			}
			continue
		}
		var got struct {
			Error struct{ Code, Message, Hint string }
		}
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || got.Error.Code == "" || got.Error.Message == "" || got.Error.Hint == "" || !strings.Contains(r.stderr, got.Error.Code) {
			h.t.Errorf("%s answers %.300s", label, r.stdout)
		}
	}
}

// TestHugeValues: five megabytes from stdin come back to the byte, after a crash too; what is over the
// hard limit is refused and changes nothing.
func TestHugeValues(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	session := h.session()
	huge := make([]byte, 5<<20)
	r := rand.New(rand.NewPCG(5, 20))
	for i := range huge {
		huge[i] = byte(' ' + r.IntN(95))
	}
	huge = append(huge, "\u00fc\u4f60 \x01\x1b\t end"...)
	if got := h.feed(bytes.NewReader(huge), "ctx", "set", "huge", "--from-file", "-"); got.code != 0 {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	list := append(append([]byte(`{"list":[`), bytes.Repeat([]byte(`1234567,`), 600<<10)...), "0]}"...)
	if got := h.feed(bytes.NewReader(list), "ctx", "set", "json", "--from-file", "-", "--json-value"); got.code != 0 {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	for _, crash := range []bool{false, true} {
		if crash {
			h.killServer()
		}
		if got := strings.TrimSuffix(h.must("ctx", "get", "huge"), "\n"); got != string(huge) {
			t.Errorf("crash %v: %d bytes of %d came back", crash, len(got), len(huge))
		}
		if got := strings.TrimSuffix(h.must("ctx", "get", "json"), "\n"); got != string(list) {
			t.Errorf("crash %v: %d bytes of %d of JSON came back", crash, len(got), len(list))
		}
	}
	before := h.must("events", "--session", session, "--json")
	h.refuses(bad{args: "ctx set over --from-file -", code: 2, stdin: strings.Repeat("x", 64<<20+1)}, []string{"ctx", "set", "over", "--from-file", "-"})
	if after := h.must("events", "--session", session, "--json"); after != before {
		t.Errorf("something was appended: %.300s", strings.TrimPrefix(after, before))
	}
}

// TestHomeThatCannotBeWritten: it is said, and no server is left behind. Root may write everywhere, so
// the home lies below a file, or where the system keeps no files.
func TestHomeThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := filepath.Join(h.dir, "file")
	write(t, file, nil)
	for _, dir := range []string{filepath.Join(file, "baton"), file, "/proc/baton-home"} {
		for _, command := range []string{"session new --goal g", "status", "serve --http 127.0.0.1:0", "session list"} {
			b := bad{args: command + " --home " + dir, code: 8, says: "home_unwritable"}
			h.refuses(b, strings.Fields(b.args))
		}
	}
	if servers := h.servers(); len(servers) != 0 {
		t.Errorf("servers run: %v", servers)
	}
	if raw, err := os.ReadFile(file); err != nil || len(raw) != 0 {
		t.Errorf("the file was changed: %q, %v", raw, err)
	}
}

// TestPortThatIsTaken: a port that was asked for is not replaced by another.
func TestPortThatIsTaken(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, address := range []string{l.Addr().String(), "127.0.0.1:99999", "nonsense", "256.1.1.1:80"} {
		r := h.run("serve", "--http", address)
		if r.code == 0 || r.code == -1 || !oneError.MatchString(r.stderr) || !strings.Contains(r.stderr, address) || stack.MatchString(r.stderr) {
			t.Errorf("serve --http %s: exit %d, says %q", address, r.code, r.stderr)
		}
	}
	if servers := h.servers(); len(servers) != 0 {
		t.Errorf("servers run: %v", servers)
	}
	h.session() // the store was left in order
}

// TestSecondServer: it is refused, names the first one, and does not disturb it.
func TestSecondServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.serve()
	session := h.session()
	for range 3 {
		r := h.run("serve", "--http", "127.0.0.1:0")
		if r.code != 4 || !strings.HasPrefix(r.stderr, "error: store_locked: ") {
			t.Errorf("exit %d, says %s", r.code, r.stderr)
		}
		e, _ := h.server()
		for _, word := range []string{fmt.Sprint(first.Process.Pid), strings.TrimPrefix(e.URL, "nats://")} {
			if !strings.Contains(r.stderr, word) {
				t.Errorf("%q does not name %s", r.stderr, word)
			}
		}
	}
	if got := ask[statusAnswer](h, "status"); got.Server.PID != first.Process.Pid || got.Session != session {
		t.Errorf("the first server is disturbed: %+v", got)
	}
}
