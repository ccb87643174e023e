//go:build linux

package faults_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReplayElsewhere: the log is all that a replay depends on.
func TestReplayElsewhere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	session := h.history()
	readers := [][]string{
		{"replay", "--session", session, "--json"},
		{"replay", "--session", session, "--at", "4", "--json"},
		{"replay", "c002", "--session", session, "--json"},
		{"replay", "--session", session, "--verify", "--json"},
		{"events", "--session", session, "--json"},
		{"trace", "--session", session, "--format", "json"},
		{"trace", "--session", session, "--format", "md", "--lang", "en"},
		{"trace", "--session", session, "--format", "mermaid", "--lang", "en"},
		{"workflow", "show", "--session", session, "--json"},
	}
	read := func(h *home) (out []string) {
		for _, args := range readers {
			out = append(out, h.must(args...))
		}
		return out
	}
	here := read(h)
	if diff := cmp.Diff(here, read(h)); diff != "" {
		t.Errorf("read twice it differs:\n%s", diff)
	}
	files := h.outputs(session)
	e := h.killServer()
	await(t, "the end of the server", func() bool { return !alive(e.PID) })
	there := newHome(t, "TZ=Asia/Tokyo", "LC_ALL=zh_CN.UTF-8", "LANG=zh_CN.UTF-8")
	if err := os.CopyFS(there.baton(), os.DirFS(h.baton())); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(here, read(there)); diff != "" {
		t.Errorf("read elsewhere it differs:\n%s", diff)
	}
	// The workspace is the first home's, so that is where the files of the copy go.
	if err := os.RemoveAll(filepath.Join(h.work, "outputs")); err != nil {
		t.Fatal(err)
	}
	there.must("projections", "rebuild")
	if diff := cmp.Diff(files, h.outputs(session)); diff != "" {
		t.Errorf("the files written elsewhere differ:\n%s", diff)
	}
}

// history makes a session with a bit of everything: values of all kinds, a call inside a call, a
// switch, a route, a run with a failed attempt.
func (h *home) history() (session string) {
	h.t.Helper()
	session = h.session()
	h.must("ctx", "set", "a", "\u4f60\u597d, \u00fc\u2028 \x01", "--json")
	h.must("ctx", "set", "b", `{"z":1.50,"a":[1e3,null,true],"m":12345678901234567890}`, "--json-value")
	h.must("call", "open", "--skill", "s", "--intent", "\u7814\u7a76", "--reads", "a", "--writes", "c")
	h.must("call", "open", "--skill", "t", "--intent", "inner", "--input", "n=7", "--reads", "b", "--reads", "none")
	h.must("call", "close", "--status", "ok", "--output", "c=[1,2]", "--note", "done")
	h.must("route", "write a report about owls")
	h.must("switch", "--to", "u", "--kind", "handoff", "--reason", "it knows more", "--carry", "c", "--keep-open")
	h.must("ctx", "rollback", "a", "--to", "1")
	template := h.template(step("one", `[ "$BATON_ATTEMPT" = 2 ] || exit 75`), step("two", "true", "one"))
	text := h.read("work/faults.yaml")
	write(h.t, template, []byte(strings.Replace(text, "order: dataflow", "order: dataflow\ndefaults: {retry: {attempts: 3, backoff: 10ms}}", 1)))
	h.must("workflow", "run", template)
	return session
}

func (h *home) read(name string) string {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(raw)
}

// TestReplayOfACall: the envelope shows the context as it was when the call was opened, whatever was
// written since, and after a crash.
func TestReplayOfACall(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.session()
	h.must("ctx", "set", "k", "before")
	opened := ask[map[string]json.RawMessage](h, "call", "open", "--skill", "s", "--intent", "i", "--input", "x=1", "--reads", "k", "--reads", "later")
	h.must("ctx", "set", "k", "after")
	h.must("ctx", "set", "later", "now there")
	h.must("ctx", "del", "k")
	h.must("call", "close", "--status", "ok")
	for _, crash := range []bool{false, true} {
		if crash {
			h.killServer()
		}
		again := ask[map[string]json.RawMessage](h, "replay", "c001")
		for _, field := range []string{"call_id", "session", "skill", "intent", "inputs", "context_in", "missing_context", "effect_key"} {
			if diff := cmp.Diff(string(opened[field]), string(again[field])); diff != "" {
				t.Errorf("crash %v: %s differs:\n%s", crash, field, diff)
			}
		}
		if got := string(again["context_in"]); got != `{"k":"before"}` {
			t.Errorf("crash %v: the call read %s", crash, got)
		}
	}
}
