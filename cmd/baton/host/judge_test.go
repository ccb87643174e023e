package host_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/routing/way"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

const judged = "0198c0de-0000-7000-8000-0000000000a1"

// routeJudged begins a session and routes a task that the two skills of the home fit alike.
func routeJudged(t *testing.T, link *host.Link, home host.Home, request string) sessions.Route {
	t.Helper()
	begin := sessions.Begin{Goal: "judged", Mode: "auto", Workspace: home.Dir}
	if _, err := link.Do(t.Context(), judged, workflows.Of(begin), engine.Meta{Actor: "test", Request: "begin"}); err != nil {
		t.Fatal(err)
	}
	ask := sessions.AskRoute{RouteTask: sessions.RouteTask{Task: "a chart of our sales", Threshold: 1.2, Margin: 1.3, Top: 5}}
	r, err := engine.As[sessions.Route](link.Do(t.Context(), judged, workflows.Of(ask), engine.Meta{Actor: "test", Request: request}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAServiceThatJudgesIsAskedOnceARequest: it gets the question as its body, and the repetition of
// a request, which is answered from the log, asks it nothing.
func TestAServiceThatJudgesIsAskedOnceARequest(t *testing.T) {
	t.Parallel()
	asked := make(chan skill.Question, 10)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		var q skill.Question
		if err != nil || r.Method != http.MethodPost || json.Unmarshal(raw, &q) != nil {
			http.Error(w, "no question", http.StatusBadRequest)
			return
		}
		asked <- q
		_, _ = io.WriteString(w, `{"chosen": "chart-blue", "why": "it was there"}`)
	}))
	defer service.Close()
	home := host.Home{Dir: t.TempDir()}
	putSkill(t, home, "chart-red", "x")
	putSkill(t, home, "chart-blue", "x")
	link, _ := serve(t, home, func(o *host.Options) {
		o.Judge = way.Way{HTTP: map[string]any{"url": service.URL}}
	})
	for range 2 {
		r := routeJudged(t, link, home, "route")
		if d := r.Decided; d == nil || d.Decision != skill.Auto || d.Chosen != "chart-blue" || d.Judge.Why != "it was there" || d.Judge.By != strings.TrimPrefix(service.URL, "http://") {
			t.Fatalf("decided %+v", d)
		}
	}
	if q := <-asked; q.Task == "" || len(q.Candidates) != 2 || len(asked) != 0 {
		t.Errorf("asked %+v and %d times more", q, len(asked))
	}
}

// TestAJudgeThatIsNotThereIsOnRecord: the decision is as it was, and says what is wrong with the judge.
func TestAJudgeThatIsNotThereIsOnRecord(t *testing.T) {
	t.Parallel()
	home := host.Home{Dir: t.TempDir()}
	putSkill(t, home, "chart-red", "x")
	putSkill(t, home, "chart-blue", "x")
	link, _ := serve(t, home, func(o *host.Options) {
		o.Judge = way.Way{MCP: map[string]any{"command": []any{"./not-there"}, "tool": "judge"}}
	})
	d := routeJudged(t, link, home, "route").Decided
	if d == nil || d.Decision != skill.Confirm || d.Judge.By != "judge" || !strings.HasPrefix(d.Judge.Error, "mcp_not_found: ") {
		t.Fatalf("decided %+v", d)
	}
}

// TestNobodyWaitsForAJudge: while it thinks, its session takes and answers other commands. What a client
// claims that a judge has said counts for nothing.
func TestNobodyWaitsForAJudge(t *testing.T) {
	t.Parallel()
	thinking, think := make(chan struct{}), make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(thinking)
		<-think
		_, _ = io.WriteString(w, `{"chosen": null}`)
	}))
	defer service.Close()
	home := host.Home{Dir: t.TempDir()}
	putSkill(t, home, "chart-red", "x")
	putSkill(t, home, "chart-blue", "x")
	link, _ := serve(t, home, func(o *host.Options) { o.Judge = way.Way{HTTP: map[string]any{"url": service.URL}} })
	begin := sessions.Begin{Goal: "judged", Mode: "auto", Workspace: home.Dir}
	if _, err := link.Do(t.Context(), judged, workflows.Of(begin), engine.Meta{Actor: "test"}); err != nil {
		t.Fatal(err)
	}
	answer := make(chan sessions.Route, 1)
	go func() {
		ask := sessions.AskRoute{RouteTask: sessions.RouteTask{Task: "a chart of our sales", Threshold: 1.2, Margin: 1.3, Top: 5}}
		forged := events.Judged{By: "me", Chosen: "chart-red"}
		r, err := engine.As[sessions.Route](link.Do(t.Context(), judged, workflows.Of(ask), engine.Meta{Actor: "test", Judge: forged}))
		if err != nil {
			t.Error(err)
		}
		answer <- r
	}()
	<-thinking
	if _, err := link.Do(t.Context(), judged, workflows.Of(sessions.Open{Skill: "chart-red", Intent: "meanwhile"}), engine.Meta{Actor: "test"}); err != nil {
		t.Errorf("while the judge thinks: %v", err)
	}
	close(think)
	if d := (<-answer).Decided; d == nil || d.Decision != skill.Confirm || d.Judge.Chosen != "" || d.Judge.Error == "" {
		t.Errorf("decided %+v", d)
	}
}
