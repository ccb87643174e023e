package page

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream/memory"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// hostile is a text that would be markup, script or an attribute anywhere it were not escaped.
const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(2)>{{.}}javascript:alert(3)` + "`${alert(4)}`"

// skills decides every task for the same candidates, with hostile texts in all of them.
type skills struct{}

func (skills) Route(_ context.Context, _ string, task sessions.RouteTask) (events.Data, error) {
	return events.RouteDecided{
		Task: task.Task, Mode: "auto", Threshold: 8, Margin: 2, Decision: "auto", Reason: "because " + hostile, Chosen: "skill-a",
		Candidates: []events.Candidate{{Name: "skill-a", Tier: hostile, Score: 12.5, Path: hostile, Description: hostile, Why: []string{hostile}}, {Name: hostile, Score: 3}},
		Warnings:   []string{hostile}, Lacking: []string{hostile}, HighRisk: hostile, Index: "feed", Exclude: []string{hostile},
	}, nil
}
func (skills) Resolve(context.Context, string, string, string) sessions.Resolution {
	return sessions.Resolution{}
}
func (skills) Again(context.Context, events.RouteDecided) (events.Data, error) { return nil, nil }

// works is an executor: steps named "bad" fail with hostile words, others give hostile values.
type works struct{}

func (works) Execute(_ context.Context, t workers.Task, _ io.Writer) workers.Outcome {
	if strings.Contains(t.Call, "bad") {
		return workers.Outcome{Failure: &events.Failure{Class: "terminal", Code: "broken", Message: hostile, Tail: hostile}}
	}
	value, _ := events.Marshal(hostile)
	return workers.Outcome{Value: value, Note: hostile, Usage: json.RawMessage(`{"usd":0.5,"tokens":1200}`)}
}

// backend is an engine in this process.
type backend struct {
	*engine.Engine
	queries engine.Queries
}

func (b backend) Do(ctx context.Context, session string, c workflows.Command, m engine.Meta) (json.RawMessage, error) {
	got, err := b.Engine.Do(ctx, session, c, m)
	if err != nil {
		return nil, err
	}
	return json.Marshal(got)
}

func (b backend) Query(ctx context.Context, name, session string, question any) (json.RawMessage, error) {
	ask, ok := b.queries[name]
	if !ok {
		return nil, sessions.Refuse(sessions.NotFound, "unknown_query", "", "there is no query %q", name)
	}
	raw, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	got, err := ask(ctx, session, raw)
	if err != nil {
		return nil, err
	}
	return json.Marshal(got)
}

// site is the page over an engine in memory.
type site struct {
	*httptest.Server
	backend backend
	t       *testing.T
}

func newSite(t *testing.T) *site {
	t.Helper()
	store := memory.New("01TESTINSTALLATION", time.Now)
	var n int
	var mu sync.Mutex
	id := func() string { mu.Lock(); defer mu.Unlock(); n++; return fmt.Sprintf("01TEST%020d", n) }
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	pool := workers.NewPool(workers.Config{Queue: store, Beats: store, Executors: map[string]workers.Executor{"builtin": works{}}, Process: "s1", Queues: []string{"default"}, Slots: 4, Lease: 10 * time.Second, Logger: logger})
	e := engine.New(engine.Config{Log: store, Queue: store, Timers: store, Payloads: store, Beats: store, Bus: store, Skills: skills{}, Process: "s1", Sole: true, Lease: 10 * time.Second, Now: time.Now, NewID: id, Logger: logger, Slots: pool})
	pool.Conduct(engine.Local{Via: e})
	p := engine.NewProjector(store, "", logger)
	b := backend{e, engine.Standard(e, p)}
	b.queries["server"] = func(context.Context, string, json.RawMessage) (any, error) {
		return serverInfo{Home: hostile, Queues: []string{"default"}, Workers: 4}, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { _ = p.Run(ctx) })
	group.Go(func() { e.Reconcile(ctx, p) })
	group.Go(func() { e.Ring(ctx) })
	group.Go(func() { _ = pool.Run(ctx) })
	sessionsMade := 0
	h, err := Handler(Config{Backend: b, User: "ada", Version: "test", Now: time.Now, Logger: logger, NewSession: func() (string, error) {
		sessionsMade++
		return fmt.Sprintf("019ad3b0-0000-7000-8000-0000000f%04d", sessionsMade), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		cancel()
		server.CloseClientConnections()
		server.Close()
		pool.Abort()
		group.Wait()
		e.Close()
	})
	return &site{server, b, t}
}

const (
	one = "019ad3b0-0000-7000-8000-00000000000a"
	two = "019ad3b0-0000-7000-8000-00000000000b"
)

const asks = `
order: dataflow
on_failure: continue
limits: {budget: {usd: 10}}
inputs: {topic: {type: string, default: none}}
steps:
  - {id: first, intent: "look at ${inputs.topic}", inputs: {topic: "${inputs.topic}"}, run: {builtin: noop}, output: first}
  - {id: each, needs: [first], foreach: "[1, 2, 3]", run: {builtin: noop}}
  - {id: bad, needs: [first], run: {builtin: noop}}
  - {id: ask, needs: [each], run: {builtin: noop}, confirm: {question: "${inputs.topic}"}, inputs: {topic: "${inputs.topic}"}}
