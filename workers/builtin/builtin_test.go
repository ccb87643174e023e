package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/builtin"
)

func TestBuiltins(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings, input string
		value, code     string
	}{
		"echo":                {`"echo"`, `{"inputs":{"a": 1},"context":{}}`, `{"a": 1}`, ""},
		"echo of nothing":     {`"echo"`, ``, `null`, ""},
		"noop":                {`"noop"`, `{"inputs":{"a":1}}`, `null`, ""},
		"merge":               {`"merge"`, `{"context":{"b":{"y":2,"z":[3, 4]},"a":{"x":"<1>","z":[3,4]}}}`, `{"x":"<1>","y":2,"z":[3,4]}`, ""},
		"merge of nothing":    {`"merge"`, `{"context":{}}`, `{}`, ""},
		"merge of a list":     {`"merge"`, `{"context":{"a":[1]}}`, ``, "merge_not_object"},
		"merge of null":       {`"merge"`, `{"context":{"a":null}}`, ``, "merge_not_object"},
		"merge of two minds":  {`"merge"`, `{"context":{"a":{"x":1},"b":{"x":2}}}`, ``, "merge_conflict"},
		"unknown":             {`"sort"`, `{}`, ``, "builtin_unknown"},
		"a first cycle":       {`"task-cycle"`, `{"inputs":{"measure":{"metric":"m","target":2},"stop":false,"result":"r","before":"b"},"context":{"r":{"m":1}}}`, `{"cycles":1,"stagnant":0,"met":false,"exit":"","metric":"m","target":2,"verdict":"progress","score":1,"kept":true,"best":{"score":1,"at":1}}`, ""},
		"a stopped cycle":     {`"task-cycle"`, `{"inputs":{"measure":{"metric":"m","target":2},"stop":"please","result":"r","before":"b"},"context":{"b":{"cycles":1}}}`, `{"cycles":2,"stagnant":0,"met":false,"exit":"user_interrupt","metric":"m","target":2,"verdict":"user_stop","score":null,"kept":false,"best":{"score":null,"at":0}}`, ""},
		"a first round":       {`"task-round"`, `{"inputs":{"measure":{"metric":"m","target":2},"result":"r"},"context":{"r":{"m":2}}}`, `{"inner":1,"outer":0,"unreviewed":1,"on_plan":1,"converging":1,"exit":"","metric":"m","target":2,"result":"converged","score":2,"best":{"score":2,"at":1},"gained":1,"recent":[{"n":1,"result":"converged","score":2}]}`, ""},
		"an early review":     {`"task-review"`, `{"inputs":{"measure":{"metric":"m","target":2}},"context":{}}`, `{"inner":0,"outer":1,"unreviewed":0,"on_plan":0,"converging":0,"exit":"","metric":"m","target":2,"decision":"continue","best":{"score":null,"at":0},"gained":0,"recent":null}`, ""},
		"a loop that is over": {`"task-cycle"`, `{"inputs":{"before":"b"},"context":{"b":{"exit":"target_met"}}}`, ``, "E_RUN_OVER"},
		"an inner plan":       {`"task-round"`, `{"inputs":{"result":"r"},"context":{"r":{"plan_changed":true}}}`, ``, "E_INNER_CHANGED_PLAN"},
		"a broken turn":       {`"task-round"`, `{"inputs":[]}`, ``, "builtin_input"},
		"a broken notebook":   {`"task-review"`, `{"inputs":{"before":"b"},"context":{"b":[]}}`, ``, "builtin_input"},
		"by an object":        {`{"name":"noop"}`, `{}`, `null`, ""},
		"no name":             {`["echo"]`, `{}`, ``, "builtin_settings"},
		"nothing":             {``, `{}`, ``, "builtin_settings"},
		"broken input":        {`"echo"`, `{"inputs"`, ``, "builtin_input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := workers.Task{Execute: json.RawMessage(test.settings), Input: json.RawMessage(test.input)}
			got := builtin.Executor{}.Execute(t.Context(), in, nil)
			code := ""
			if got.Failure != nil {
				code = got.Failure.Code
				if got.Failure.Class != workers.Terminal || got.Failure.Message == "" {
					t.Errorf("got %+v; want a terminal failure that says why", *got.Failure)
				}
			}
			if diff := cmp.Diff([]string{test.value, test.code}, []string{string(got.Value), code}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEndedBeforeItBegan(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]string{
		workers.ErrCancelled:     workers.Cancelled,
		workers.ErrStale:         workers.Stale,
		workers.ErrDeadline:      workers.Timeout,
		workers.ErrStopping:      workers.Lost,
		context.DeadlineExceeded: workers.Timeout,
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		got := builtin.Executor{}.Execute(ctx, workers.Task{Execute: json.RawMessage(`"noop"`)}, nil)
		if got.Failure == nil || got.Failure.Class != want {
			t.Errorf("%v: got %+v; want class %s", cause, got.Failure, want)
		}
	}
}

// TestEffectsAreGivenFromOutside: they see the task, the document and where to speak; without them their
// names are unknown.
func TestEffectsAreGivenFromOutside(t *testing.T) {
	t.Parallel()
	e := builtin.Executor{Effects: map[string]builtin.Effect{
		"reach": func(_ context.Context, t workers.Task, in builtin.Input, live io.Writer) (json.RawMessage, *events.Failure) {
			fmt.Fprint(live, "reaching")
			return json.RawMessage(`"` + t.Run + string(in.Inputs) + `"`), nil
		},
	}}
	task := workers.Task{Run: "r", Execute: json.RawMessage(`"reach"`), Input: json.RawMessage(`{"inputs":1}`)}
	var said strings.Builder
	if got := e.Execute(t.Context(), task, &said); string(got.Value) != `"r1"` || said.String() != "reaching" {
		t.Errorf("got %+v, said %q", got, said.String())
	}
	if got := (builtin.Executor{}).Execute(t.Context(), task, nil); got.Failure == nil || got.Failure.Code != "builtin_unknown" {
		t.Errorf("without effects: got %+v", got)
	}
}
