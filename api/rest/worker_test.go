package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/batonflow/baton/api/operation"
)

// TestAWorkerOutsideDoesItsErrands: its token opens four doors and no others, and only for an attempt.
func TestAWorkerOutsideDoesItsErrands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, err := w.home.OutsideToken()
	if err != nil {
		t.Fatal(err)
	}
	as := []string{"Authorization", "Bearer " + token, "Content-Type", "application/json"}
	errands := map[string]bool{"call.claim": true, "call.beat": true, "call.stream": true, "call.close": true}
	for _, o := range operation.Table() {
		if o.Route == "" {
			continue
		}
		status, body, _ := w.do(w.request(o.Method(), sample(o), strings.NewReader("{}"), as...))
		if (status != http.StatusUnauthorized) != errands[o.Name] {
			t.Errorf("%s: %d %s", o.Route, status, body)
		}
	}
	for _, path := range []string{"/", "/mcp", "/metrics", "/v1/openapi.json", "/v1/claims", "/v1/claims/../sessions"} {
		if status, body, _ := w.do(w.request("GET", path, nil, as...)); status != http.StatusUnauthorized && status != http.StatusMovedPermanently && status != http.StatusTemporaryRedirect {
			t.Errorf("GET %s: %d %s", path, status, body)
		}
	}
	session := w.session()
	byHand := "/v1/sessions/" + session + "/calls/c001/"
	w.call("POST", "/v1/sessions/"+session+"/calls", `{"skill":"s","intent":"i"}`)
	w.call("POST", "/v1/sessions/"+session+"/calls", `{"skill":"s","intent":"i","queue":"pages","parent":"none"}`)
	post := func(path, body string) (int, string) {
		status, text, _ := w.do(w.request("POST", path, strings.NewReader(body), as...))
		return status, text
	}
	for _, body := range []string{`{"status":"ok"}`, `{"status":"ok","attempt":0}`, `{"status":"ok","attempt":null}`, `{"status":"ok","attempt":"1"}`} {
		if status, text := post(byHand+"close", body); status != http.StatusBadRequest || codeOf(text) != "attempt_missing" {
			t.Errorf("closing by hand with %s: %d %s", body, status, text)
		}
	}
	status, text := post("/v1/claims", `{"queue":"pages"}`)
	var e struct {
		CallID  string `json:"call_id"`
		Attempt int
	}
	if err := json.Unmarshal([]byte(text), &e); status != http.StatusOK || err != nil || e.CallID != "c002" || e.Attempt != 1 {
		t.Fatalf("claim: %d %s", status, text)
	}
	call := "/v1/sessions/" + session + "/calls/c002/"
	for _, tc := range []struct{ path, body, want string }{
		{"beat", `{"attempt":1}`, `"answer":"go on"`},
		{"stream", `{"attempt":1,"text":"half"}`, `"answer":"go on"`},
		{"beat", `{"attempt":2}`, `"answer":"stale"`},
		{"close", `{"attempt":2,"status":"ok"}`, `"code":"stale"`},
		{"close", `{"attempt":1,"status":"ok","outputs":{"pages":3}}`, `"status":"ok"`},
		{"beat", `{"attempt":1}`, `"answer":"stale"`},
	} {
		if _, text := post(call+tc.path, tc.body); !strings.Contains(text, tc.want) {
			t.Errorf("%s %s: %s, want %s", tc.path, tc.body, text, tc.want)
		}
	}
}