`

// begin starts the run that asks, with hostile inputs, and waits until it asks.
func (s *site) begin(session string) {
	s.t.Helper()
	topic, _ := events.Marshal(hostile)
	_, err := s.backend.Do(s.t.Context(), session, workflows.Start{
		Run: "r-1", Name: "asks", Text: asks, Goal: "goal " + hostile, Mode: "auto", Workspace: "/nowhere/" + hostile[:8],
		Inputs: map[string]json.RawMessage{"topic": topic},
	}, engine.Meta{Actor: "test"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.until(func(x projections.RunRow) bool {
		work, err := engine.As[engine.Workload](s.backend.Query(s.t.Context(), "work", "", engine.None{}))
		return err == nil && len(work.Approvals) > 0 && x.Status == "waiting"
	})
}

// until waits for a state of the run.
func (s *site) until(cond func(projections.RunRow) bool) {
	s.t.Helper()
	var after uint64
	deadline, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	for deadline.Err() == nil {
		row, err := engine.As[projections.RunRow](s.backend.Query(deadline, "run.find", "", engine.FindAsk{ID: "r-1"}))
		if err == nil && cond(row) {
			return
		}
		got, err := engine.As[engine.Moved](s.backend.Query(deadline, "moved", "", engine.MovedAsk{After: after}))
		if err != nil {
			s.t.Fatal(err)
		}
		after = got.Sequence
	}
	s.t.Fatal("the state did not come")
}

// get asks for a page and checks that it holds together; it gives its text.
func (s *site) get(path string, header ...string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

// post sends a form and does not follow where it leads.
func (s *site) post(path string, form url.Values) (int, string, string) {
	s.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	return res.StatusCode, res.Header.Get("Location"), string(raw)
}

// everyPage lists every page and part there is, of a run that asks.
func everyPage() []string {
	base := "/s/" + one + "?run=r-1"
	out := []string{"/runs", "/runs?status=waiting&q=asks&since=24h&sort=cost&skill=", "/sessions", "/sessions?q=goal", "/inbox", "/system", "/compare?run=r-1&a=" + one + "&b=" + one, "/s/" + one, "/s/" + one + "?view=graph"}
	for _, view := range views {
		out = append(out, base+"&view="+view, base+"&view="+view+"&at=2")
	}
	for _, row := range []string{"r-1/first", "r-1/each", "r-1/each[1]", "r-1/bad", "r-1/ask", "r-1/gone"} {
		for _, tab := range (panel{}).Tabs() {
			out = append(out, base+"&row="+url.QueryEscape(row)+"&tab="+tab)
		}
	}
	return append(out, base+"&show=failed", base+"&find=bad", base+"&fold=r-1%2Feach", base+"&t0=1&t1=5", "/s/"+one+"/rows?run=r-1&from=0", "/s/"+one+"/rows?from=0",
		"/runs?q="+url.QueryEscape(hostile), base+"&find="+url.QueryEscape(hostile)+"&view=events&type="+url.QueryEscape(hostile), "/"+url.PathEscape(hostile), "/s/"+url.PathEscape(hostile))
}

// TestTextStaysText: whatever skills, inputs, results, errors and addresses hold, no page has an element,
// an attribute or an address that came from them.
func TestTextStaysText(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.begin(one)
	for _, lang := range []string{"en", "zh"} {
		for _, path := range everyPage() {
			code, text := s.get(path, "Accept-Language", lang)
			if code >= 500 {
				t.Errorf("%s: %d", path, code)
			}
			checkMarkup(t, path, text)
		}
	}
}

// checkMarkup walks a page for what this page's policy forbids and what no template of ours writes.
func checkMarkup(t *testing.T, path, text string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "img" || n.Data == "iframe" || n.Data == "style" || n.Data == "script" && n.FirstChild != nil {
			t.Errorf("%s has an element <%s>", path, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
				t.Errorf("%s has an attribute %s of <%s>", path, a.Key, n.Data)
			}
			if (a.Key == "href" || a.Key == "src" || a.Key == "action") && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("%s leads to %q", path, a.Val)
			}
		}
	}
}

// TestNothingUntranslated: every text that a template says is in the Chinese table.
func TestNothingUntranslated(t *testing.T) {
	t.Parallel()
	for _, text := range said(t) {
		if _, ok := chinese[text]; !ok {
			t.Errorf("there is no Chinese for %q", text)
		}
	}
}

// said lists the texts that templates ask for by name.
func said(t *testing.T) []string {
	t.Helper()
	entries, err := files.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, entry := range entries {
		raw, err := files.ReadFile("templates/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(raw), `{{t "`)[1:] {
			text, _, _ := strings.Cut(part, `"`)
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

func TestAnApprovalIsAnsweredInPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.begin(one)
	path := "/s/" + one + "?run=r-1"
	_, text := s.get(path)
	if !strings.Contains(text, "waits for an answer") || !strings.Contains(text, `name="answer" value="yes"`) {
		t.Fatal("the question is not on the page of the run")
	}
	form := url.Values{"run": {"r-1"}, "step": {"ask"}, "answer": {"maybe"}, "by": {"grace"}, "note": {"looks right"}, "back": {path}}
	if code, _, _ := s.post("/s/"+one+"/approve", form); code != http.StatusBadRequest {
		t.Errorf("an answer that is none: %d", code)
	}
	form.Set("answer", "yes")
	if code, to, body := s.post("/s/"+one+"/approve", form); code != http.StatusSeeOther || to != path {
		t.Fatalf("approving: %d to %q: %s", code, to, body)
	}
	if code, _, body := s.post("/s/"+one+"/approve", form); code != http.StatusConflict || !strings.Contains(body, "approval_decided") || !strings.Contains(body, "grace") {
		t.Errorf("a second answer: %d", code)
	}
	s.until(func(r projections.RunRow) bool { return r.Status == "failed" })
	_, text = s.get(path + "&row=r-1%2Fask&tab=decision")
	for _, want := range []string{"approved by", "grace", "looks right"} {
		if !strings.Contains(text, want) {
			t.Errorf("afterwards the page does not say %q", want)
		}
	}
}

func TestADeadLetterHasThreeButtons(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.begin(one)
	s.post("/s/"+one+"/approve", url.Values{"run": {"r-1"}, "step": {"ask"}, "answer": {"yes"}, "by": {"ada"}})
	s.until(func(r projections.RunRow) bool { return r.Status == "failed" })
	_, text := s.get("/inbox")
	for _, action := range []string{"retry", "skip", "fail"} {
		if !strings.Contains(text, `name="action" value="`+action+`"`) {
			t.Errorf("the inbox has no button for %s", action)
		}
	}
	if code, to, _ := s.post("/s/"+one+"/resolve", url.Values{"run": {"r-1"}, "step": {"bad"}, "action": {"skip"}, "note": {"not needed"}, "back": {"/inbox"}}); code != http.StatusSeeOther || to != "/inbox" {
		t.Errorf("skipping: %d to %q", code, to)
	}
	s.until(func(r projections.RunRow) bool { return r.Status == "completed" })
	if _, text = s.get("/inbox"); !strings.Contains(text, "Nothing waits for you") {
		t.Error("the inbox is not empty afterwards")
	}
}

func TestAForkGoesOnWithWhatWasChanged(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.begin(one)
	code, to, body := s.post("/s/"+one+"/fork", url.Values{"call": {"r-1/ask"}, "step": {"ask"}, "field": {"inputs"}, "edit": {"{topic: batteries}"}, "key": {"first", "new.key"}, "value": {"same", `{"a": 1}`}, "was": {"same", ""}})
	if code != http.StatusSeeOther || !strings.HasPrefix(to, "/s/019ad3b0-0000-7000-8000-0000000f0001?run=r-1") {
		t.Fatalf("fork: %d to %q: %s", code, to, body)
	}
	s.until(func(projections.RunRow) bool {
		_, text := s.get(to + "&row=r-1%2Fask")
		return strings.Contains(text, "batteries")
	})
	if _, text := s.get(to + "&view=context"); !strings.Contains(text, "new.key") {
		t.Error("the context key was not set")
	}
	_, text := s.get("/compare?run=r-1&a=" + one + "&b=019ad3b0-0000-7000-8000-0000000f0001")
	if !strings.Contains(text, "they part at") || !strings.Contains(text, "batteries") || !strings.Contains(text, "shared") {
		t.Error("side by side, the two do not differ as they should")
	}
}

func TestListsAreNarrowedByTheAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if _, text := s.get("/runs"); !strings.Contains(text, "Nothing has run yet") {
		t.Error("an empty list does not say how to begin")
	}
	s.begin(one)
	for query, there := range map[string]bool{"": true, "status=waiting": true, "status=failed": false, "q=ASKS": true, "q=nothing": false, "since=1h": true, "skill=none": false, "sort=cost": true} {
		_, text := s.get("/runs?" + query)
		if strings.Contains(text, `href="/s/`+one) != there {
			t.Errorf("%q: the run is there: %v", query, !there)
		}
	}
}

func TestManyAreCancelledAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.begin(one)
	form := url.Values{"run": {one + " r-1"}, "action": {"cancel"}, "back": {"/runs?status=waiting"}}
	if code, to, _ := s.post("/runs", form); code != http.StatusSeeOther || to != "/runs?status=waiting" {
		t.Errorf("cancelling: %d to %q", code, to)
	}
	s.until(func(r projections.RunRow) bool { return r.Status == "cancelled" })
	form.Set("action", "retry")
	if code, _, body := s.post("/runs", form); code != http.StatusOK || !strings.Contains(body, "was cancelled") {
		t.Errorf("what cannot be retried is not named: %d", code)
	}
}

func TestNobodyIsLedAway(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{"/runs?a=b": "/runs?a=b", "//evil": "/x", "https://evil/": "/x", "/\\evil": "/x", "": "/x", "javascript:alert(1)": "/x", "/a\r\nSet-Cookie: b": "/x"} {
		if got := local(to, "/x"); got != want {
			t.Errorf("local(%q) = %q, want %q", to, got, want)
		}
	}
}

func TestExportsHoldEverything(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.begin(one)
	secret := "ghp_" + "9fK2mQ7xLr4TzB8nWc1VdY6sHj3PgAe5Xq0u"
	raw, _ := events.Marshal(secret)
	command, err := workflows.Decode("context.set", json.RawMessage(`{"key":"leak","value":{"json":`+string(raw)+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.backend.Do(t.Context(), one, command, engine.Meta{Actor: "test"}); err != nil {
		t.Fatal(err)
	}
	code, text := s.get("/s/" + one + "/export?format=jsonl")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	total := 0
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
		total++
	}
	if code != http.StatusOK || total < 20 {
		t.Errorf("%d events: %d", total, code)
	}
	for _, format := range []string{"jsonl", "markdown", "mermaid", "json", "text"} {
		code, text := s.get("/s/" + one + "/export?format=" + format)
		if code != http.StatusOK || text == "" {
			t.Errorf("%s: %d, %d bytes", format, code, len(text))
		}
		if strings.Contains(text, secret) {
			t.Errorf("%s tells the secret", format)
		}
	}
	for _, path := range []string{"&view=context", "&view=events"} {
		if _, text := s.get("/s/" + one + "?run=r-1" + path); strings.Contains(text, secret) {
			t.Errorf("%s tells the secret", path)
		}
	}
	if code, _ := s.get("/s/" + one + "/export?format=exe"); code != http.StatusBadRequest {
		t.Errorf("a format that is none: %d", code)
	}
}

// TestNewsComeToTheBrowser: the stream says that something happened, and goes on from where the browser was.
func TestNewsComeToTheBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.begin(one)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/live?session="+one, nil)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	buffer := make([]byte, 4096)
	var got strings.Builder
	for !strings.Contains(got.String(), "event: moved") {
		n, err := res.Body.Read(buffer)
		if err != nil {
			t.Fatalf("after %q: %v", got.String(), err)
		}
		got.Write(buffer[:n])
	}
	if res.Header.Get("Content-Type") != "text/event-stream" || !strings.Contains(got.String(), "id: ") {
		t.Errorf("%q", got.String())
	}
}
