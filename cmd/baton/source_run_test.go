package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/workflows"
)

// searchService answers a search by the provider that asks: it hangs, fails, finds nothing or finds.
type searchService struct {
	mu    sync.Mutex
	asked []string
}

func (s *searchService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	provider := strings.TrimPrefix(r.URL.Path, "/")
	s.mu.Lock()
	s.asked = append(s.asked, provider+" "+r.URL.Query().Get("q"))
	s.mu.Unlock()
	switch provider {
	case "hangs":
		<-r.Context().Done()
	case "broken":
		http.Error(w, "no", http.StatusServiceUnavailable)
	case "empty":
		fmt.Fprint(w, `{"results":[]}`)
	default:
		fmt.Fprint(w, `{"results":[{"title":"found & kept","url":"https://a.example/","grade":"A"}]}`)
	}
}

// TestSearchOverHTTP: a service that times out, answers 5xx, answers empty, and then well. The chain,
// the budget and the log of downgrades are as the plan says; so they are in the log and when decided again.
func TestSearchOverHTTP(t *testing.T) {
	service := &searchService{}
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	c := newShell(t)
	c.write("sources.yaml", fmt.Sprintf(`timeout: 700ms
providers:
  tavily_search: {http: {url: "%[1]s/hangs?q={query}"}}
  bailian_web_search: {http: {url: "%[1]s/broken?q={query}"}}
  web_search: {http: {url: "%[1]s/empty?q={query}"}}
  web_fetch_direct: {http: {method: POST, url: "%[1]s/well?q={query}", body: {query: "{query}"}}}
`, server.URL))
	c.write("task.json", `{"task_type":"breaking_news","primary_subject":"bells & whistles","goal_mode":"analyze","freshness_required":"high",
		"available_sources":["web"],"need_counter_evidence":false,"budget_limit":7,"information_gaps":["cost","makers"]}`)
	var v workflows.SearchView
	c.answer(&v, 0, "source", "run", "task.json", "--sources", "sources.yaml")

	var downs []string
	for _, d := range v.DegradationLog {
		to := "∅"
		if d.ToLevel != nil {
			to = fmt.Sprint(*d.ToLevel)
		}
		if _, err := time.Parse("2006-01-02T15:04:05Z", d.Timestamp); err != nil {
			t.Error(err)
		}
		downs = append(downs, fmt.Sprintf("%d>%s %s %s", d.FromLevel, to, d.Reason, d.QueryAffected))
	}
	const one, two = "bells & whistles cost", "bells & whistles makers"
	if diff := cmp.Diff([]string{
		"1>2 timeout_30s " + one, "2>3 api_error " + one, "3>4 empty_results " + one,
		"1>2 timeout_30s " + two, "2>3 api_error " + two, "3>4 empty_results " + two,
	}, downs); diff != "" {
		t.Errorf("downgrades (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"hangs " + one, "broken " + one, "empty " + one, "well " + one, "hangs " + two, "broken " + two, "empty " + two,
	}, service.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if v.AttemptsUsed != 7 || v.Spent["web"] != 7 || v.Result.Status != "budget_spent" || len(v.Results) != 1 || v.Results[0].Title != "found & kept" {
		t.Errorf("%+v", v)
	}
	var verified struct{ Equal bool }
	if c.answer(&verified, 0, "replay", "--session", "@last", "--verify"); !verified.Equal {
		t.Error("decided again it differs")
	}
}

// shell is a home and a workspace of a test's own, and the command in them. The current folder is the
// process's: such tests do not run side by side.
type shell struct {
	t    *testing.T
	home string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	c := &shell{t, t.TempDir()}
	t.Chdir(t.TempDir())
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(c.home, "baton")
	if err := os.Symlink(binary, link); err != nil {
		t.Fatal(err)
	}
	old := os.Args[0]
	os.Args[0] = link // what starts the server
	t.Cleanup(func() {
		c.run("stop", "--force")
		os.Args[0] = old
	})
	return c
}

func (c *shell) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// read is what a file holds; nothing when it is not there.
func (c *shell) read(name string) string {
	raw, _ := os.ReadFile(name)
	return string(raw)
}

// run gives the exit status and what was said.
func (c *shell) run(args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	env := []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH"), "BATON_GRACE=1s", "LANG=C.UTF-8"}
	code = run(append(args, "--home", filepath.Join(c.home, "h")), env, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// answer runs a command with --json and reads what it prints.
func (c *shell) answer(into any, code int, args ...string) {
	c.t.Helper()
	got, stdout, stderr := c.run(append(args, "--json")...)
	if got != code {
		c.t.Fatalf("baton %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, stdout, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		c.t.Fatalf("%v in %s", err, stdout)
	}
}
