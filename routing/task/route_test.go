package task

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func router(t testing.TB) Router {
	t.Helper()
	r, err := New(Data{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fixture reads a list of cases.
func fixture[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(path.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var cases []T
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// code gives the code of a refusal; what is none is given whole.
func code(err error) string {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func asJSON(t testing.TB, v any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// routed routes a case from JSON.
func routed(r Router, query string, context json.RawMessage, hint string) (Decision, error) {
	req := Request{Query: query, ModeHint: hint}
	if context != nil {
		var err error
		if req.Context, err = ReadContext(context); err != nil {
			return Decision{}, err
		}
	}
	return r.Route(req)
}

// TestRoutes holds whole decisions against the fixture. There the delegations are written as their
// scopes alone, since goal, context and toolsets are the same for all, and files without their folder.
func TestRoutes(t *testing.T) {
	t.Parallel()
	type row struct {
		Name, Query, Hint string
		Context           json.RawMessage
		Want              map[string]any
	}
	for _, c := range fixture[row](t, "routes.json") {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			d, err := routed(router(t), c.Query, c.Context, c.Hint)
			if want, refused := c.Want["error"]; refused {
				if code(err) != want {
					t.Fatalf("error %v, want %v", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := asJSON(t, d)
			if d.Plan != nil {
				got["scopes"], got["files"] = scopes(t, d, c.Query), baseNames(t, d)
				delete(got, "delegations")
			}
			if sentence, _ := got["execution_mode"].(string); sentence == "" {
				t.Error("there is no execution_mode")
			}
			delete(got, "execution_mode")
			delete(got, "status")
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.Query, diff)
			}
		})
	}
}

func scopes(t *testing.T, d Decision, query string) []any {
	t.Helper()
	var out []any
	for _, child := range d.Delegations {
		if child.Goal != query || child.Context != "" {
			t.Errorf("the child is given %q and %q", child.Goal, child.Context)
		}
		if diff := cmp.Diff([]string{"terminal", "file", "web", "skills"}, child.Toolsets); diff != "" {
			t.Errorf("toolsets (-want +got):\n%s", diff)
		}
		if child.Scope == nil {
			out = append(out, nil)
			continue
		}
		out = append(out, any(asJSON(t, child.Scope)))
	}
	return out
}

func baseNames(t *testing.T, d Decision) []any {
	t.Helper()
	var out []any
	for _, file := range d.Files {
		dir, base := path.Split(file)
		if dir != "outputs/{session_id}/" {
			t.Errorf("%s does not lie in the folder of the session", file)
		}
		out = append(out, base)
	}
	return out
}

// TestRules says for many queries which rule decides, why, and over which atoms.
func TestRules(t *testing.T) {
	t.Parallel()
	type row struct {
		Query, Hint string
		Context     json.RawMessage
		Mode, Rule  string
		Chain       []string
		Notes       []string
	}
	r := router(t)
	for _, c := range fixture[row](t, "rules.json") {
		d, err := routed(r, c.Query, c.Context, c.Hint)
		if err != nil {
			t.Errorf("%q: %v", c.Query, err)
			continue
		}
		chain, err := r.Chain(c.Chain...)
		if err != nil {
			t.Fatal(err)
		}
		if d.Route != c.Mode || d.Rule != c.Rule || d.Status.Rule != c.Rule {
			t.Errorf("%q: %s by %s, want %s by %s", c.Query, d.Route, d.Rule, c.Mode, c.Rule)
		}
		if diff := cmp.Diff(skills(chain), d.AtomChain); diff != "" {
			t.Errorf("%q: chain (-want +got):\n%s", c.Query, diff)
		}
		if diff := cmp.Diff(append([]string{}, c.Notes...), d.Notes); diff != "" {
			t.Errorf("%q: notes (-want +got):\n%s", c.Query, diff)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	r := router(t)
	for query, want := range map[string]Status{
		"患者同时出现眼震的机制文献": {map[string]string{"parallel": "同时", "acquire": "文献"}, "acquire", 1, []string{"parallel"}},
		"刘慈欣":           {map[string]string{}, "default", 0, []string{}},
		"/web-router x": {map[string]string{"slash": "/web-router"}, "slash", 1, []string{}},
		"完整研究如何改进并验证":   {map[string]string{"research_twoloop": "完整研究", "exploratory": "改进", "verify": "验证"}, "research_twoloop", 1, []string{"exploratory", "verify"}},
	} {
		d, err := r.Route(Request{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, d.Status); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
	d, err := r.Route(Request{Query: "搜索VOR", ModeHint: "exploratory"})
	if err != nil || d.Status.Confidence != 1 || d.CyclesMin != LeastCycles || len(d.Status.Alternatives) != 1 {
		t.Errorf("with a hint: %+v, %v", d.Status, err)
	}
}

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	for want, req := range map[string]Request{
		"E_EMPTY_QUERY":    {Query: " \n\u3000\u200b"},
		"E_MODE_HINT":      {Query: "/source-router x", ModeHint: "Research"},
		"E_CONTEXT":        {Query: "搜索", Context: Context{Items: -1}},
		"E_QUERY_ENCODING": {Query: "搜索\xff"},
	} {
		_, err := router(t).Route(req)
		if code(err) != want {
			t.Errorf("%+v: %v, want %s", req, err, want)
		}
		var r *Refusal
		if errors.As(err, &r) && (r.Message == "" || r.Hint == "") {
			t.Errorf("%s does not say what is wrong and what to do: %+v", want, r)
		}
	}
}

func TestSlash(t *testing.T) {
	t.Parallel()
	reserved := []string{"goal"}
	for query, want := range map[string]Activated{
		"/a":                    {"a", ""},
		"/web-2-router  go on ": {"web-2-router", "go on"},
		"/a\nb":                 {"a", "b"},
		" /a":                   {}, "/": {}, "/A": {}, "/-a": {}, "/a-": {}, "/a--b": {}, "/a_b": {}, "/a/b": {}, "/路由 x": {}, "a": {},
		"/goal x": {}, "/ａ": {},
	} {
		got, ok := slash(query, reserved)
		if ok != (want.Skill != "") || ok && got != want {
			t.Errorf("%q: %+v, %v; want %+v", query, got, ok, want)
		}
	}
}

func TestLegacy(t *testing.T) {
	t.Parallel()
	type row struct {
		Query string
		Want  Reach
	}
	for _, c := range fixture[row](t, "legacy.json") {
		if diff := cmp.Diff(c.Want, router(t).Legacy(c.Query)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.Query, diff)
		}
	}
}

// TestBootstrap: a chain that starts in the middle needs something to start from.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	r := router(t)
	middle, err := r.Chain("HYP", "ARG", "VER")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := r.Chain("ACQ", "EXT")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, r.Bootstrap(middle, Context{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, got := range map[string][]Atom{
		"the first atom is in the chain": r.Bootstrap(whole, Context{}),
		"there are outputs":              r.Bootstrap(middle, Context{Outputs: []string{"associations"}}),
		"atoms are done":                 r.Bootstrap(middle, Context{Executed: []string{"ASC"}}),
	} {
		if len(got) > 0 {
			t.Errorf("%s, and still %v run first", name, got)
		}
	}
}
