package host_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

var update = flag.Bool("update", false, "make golden files that are missing")

// goldenSession is the one session of every golden store.
const goldenSession = "0198c0de-0000-7000-8000-00000000901d"

// TestStoresOfEveryReleaseFoldToTheirState opens a copy of each store that a release left behind.
// A store is made once, by the release that it is named for, and never made again.
func TestStoresOfEveryReleaseFoldToTheirState(t *testing.T) {
	t.Parallel()
	const release = "testdata/store-0.1"
	if _, err := os.Stat(release); errors.Is(err, fs.ErrNotExist) && *update {
		makeStore(t, release)
	}
	stores, err := filepath.Glob("testdata/store-*")
	if err != nil || len(stores) == 0 {
		t.Fatalf("no golden store: %v", err)
	}
	for _, store := range stores {
		t.Run(filepath.Base(store), func(t *testing.T) {
			t.Parallel()
			home := host.Home{Dir: t.TempDir()}
			if err := os.CopyFS(home.Dir, os.DirFS(filepath.Join(store, "home"))); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(store, "state.json"))
			if err != nil {
				t.Fatal(err)
			}
			link, _ := serve(t, home)
			if got := query(t, link, "replay", engine.ReplayAsk{}); string(got) != string(want) {
				t.Errorf("state differs from the recorded one:\n%s\n%s", got, want)
			}
			var v engine.Verified
			if raw := query(t, link, "verify", engine.None{}); json.Unmarshal(raw, &v) != nil || !v.Equal {
				t.Errorf("verify: %s", raw)
			}
		})
	}
}

func query(t *testing.T, link *host.Link, name string, q any) json.RawMessage {
	t.Helper()
	raw, err := link.Query(t.Context(), name, goldenSession, q)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// makeStore leaves a home behind in which every kind of thing happened once.
func makeStore(t *testing.T, dir string) {
	t.Helper()
	home := host.Home{Dir: t.TempDir()}
	link, stop := serve(t, home)
	do := func(c workflows.Command) {
		t.Helper()
		if _, err := link.Do(t.Context(), goldenSession, c, engine.Meta{Actor: "golden"}); err != nil {
			t.Fatal(err)
		}
	}
	text := func(s string) events.Value { return events.Value{JSON: json.RawMessage(s)} }
	do(workflows.Of(sessions.Begin{Goal: "a golden store <&>", Mode: "auto", Workspace: "/golden"}))
	do(workflows.Of(sessions.AskRoute{RouteTask: sessions.RouteTask{Task: "draw a diagram", Top: 5, Threshold: 1.2, Margin: 1.3}}))
	do(workflows.Of(sessions.Open{Skill: "writer", Intent: "write", Inputs: map[string]events.Value{"n": text("1")}, Writes: []string{"draft"}}))
	do(workflows.Of(sessions.SetContext{Key: "draft", Value: text(`"one"`)}))
	do(workflows.Of(sessions.MakeSwitch{To: "drawer", Kind: "handoff", Reason: "a picture", Carry: []string{"draft", "none"}, KeepOpen: true}))
	do(workflows.Of(sessions.Open{Skill: "drawer", Intent: "draw", Reads: []string{"draft"}}))
	do(workflows.Of(sessions.Close{Call: "c002", Status: "ok", Outputs: map[string]events.Value{"picture": text(`{"path":"a.svg"}`)}}))
	do(workflows.Of(sessions.Resume{Call: "c001"}))
	do(workflows.Of(sessions.SetContext{Key: "draft", Value: text(`"two"`)}))
	do(workflows.Of(sessions.RollBackContext{Key: "draft", To: 1}))
	do(workflows.Of(sessions.DeleteContext{Key: "picture"}))
	do(workflows.Of(sessions.Close{Call: "c001", Status: "partial", Note: "later"}))
	do(workflows.Start{Run: "r-golden", Name: "golden", Text: goldenTemplate, Workspace: "/golden", Folder: "/"})
	watch(t, link, goldenSession, "r-golden")
	do(workflows.ResumeRun{Run: "r-golden", By: "golden"})
	do(workflows.Cancel{Run: "r-golden", By: "golden"})
	state := query(t, link, "replay", engine.ReplayAsk{})
	stop()
	for _, leftover := range []string{"views", "scratch", "port", "token"} {
		if err := os.RemoveAll(filepath.Join(home.Dir, leftover)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "home"), os.DirFS(home.Dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "state.json"), state, 0o644); err != nil {
		t.Fatal(err)
	}
}

const goldenTemplate = `
name: golden
order: dataflow
on_failure: continue
steps:
  - {id: a, run: {builtin: noop}, output: a}
  - {id: no, run: {builtin: noop}, when: "false"}
  - {id: b, run: {builtin: merge}, input: [a], output: b}
  - {id: bad, run: {builtin: nothing-of-that-name}, retry: {attempts: 2, backoff: 10ms}}
`
