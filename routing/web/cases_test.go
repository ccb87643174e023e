package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func load(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func adapters(t testing.TB) Adapters {
	t.Helper()
	a, err := DefaultAdapters()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// story is a task with its outcomes; host names one of the hosts of the file, or is one.
type story struct {
	Name, Tells             string
	Request, Host, Outcomes json.RawMessage
	Want                    json.RawMessage
}

type stories struct {
	Hosts map[string]json.RawMessage
	Cases []story
}

// rehearse goes the way of a program outside: through the decoder, and back as JSON.
func (s story) rehearse(t *testing.T, hosts map[string]json.RawMessage) (Rehearsal, []byte) {
	t.Helper()
	host := s.Host
	var name string
	if host == nil {
		name = "usual"
	}
	if name != "" || json.Unmarshal(host, &name) == nil {
		host = hosts[name]
	}
	raw, err := json.Marshal(map[string]any{"id": s.Name, "request": s.Request, "host": host, "outcomes": s.Outcomes})
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadCase(raw)
	if err != nil {
		t.Fatal(err)
	}
	r := Rehearse(c, adapters(t))
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return r, got
}

func TestTasks(t *testing.T) {
	t.Parallel()
	var all stories
	load(t, "tasks.json", &all)
	if len(all.Cases) < 20 {
		t.Fatalf("only %d cases", len(all.Cases))
	}
	for _, s := range all.Cases {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			_, raw := s.rehearse(t, all.Hosts)
			var got, want any
			if err := errors.Join(json.Unmarshal(raw, &got), json.Unmarshal(s.Want, &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", s.Tells, diff)
			}
		})
	}
}

// TestStories tells more tasks as text: read the golden to see what the router does.
func TestStories(t *testing.T) {
	t.Parallel()
	var usual stories
	load(t, "tasks.json", &usual)
	var all []story
	load(t, "stories.json", &all)
	var told strings.Builder
	for _, s := range all {
		r, _ := s.rehearse(t, usual.Hosts)
		told.WriteString(tell(t, s, r))
	}
	const golden = "testdata/stories.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(told.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), told.String()); diff != "" {
		t.Errorf("stories (-want +got):\n%s", diff)
	}
}

func tell(t *testing.T, s story, r Rehearsal) string {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", s.Name)
	for _, e := range r.Trace {
		fmt.Fprintf(&out, "%s\n", line(t, e))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&out, "note %s %s\n", n.Kind, n.Reason)
	}
	fmt.Fprintf(&out, "=> %s\n\n", line(t, r.Final))
	return out.String()
}

// line writes a value's fields in their order.
func line(t *testing.T, v any) string {
	t.Helper()
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`","`, ` `, `":"`, `=`, `,"`, ` `, `":`, `=`, `"`, ``, "{", "", "}", "").Replace(raw.String())
	return strings.TrimPrefix(strings.TrimSpace(text), "event=")
}

func TestAnythingElseThanACaseIsRefused(t *testing.T) {
	t.Parallel()
	good := `{"request": %s, "host": {"tools": %s}, "outcomes": %s}`
	for name, c := range map[string]struct{ request, tools, outcomes, names string }{
		"nothing asked":       {`{}`, `[]`, `[]`, "request.query"},
		"a misspelt rule":     {`{"query": "q", "forbidden": ["browser"]}`, `[]`, `[]`, "forbidden"},
		"below none":          {`{"query": "q", "enough": -1}`, `[]`, `[]`, "request.enough"},
		"text for a list":     {`{"urls": "https://a.example"}`, `[]`, `[]`, "urls"},
		"a tool without name": {`{"query": "q"}`, `[{}]`, `[]`, "host.tools[0].name"},
		"unknown capability":  {`{"query": "q"}`, `[{"name": "x", "capability": "fly"}]`, `[]`, "host.tools[0].capability"},
		"unknown scope":       {`{"query": "q"}`, `[{"name": "x", "scope": "world"}]`, `[]`, "host.tools[0].scope"},
		"no pair":             {`{"query": "q"}`, `[{"name": "x", "supports": [["s"]]}]`, `[]`, "host.tools[0].supports"},
		"too much structure":  {`{"query": "q"}`, `[{"name": "x", "structured": 4}]`, `[]`, "host.tools[0].structured"},
		"no rate":             {`{"query": "q"}`, `[{"name": "x", "failure_rate": 2}]`, `[]`, "host.tools[0].failure_rate"},
		"listed twice":        {`{"query": "q"}`, `[{"name": "x"}, {"name": "x"}]`, `[]`, "host.tools[1].name"},
		"no result":           {`{"query": "q"}`, `[]`, `[{"result": "ok"}, {}]`, "outcomes[1].result"},
		"back in time":        {`{"query": "q"}`, `[]`, `[{"result": "timeout", "retry_after_s": -1}]`, "outcomes[0].retry_after_s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadCase(fmt.Appendf(nil, good, c.request, c.tools, c.outcomes))
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.names) {
				t.Errorf("got %v, want an input error that names %s", err, c.names)
			}
		})
	}
	for _, raw := range []string{``, `[]`, `{}`, `{"request": {"query": "q"}}`, `{"request": 1, "host": 2}`, `{"request": {"query": "q"}, "host": {}} x`} {
		if _, err := ReadCase([]byte(raw)); !errors.Is(err, ErrInput) {
			t.Errorf("%s: got %v, want an input error", raw, err)
		}
	}
}

func TestABodyThatIsNoneIsASkeleton(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Status{`true`: Completed, `"text"`: Completed, `null`: Completed, `false`: Failed, `""`: Failed, `"skeleton"`: Failed} {
		c, err := ReadCase(fmt.Appendf(nil, `{"request": {"urls": ["https://a.example"]}, "host": {"tools": [{"name": "curl"}]}, "outcomes": [{"result": "ok", "body": %s, "bytes": 9}]}`, body))
		if err != nil {
			t.Fatal(err)
		}
		if got := Rehearse(c, adapters(t)).Final.Status; got != want {
			t.Errorf("body %s: got %s, want %s", body, got, want)
		}
	}
}
