package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workers/shim"
	"github.com/batonflow/baton/workflows"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == shim.Arg {
		os.Exit(shim.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// serve runs a server on a home until the test ends or stop is called.
func serve(t *testing.T, home host.Home, with ...func(*host.Options)) (link *host.Link, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		o := host.Options{
			Home: home, NoHTTP: true, Queues: []string{"default"}, Workers: 4, Lease: 10 * time.Second, Grace: time.Second,
			Version: "1.0.0", Env: map[string]string{"PATH": os.Getenv("PATH"), "HOME": home.Dir}, Log: t.Output(),
		}
		for _, set := range with {
			set(&o)
		}
		done <- host.Serve(ctx, o, func(host.Endpoint) { close(ready) })
	}()
	select {
	case <-ready:
	case err := <-done:
		t.Fatalf("serve: %v", err)
	}
	link, err := host.Connect(t.Context(), host.Dial{Home: home, Version: "1.0.0", NoStart: true})
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		if err := link.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return link, stop
}

const twoBranches = `
name: two-branches
order: dataflow
inputs: {topic: {type: string, required: true}}
steps:
  - {id: a, run: {exec: [sh, -c, 'printf "{\"topic\":\"%s\"}" "$1"', sh, '${inputs.topic}']}, output: a}
  - {id: b, run: {exec: [sh, -c, 'echo plain']}, output: b}
  - {id: join, run: {builtin: merge}, input: [a], needs: [b], output: joined}
`

func TestARunOverARealServerSurvivesItsRestart(t *testing.T) {
	t.Parallel()
	home := host.Home{Dir: t.TempDir()}
	workspace := t.TempDir()
	link, stop := serve(t, home)
	const session = "0198c0de-0000-7000-8000-000000000001"
	_, err := link.Do(t.Context(), session, workflows.Start{
		Run: "r-1", Name: "x", Text: twoBranches, Goal: "two branches", Mode: "auto", Workspace: workspace, Folder: workspace,
		Env: map[string]string{"PATH": os.Getenv("PATH")}, Inputs: map[string]json.RawMessage{"topic": json.RawMessage(`"owls"`)},
	}, engine.Meta{Actor: "test"})
	if err != nil {
		t.Fatal(err)
	}
	view := watch(t, link, session, "r-1")
	if view.Status != workflows.Completed || string(view.Outputs["a"]) != `{"topic":"owls"}` || string(view.Outputs["b"]) != `"plain"` {
		raw, _ := json.MarshalIndent(view, "", " ")
		t.Fatalf("%s", raw)
	}
	before, err := os.ReadFile(view.TraceFile)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	link, _ = serve(t, home)
	again := watch(t, link, session, "r-1")
	if again.TraceFile != view.TraceFile {
		t.Errorf("trace file %q after the restart, %q before", again.TraceFile, view.TraceFile)
	}
	if err := os.RemoveAll(workspace + "/outputs"); err != nil {
		t.Fatal(err)
	}
	if _, err := link.Query(t.Context(), "rebuild", session, engine.None{}); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(view.TraceFile); err != nil || string(after) != string(before) {
		t.Errorf("rebuilt trace differs: %v\n%s\n%s", err, after, before)
	}
	raw, err := link.Query(t.Context(), "verify", session, engine.None{})
	if err != nil {
		t.Fatal(err)
	}
	var v engine.Verified
	if err := json.Unmarshal(raw, &v); err != nil || !v.Equal || v.Decisions == 0 {
		t.Errorf("verify: %s, %v", raw, err)
	}
}

func watch(t *testing.T, link *host.Link, session, run string) engine.Watched {
	t.Helper()
	var w engine.Watched
	for !w.Over {
		raw, err := link.Query(t.Context(), "run.watch", session, engine.WatchAsk{Run: run, After: w.Sequence})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &w); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestASecondServerIsRefusedAndNamesTheFirst(t *testing.T) {
	t.Parallel()
	home := host.Home{Dir: t.TempDir()}
	serve(t, home)
	err := host.Serve(t.Context(), host.Options{Home: home, NoHTTP: true, Version: "1.0.0", Lease: time.Second, Log: t.Output()}, nil)
	var r *sessions.Refusal
	if !errors.As(err, &r) || r.Code != "store_locked" {
		t.Fatalf("got %v", err)
	}
}

func TestLargeValuesComeBackWhole(t *testing.T) {
	t.Parallel()
	link, _ := serve(t, host.Home{Dir: t.TempDir()})
	const session = "0198c0de-0000-7000-8000-000000000002"
	do := func(c workflows.Command) json.RawMessage {
		raw, err := link.Do(t.Context(), session, c, engine.Meta{Actor: "test"})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	do(workflows.Of(sessions.Begin{Goal: "big", Mode: "auto", Workspace: "/"}))
	big := make([]byte, 5<<20)
	for i := range big {
		big[i] = byte('a' + i%26)
	}
	text, err := json.Marshal(string(big))
	if err != nil {
		t.Fatal(err)
	}
	do(workflows.Of(sessions.SetContext{Key: "k", Value: events.Value{JSON: text}}))
	raw, err := link.Query(t.Context(), "context.get", session, engine.KeyAsk{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	var got sessions.Written
	if err := json.Unmarshal(raw, &got); err != nil || string(got.Value) != string(text) {
		t.Fatalf("%d bytes of %d came back: %v", len(got.Value), len(text), err)
	}
}
