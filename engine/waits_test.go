package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

const waitSession = "0189f000-0000-7000-8000-0000000000aa"

// tell asks for something in the session of these tests.
func (w *world) tell(t *testing.T, c workflows.Command) error {
	t.Helper()
	_, err := w.Do(t.Context(), waitSession, c, engine.Meta{Actor: "test"})
	return err
}

func code(err error) string {
	var r *sessions.Refusal
	if errors.As(err, &r) {
		return r.Code
	}
	return ""
}

func TestTheFirstAnswerCountsAndTheGuardedStepStartsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 2})
	w.start(t, waitSession, "name: x\nsteps:\n  - {id: ok, run: {approve: {question: 'go on?'}}, output: ok}\n  - {id: pub, run: {builtin: noop}, confirm: true}\n")
	if v := w.view(t, waitSession); v.Status != workflows.Waiting || v.Steps[0].Status != "waiting" {
		t.Fatalf("%+v", v)
	}
	if err := w.tell(t, workflows.Approve{Run: "r1", Step: "ok", Yes: true, By: "ada"}); err != nil {
		t.Fatal(err)
	}
	if got := code(w.tell(t, workflows.Approve{Run: "r1", Step: "ok", By: "bob"})); got != "approval_decided" {
		t.Errorf("a second answer gives %q", got)
	}
	if got := w.ledger.starts("r1/pub"); len(got) != 0 {
		t.Fatalf("pub started unconfirmed: %v", got)
	}
	if err := w.tell(t, workflows.Approve{Run: "r1", Step: "pub", Yes: true, By: "ada"}); err != nil {
		t.Fatal(err)
	}
	v := w.await(t, waitSession)
	if v.Status != workflows.Completed || !strings.Contains(string(v.Outputs["ok"]), `"by":"ada"`) || len(w.ledger.starts("r1/pub")) != 1 {
		t.Errorf("%+v, starts %v", v, w.ledger.starts("r1/pub"))
	}
}

func TestSilenceAndNoAreANo(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"expires: 20ms": "approval_expired", "expires: 1h": "denied"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worldConfig{slots: 1})
			w.start(t, waitSession, "name: x\nsteps:\n  - {id: ok, run: {approve: {question: q, "+name+"}}}\n  - {id: pub, run: {builtin: noop}}\n")
			if want == "denied" {
				if err := w.tell(t, workflows.Approve{Run: "r1", Step: "ok", By: "ada"}); err != nil {
					t.Fatal(err)
				}
			}
			v := w.await(t, waitSession)
			if v.Status != workflows.Failed || v.Steps[0].Error == nil || v.Steps[0].Error.Code != want || len(w.ledger.starts("r1/pub")) != 0 {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestASignalThatComesEarlyIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 1})
	w.start(t, waitSession, "name: x\nsteps:\n  - {id: nap, run: {wait: {for: 30ms}}}\n  - {id: sig, run: {wait: {signal: go}}, output: s}\n  - {id: sig2, run: {wait: {signal: go}}, output: s2}\n")
	if err := w.tell(t, workflows.SendSignal{Run: "r1", Name: "go", Value: events.Value{JSON: json.RawMessage(`1`)}}); err != nil {
		t.Fatal(err)
	}
	if err := w.tell(t, workflows.SendSignal{Run: "r1", Name: "go", Value: events.Value{JSON: json.RawMessage(`2`)}}); err != nil {
		t.Fatal(err)
	}
	v := w.await(t, waitSession)
	if v.Status != workflows.Completed || string(v.Outputs["s"]) != "1" || string(v.Outputs["s2"]) != "2" {
		t.Errorf("%+v", v)
	}
}

const list = "name: x\norder: dataflow\nsteps:\n  - {id: l, run: {builtin: noop}, output: l}\n  - {id: each, foreach: \"ctx['l']\", concurrency: 2, JOIN run: {builtin: noop}, output: r}\n"

// items runs the list template: step l gives [0,1,2,3], items named in bad fail.
func items(t *testing.T, join string, bad map[string]bool) *world {
	t.Helper()
	w := newWorld(t, worldConfig{slots: 4, work: func(_ context.Context, task workers.Task) workers.Outcome {
		if task.Step == "l" {
			return workers.Outcome{Value: json.RawMessage(`[0,1,2,3]`)}
		}
		var in struct {
			Item json.RawMessage `json:"item"`
		}
		if err := json.Unmarshal(task.Input, &in); err != nil || bad[string(in.Item)] && task.Attempt == 1 {
			return workers.Failed(workers.Terminal, "bad", "on purpose")
		}
		return workers.Outcome{Value: in.Item}
	}})
	w.start(t, waitSession, strings.Replace(list, "JOIN ", join, 1))
	return w
}

func TestJoins(t *testing.T) {
	t.Parallel()
	one, three := map[string]bool{"1": true}, map[string]bool{"1": true, "2": true, "3": true}
	for _, c := range []struct {
		join  string
		fails map[string]bool
		want  string
	}{
		{"", one, `failed `},
		{"join: best-effort, ", one, `completed [{"status":"ok","value":0},{"status":"failed"`},
		{"join: {quorum: 0.75}, ", one, `completed [{"status":"ok","value":0},{"status":"`}, // failed, or cancelled when the others were first
		{"join: any, ", three, `completed [{"status":"ok","value":0}`},                      // with fewer that fail, any of the others may be first
	} {
		t.Run(c.join, func(t *testing.T) {
			t.Parallel()
			v := items(t, c.join, c.fails).await(t, waitSession)
			if got := string(v.Status) + " " + string(v.Outputs["r"]); !strings.HasPrefix(got, c.want) {
				t.Errorf("got %s, want %s…", got, c.want)
			}
		})
	}
}

func TestResumeOpensOnlyTheItemsThatAreNotDone(t *testing.T) {
	t.Parallel()
	w := items(t, "", map[string]bool{"3": true})
	if v := w.await(t, waitSession); v.Status != workflows.Failed {
		t.Fatalf("%+v", v)
	}
	after := w.last(t)
	if err := w.tell(t, workflows.ResumeRun{Run: "r1", By: "me"}); err != nil {
		t.Fatal(err)
	}
	w.awaitAfter(t, waitSession, after)
	v := w.view(t, waitSession)
	if v.Status != workflows.Completed || string(v.Outputs["r"]) != `[0,1,2,3]` {
		t.Errorf("%+v", v)
	}
	for _, item := range []string{"0", "1", "2"} {
		if got := w.ledger.starts("r1/each[" + item + "]"); len(got) != 1 {
			t.Errorf("item %s started %v", item, got)
		}
	}
}
