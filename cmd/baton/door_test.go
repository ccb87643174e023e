package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// doors is one home, asked through the command and over HTTP.
type doors struct {
	*testing.T
	dir, url, token string
}

func newDoors(t *testing.T) *doors {
	t.Helper()
	d := &doors{T: t, dir: t.TempDir()}
	d.Cleanup(func() { d.command("stop", "--force") })
	d.command("status")
	home := host.Home{Dir: filepath.Join(d.dir, "home")}
	e, err := home.Endpoint()
	if err != nil {
		t.Fatal(err)
	}
	d.url = e.HTTP
	if d.token, err = home.HTTPToken(); err != nil {
		t.Fatal(err)
	}
	return d
}

// command gives what a command prints with --json.
func (d *doors) command(args ...string) string {
	d.Helper()
	var out, errs bytes.Buffer
	env := []string{"HOME=" + d.dir, "BATON_HOME=" + filepath.Join(d.dir, "home"), "PATH=" + os.Getenv("PATH")}
	run(append(args, "--json", "--quiet"), env, strings.NewReader(""), &out, &errs)
	if out.Len() == 0 {
		d.Fatalf("%v: %s", args, errs.String())
	}
	return strings.TrimSpace(out.String())
}

// http gives what the same operation answers; a body makes it a POST.
func (d *doors) http(path, body string) string {
	d.Helper()
	method, from := "GET", io.Reader(nil)
	if body != "" {
		method, from = "POST", strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(d.Context(), method, d.url+path, from)
	if err != nil {
		d.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		d.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		d.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		d.Errorf("%s: %d", path, answer.StatusCode)
	}
	return strings.TrimSpace(string(raw))
}

func field[T any](t *testing.T, raw string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

const doorTemplate = `
name: door
steps:
  - {id: one, run: {exec: [sh, -c, 'echo 1']}, output: one}
  - {id: two, run: {exec: ["false"]}}
`

// TestBothDoorsAnswerTheSame asks the same through the command and over HTTP, to the byte.
func TestBothDoorsAnswerTheSame(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	template := filepath.Join(d.dir, "door.yaml")
	if err := os.WriteFile(template, []byte(doorTemplate), 0o644); err != nil {
		t.Fatal(err)
	}
	begun := field[sessions.Begun](t, d.command("session", "new", "--goal", "both doors"))
	s := "/v1/sessions/" + begun.Session
	d.command("ctx", "set", "a/b", `{"n":1}`, "--json-value", "--session", begun.Session)
	d.http(s+"/calls", `{"skill":"tavily","intent":"look","reads":["a/b"],"writes":["c"]}`)
	d.http(s+"/switches", `{"to":"other","reason":"it asks for it","keep_open":true}`)
	ran := field[workflows.View](t, d.command("workflow", "run", template, "--session", begun.Session))
	waits := field[workflows.View](t, d.http("/v1/runs", `{"text":"steps:\n  - {id: ask, run: {approve: {question: 'go on?'}}}\n","wait":20}`))
	if ran.Status != workflows.Failed || waits.Status != workflows.Waiting {
		t.Fatalf("the runs are %s and %s", ran.Status, waits.Status)
	}
	at := "?workspace=" + url.QueryEscape(begun.Workspace)
	for path, args := range map[string][]string{
		"/v1/sessions": {"session", "list"}, s: {"session", "show", begun.Session}, s + "/calls": {"call", "list"}, s + "/calls?open=true": {"call", "list", "--open"},
		s + "/calls/c001": {"call", "show", "c001"}, s + "/calls/one": {"call", "show", "one"}, s + "/context": {"ctx", "list"}, s + "/context/a%2Fb": {"ctx", "get", "a/b"},
		s + "/context/a%2Fb/history": {"ctx", "history", "a/b"}, s + "/trace": {"trace"}, s + "/trace?format=mermaid": {"trace", "--format", "mermaid"}, s + "/replay": {"replay"},
		"/v1/runs": {"workflow", "list", "--session", ""}, "/v1/runs?status=failed": {"workflow", "list", "--status", "failed", "--session", ""}, "/v1/runs/" + ran.Run: {"workflow", "show", ran.Run},
		"/v1/runs/" + waits.Run + "/why": {"why", waits.Run, "--session", ""}, "/v1/dead-letters": {"workflow", "dlq", "list"}, "/v1/dead-letters?run=" + ran.Run: {"workflow", "dlq", "list", ran.Run},
		"/v1/approvals": {"workflow", "approvals"}, "/v1/skills" + at: {"skills", "scan"}, "/v1/acquisitions": {"acquire", "status", "--all", "--session", ""},
	} {
		if len(args) > 0 && args[0] != "session" && args[len(args)-1] != "" {
			args = append(args, "--session", begun.Session)
		}
		if diff := cmp.Diff(d.command(args...), d.http(path, "")); diff != "" {
			t.Errorf("%v and %s differ (-command +http):\n%s", args, path, diff)
		}
	}
	if t.Failed() {
		return
	}
	d.sameQuestions(template)
}

// sameQuestions asks what is told in a body.
func (d *doors) sameQuestions(template string) {
	d.Helper()
	source := `{"task_type":"deep_research","primary_subject":"solid-state batteries","goal_mode":"analyze","freshness_required":"medium","available_sources":["web","vector"],"need_counter_evidence":false}`
	document := filepath.Join(d.dir, "task.json")
	if err := os.WriteFile(document, []byte(source), 0o644); err != nil {
		d.Fatal(err)
	}
	for path, both := range map[string]struct {
		body string
		args []string
	}{
		"/v1/source/plan":        {`{"task":` + source + `}`, []string{"source", "plan", document}},
		"/v1/web/route":          {`{"query":"read https://example.org/page","need":{"js":true}}`, []string{"web", "route", "read https://example.org/page", "--need", "js"}},
		"/v1/web/recover":        {`{"errors":["http_503","captcha"],"write":true}`, []string{"web", "recover", "--error", "http_503", "--error", "captcha", "--write"}},
		"/v1/web/urls":           {`{"urls":["HTTP://Example.ORG:80/a/../b?utm_source=x#y","x"]}`, []string{"web", "urls", "HTTP://Example.ORG:80/a/../b?utm_source=x#y", "x"}},
		"/v1/task/route":         {`{"query":"find papers on 3D nystagmus","context":{"items":25}}`, []string{"task", "route", "find papers on 3D nystagmus", "--context", `{"items":25}`}},
		"/v1/intent/parse":       {`{"text":"research agents, then write an article"}`, []string{"intent", "parse", "research agents, then write an article"}},
		"/v1/sentinel/check":     {`{"task":"scan my own server for open ports"}`, []string{"sentinel", "check", "scan my own server for open ports"}},
		"/v1/workflows/validate": {`{"template":"` + template + `"}`, []string{"workflow", "validate", template}},
		"/v1/workflows/draft":    {`{"text":"search for news on agents and summarize it"}`, []string{"workflow", "from-text", "search for news on agents and summarize it"}},
		"/v1/skills/search":      {`{"task":"draw a diagram","top":3}`, []string{"skills", "search", "draw a diagram", "--top", "3"}},
	} {
		if diff := cmp.Diff(d.command(both.args...), d.http(path, both.body)); diff != "" {
			d.Errorf("%v and %s differ (-command +http):\n%s", both.args, path, diff)
		}
	}
}

// TestBothDoorsRefuseTheSame holds the codes against each other.
func TestBothDoorsRefuseTheSame(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	begun := field[sessions.Begun](t, d.command("session", "new", "--goal", "both doors"))
	s := "/v1/sessions/" + begun.Session
	row := field[[]projections.SessionRow](t, d.command("session", "list"))
	if len(row) != 1 {
		t.Fatalf("%d sessions", len(row))
	}
	for _, tc := range []struct {
		method, path, body, code string
		status                   int
		args                     []string
	}{
		{"GET", "/v1/sessions/0000", "", "session_not_found", 404, []string{"session", "show", "0000"}},
		{"GET", s + "/calls/c009", "", "call_not_found", 404, []string{"call", "show", "c009"}},
		{"GET", s + "/context/none", "", "key_not_found", 404, []string{"ctx", "get", "none"}},
		{"POST", "/v1/sessions", `{"goal":"g","mode":"x"}`, "bad_mode", 400, []string{"session", "new", "--goal", "g", "--mode", "x"}},
		{"POST", s + "/switches", `{"to":"x","kind":"y","reason":"z"}`, "bad_kind", 400, []string{"switch", "--to", "x", "--kind", "y", "--reason", "z"}},
		{"GET", "/v1/runs/r-none", "", "run_not_found", 404, []string{"workflow", "show", "r-none"}},
		{"GET", "/v1/runs?status=lost", "", "bad_status", 400, []string{"workflow", "list", "--status", "lost"}},
		{"POST", "/v1/runs", `{"template":"nowhere"}`, "template_not_found", 404, []string{"workflow", "run", "nowhere"}},
		{"POST", "/v1/claims", `{"queue":"none"}`, "queue_empty", 404, []string{"call", "claim", "--queue", "none"}},
		{"POST", s + "/calls/c001/close", `{"status":"ok"}`, "call_not_found", 404, []string{"call", "close", "--id", "c001", "--status", "ok"}},
		{"GET", "/v1/skills/none", "", "skill_not_found", 404, []string{"skills", "show", "none"}},
		{"POST", "/v1/routes", `{"session":"` + begun.Session + `","task":"x","top":-1}`, "bad_top", 400, []string{"route", "x", "--top", "-1"}},
	} {
		var got struct{ Error struct{ Code string } }
		if err := json.Unmarshal([]byte(d.command(tc.args...)), &got); err != nil || got.Error.Code != tc.code {
			t.Errorf("%v: %+v, want %s", tc.args, got, tc.code)
		}
		r, err := http.NewRequestWithContext(t.Context(), tc.method, d.url+tc.path, strings.NewReader(tc.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+d.token)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var problem struct{ Code, Detail, Hint string }
		if err := json.NewDecoder(answer.Body).Decode(&problem); err != nil {
			t.Error(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != tc.status || problem.Code != tc.code || problem.Detail == "" || problem.Hint == "" {
			t.Errorf("%s %s: %d %+v, want %d %s", tc.method, tc.path, answer.StatusCode, problem, tc.status, tc.code)
		}
	}
}
