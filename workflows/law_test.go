package workflows_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
	"github.com/batonflow/baton/workflows/template"
)

// everything looks into every field. Templates are compared by their texts, which runs hold; elements are
// what a value holds, kept once they were looked up.
var everything = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b *template.Template) bool { return (a == nil) == (b == nil) }),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".elements" }, cmp.Ignore()),
}

// words are what random fields hold: few enough that events meet each other.
var words = map[string][]string{
	"Call":   {"c001", "c002", "r1/a", "r1/b", "r1/c", "zz"},
	"Step":   {"a", "b", "c", "zz"},
	"Run":    {"r1", "r2", "r1/b", ""},
	"Parent": {"", "", "r1/b", "r1/a"}, "Purpose": {"", "", "probe", "compensate"}, "Action": {"retry", "skip", "fail"},
	"About": {"", "unknown", "budget"}, "Class": {"retryable", "terminal", "lost", "unknown", "timeout"},
	"Timer":  {"r1/a@1", "r1/b@1", "zz"},
	"Queue":  {"", "default", "skills"},
	"Worker": {"", "p.1", "p.2"},
	"Key":    {"x", "y"},
	"At":     {"2026-01-01T00:00:10Z", "whenever"},
	"Status": {"ok", "failed", "skipped", ""},
	"Text": {
		"steps:\n  - {id: a, run: {builtin: noop}, output: x}\n  - {id: b, run: {builtin: noop}, input: [x]}\n  - {id: c, intent: \"use the writer\"}\n",
		"order: dataflow\nlimits: {parallel: 1}\non_failure: continue\nsteps:\n  - {id: a, run: {builtin: noop}, retry: {attempts: 3}}\n  - {id: b, run: {builtin: noop}}\n",
		"on_failure: compensate\nlimits: {budget: {tokens: 1}}\nsteps:\n  - {id: a, run: {exec: [x]}, effects: at-most-once, unknown: {probe: {exec: [y]}}, compensate: {exec: [z]}}\n  - {id: b, run: {workflow: w}, retry: {attempts: 2}}\n",
		"on_failure: c\norder: dataflow\nsteps:\n  - {id: a, run: {exec: [x]}, foreach: '[1, 2]', join: any}\n  - {id: b, run: {approve: {}}}\n  - {id: c, run: {wait: {signal: go}}}\n",
		"no template", "", searchDocument,
	},
	"Router": {"", "", "source", "web", "zz"},
	"Mode":   {"auto", "always"},
	"Kind":   {"handoff", "rollback", "backoff"},
	"To":     {"a", "b"},
}

// fill gives every field of a struct a random value of its kind.
func fill(t *rapid.T, v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fill(t, f, v.Type().Field(i).Name)
			}
		}
	case reflect.String:
		choices := words[name]
		if choices == nil {
			choices = []string{"", "w"}
		}
		v.SetString(rapid.SampledFrom(choices).Draw(t, name))
	case reflect.Int:
		v.SetInt(int64(rapid.IntRange(-1, 3).Draw(t, name)))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64Range(0, 3).Draw(t, name))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, name))
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(rapid.SampledFrom([]string{`1`, `{"exec":["./a"]}`, `{"outcome":"ok","results":1,"adds":{}}`, `{"outcome":"quota_exhausted"}`}).Draw(t, name)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 2).Draw(t, name), 2))
		for i := range v.Len() {
			fill(t, v.Index(i), "Step")
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, name) {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), name)
		}
	}
}

func drawEvent(t *rapid.T, n int) events.Event {
	entry := rapid.SampledFrom(events.Catalogue).Draw(t, "type")
	v := reflect.New(reflect.TypeOf(entry.Zero())).Elem()
	fill(t, v, "")
	e := events.New(v.Interface().(events.Data))
	if rapid.IntRange(0, 60).Draw(t, "unknown") == 0 {
		e = events.Event{Type: "x.y", V: 9, Data: events.Unknown{}}
	}
	e.ID, e.Time = fmt.Sprintf("e%03d", n), time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC)
	e.Request = rapid.SampledFrom([]string{"", "", "q1"}).Draw(t, "request")
	return e
}

