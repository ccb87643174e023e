package web

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnswersOfTools(t *testing.T) {
	t.Parallel()
	half := 0.5
	for _, c := range []struct {
		capability Capability
		raw        string
		want       Outcome
	}{
		{Discover, `[{"url":"https://a.example/"},{"link":"https://b.example/"},"https://a.example/"]`, Outcome{Result: OK, URLs: []string{"https://a.example/", "https://b.example/"}}},
		{Discover, `{"results":[{"url":"https://a.example/"}]}`, Outcome{Result: OK, URLs: []string{"https://a.example/"}}},
		{Discover, `{"urls":["https://a.example/"]}`, Outcome{Result: OK, URLs: []string{"https://a.example/"}}},
		{Discover, `"see https://a.example/x. And more"`, Outcome{Result: OK, URLs: []string{"https://a.example/x"}}},
		{Discover, `"only a summary"`, Outcome{Result: OK}},
		{Discover, `[]`, Outcome{Result: "empty_results"}},
		{Discover, `{"error":"search_unconfigured"}`, Outcome{Result: "search_unconfigured"}},
		{Retrieve, `{"text":"read me","date":"2026-01-01","urls":["https://evil.example/"]}`, Outcome{Result: OK, Date: "2026-01-01"}},
		{Retrieve, `{"text":"the beginning","truncated":true}`, Outcome{Result: OK, Truncated: true}},
		{Retrieve, `{"text":"  "}`, Outcome{Result: OK, Skeleton: true}},
		{Interact, `{"body":"skeleton"}`, Outcome{Result: OK, Skeleton: true}},
		{Interact, `null`, Outcome{Result: OK, Skeleton: true}},
		{Interact, `"seen"`, Outcome{Result: OK}},
		{Interact, `{"result":"429","retry_after_s":0.5}`, Outcome{Result: "rate_limited", RetryAfter: &half}},
		{Interact, `{"error":{"code":"captcha"}}`, Outcome{Result: "captcha"}},
		{Interact, `{"error":{"why":"x"}}`, Outcome{Result: "unknown"}},
		{Structure, `[]`, Outcome{Result: "empty_results"}},
		{Structure, `"[{\"title\":\"a\"}]"`, Outcome{Result: OK}},
		{Structure, `{"title":"a"}`, Outcome{Result: OK}},
	} {
		if diff := cmp.Diff(c.want, ReadOutcome(c.capability, json.RawMessage(c.raw))); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.capability, c.raw, diff)
		}
	}
}

func TestMishapsAreNamedAsTheTableDoes(t *testing.T) {
	t.Parallel()
	for want, m := range map[Code]Mishap{
		"timeout":             {Class: "timeout", Code: "exec_timeout"},
		"cancelled":           {Class: "cancelled"},
		"connection_reset":    {Class: "lost", Code: "worker_gone"},
		"captcha":             {Code: "captcha", Status: 503},
		"http_5xx":            {Code: "http_status", Status: 503},
		"login_required":      {Code: "http_status", Status: 401},
		"tool_missing":        {Code: "exec_not_found"},
		"search_unconfigured": {Code: "exec_exit", Said: "no key\nsearch_unconfigured\n"},
		"unknown":             {Code: "exec_exit", Said: "some words"},
	} {
		if got := m.Outcome(); got.Result != string(want) || got.RetryAfter != nil {
			t.Errorf("%+v is called %+v, want %s", m, got, want)
		}
	}
	if o := (Mishap{Code: "rate_limited", RetryAfter: 3}).Outcome(); o.RetryAfter == nil || *o.RetryAfter != 3 {
		t.Errorf("%+v", o)
	}
}

// TestNewsAreToldOnce: what News gives, one after the other, is what happened.
func TestNewsAreToldOnce(t *testing.T) {
	t.Parallel()
	a := adapters(t)
	task := New(Request{URLs: []string{"https://a.example/", "https://b.example/"}}, Host{Tools: []Tool{{Name: "web_fetch"}}, MaxParallel: 2}, a)
	events, notes := 0, 0
	for {
		call, ok := task.Next()
		if !ok {
			break
		}
		news, more := task.News()
		events, notes = events+len(news), notes+len(more)
		if err := task.Settle(call.ID, Outcome{Result: "paywall"}); err != nil {
			t.Fatal(err)
		}
	}
	news, more := task.News()
	if events, notes = events+len(news), notes+len(more); events != len(task.Trace()) || notes != len(task.Notes()) || notes != 2 {
		t.Errorf("told %d of %d events and %d of %d notes", events, len(task.Trace()), notes, len(task.Notes()))
	}
	if news, more := task.News(); len(news)+len(more) > 0 {
		t.Errorf("told again: %v %v", news, more)
	}
}

// FuzzReadOutcome: whatever a tool says is an outcome that a task takes, and a page brings no address.
func FuzzReadOutcome(f *testing.F) {
	for _, raw := range []string{`null`, `[{"url":"https://a.example/"}]`, `{"error":{"code":"x"}}`, `"{\"urls\":[1]}"`, `{"body":false,"retry_after_s":-1}`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, c := range capabilities {
			o := ReadOutcome(c, raw)
			if o.Result == "" || len(o.URLs) > mostFound || c != Discover && len(o.URLs) > 0 {
				t.Fatalf("%s %s is read as %+v", c, raw, o)
			}
		}
	})
}