// TestAnyEventsInAnyOrder: a fold never fails, gives the same state every time, and whatever is decided
// on that state neither panics nor changes it.
func TestAnyEventsInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one, two := workflows.New("s1"), workflows.New("s1")
		var all []events.Event
		for n := range rapid.IntRange(1, 40).Draw(t, "events") {
			e := drawEvent(t, n)
			all = append(all, e)
			one.Fold(e)
		}
		for range 200 {
			facts := workflows.Follow(one, plainWorld{})
			if len(facts) == 0 {
				break
			}
			for _, d := range facts {
				e := events.New(d)
				e.Time = time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)
				all = append(all, e)
				one.Fold(e)
			}
		}
		for _, e := range all {
			two.Fold(e)
		}
		if diff := cmp.Diff(one, two, everything); diff != "" {
			t.Fatalf("folding again gave another state: %s", diff)
		}
		decideEverything(t, one)
		if diff := cmp.Diff(one, two, everything); diff != "" {
			t.Fatalf("deciding changed the state: %s", diff)
		}
	})
}

// kinds are all commands there are.
var kinds = []workflows.Command{
	workflows.Of(sessions.Begin{}), workflows.Of(sessions.End{}), workflows.Of(sessions.AskRoute{}), workflows.Of(sessions.Open{}),
	workflows.Close{}, workflows.Of(sessions.Suspend{}), workflows.Of(sessions.Resume{}), workflows.Of(sessions.SetContext{}),
	workflows.Of(sessions.DeleteContext{}), workflows.Of(sessions.RollBackContext{}), workflows.Of(sessions.MakeSwitch{}),
	workflows.Claim{}, workflows.Finish{}, workflows.Release{}, workflows.Start{}, workflows.Cancel{}, workflows.ResumeRun{}, workflows.Fire{},
	workflows.Approve{}, workflows.SendSignal{}, workflows.Resolve{}, workflows.Repeat{}, workflows.Fork{}, workflows.CallChild{}, workflows.StopChild{}, workflows.ChildOver{},
}

func decideEverything(t *rapid.T, s *workflows.State) {
	for _, kind := range kinds {
		v := reflect.New(reflect.TypeOf(kind)).Elem()
		fill(t, v, "")
		c := v.Interface().(workflows.Command)
		facts, err := c.Decide(s, plainWorld{})
		if _, refused := err.(*sessions.Refusal); err != nil && !refused {
			t.Fatalf("%s: %v is no refusal", workflows.NameOf(c), err)
		}
		if err != nil && len(facts) > 0 {
			t.Fatalf("%s was refused and says %v", workflows.NameOf(c), facts)
		}
		for _, run := range s.RunOrder {
			if _, err := s.View(run, plainWorld{}); err != nil {
				t.Fatalf("view: %v", err)
			}
			if _, err := s.Why(run); err != nil {
				t.Fatalf("why: %v", err)
			}
		}
	}
}

// TestCommandsComeBackOverTheWire: every command has a name, is read back as it was, and is refused
// with a field that this Baton does not know.
func TestCommandsComeBackOverTheWire(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		v := reflect.New(reflect.TypeOf(kind)).Elem()
		fill(t, v, "")
		c := v.Interface().(workflows.Command)
		name := workflows.NameOf(c)
		raw, err := events.Marshal(c)
		if err != nil || name == "" {
			t.Fatalf("%T: name %q, %v", c, name, err)
		}
		back, err := workflows.Decode(name, raw)
		if err != nil {
			t.Fatalf("%s %s: %v", name, raw, err)
		}
		again, err := events.Marshal(back)
		if err != nil || string(again) != string(raw) || reflect.TypeOf(back) != reflect.TypeOf(c) {
			t.Fatalf("%s came back as %T %s, was %s: %v", name, back, again, raw, err)
		}
		if _, err := workflows.Decode(name, json.RawMessage(`{"of_a_newer_baton":1}`)); err == nil {
			t.Fatalf("%s: an unknown field was taken", name)
		}
	})
}

// FuzzDecode: whatever comes over the wire is a command or a refusal.
func FuzzDecode(f *testing.F) {
	for _, kind := range kinds {
		raw, err := events.Marshal(kind)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(workflows.NameOf(kind), []byte(raw))
	}
	f.Add("call.open", []byte(`{"skill":1}`))
	f.Add("call.open", []byte(`{"skill":"a"} {"skill":"b"}`))
	f.Add("", []byte(``))
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		c, err := workflows.Decode(name, raw)
		if _, refused := err.(*sessions.Refusal); err != nil && !refused {
			t.Fatalf("%v is no refusal", err)
		}
		if err == nil && workflows.NameOf(c) != name {
			t.Fatalf("%q was read as %q", name, workflows.NameOf(c))
		}
	})
}
