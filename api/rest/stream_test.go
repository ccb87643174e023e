package rest_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// follow opens a stream and gives its events, one a line of data with its id before it.
func (w *world) follow(path string, headers ...string) (*bufio.Scanner, *http.Response) {
	w.Helper()
	answer, err := w.client.Do(w.request("GET", path, nil, append(append(w.bearer(), "Accept", "text/event-stream"), headers...)...))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 8<<20)
	return lines, answer
}

// event is the next event of a stream that has data.
func event(t *testing.T, lines *bufio.Scanner) (id, data string) {
	t.Helper()
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "data":
			return id, value
		}
	}
	t.Fatalf("the stream has ended: %v", lines.Err())
	return "", ""
}

// TestAStreamGoesOnWhereItWasLeft: every event is seen once, whichever was the last.
func TestAStreamGoesOnWhereItWasLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.session()
	other := w.session()
	lines, _ := w.follow("/v1/sessions/" + session + "/events")
	_, began := event(t, lines)
	if !strings.Contains(began, "session.started") {
		t.Errorf("the first event is %s", began)
	}
	var ids []string
	for i := range 5 {
		w.call("PUT", "/v1/sessions/"+other+"/context/n", `{"value":0}`)
		w.call("PUT", "/v1/sessions/"+session+"/context/n", fmt.Sprintf(`{"value":%d}`, i))
		id, data := event(t, lines)
		var e struct {
			Session string
			Data    struct{ Value struct{ JSON int } }
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Session != session || e.Data.Value.JSON != i || id == "" {
			t.Fatalf("event %d is %s %s: %v", i, id, data, err)
		}
		ids = append(ids, id)
	}
	again, _ := w.follow("/v1/sessions/"+session+"/events", "Last-Event-ID", ids[2])
	if id, _ := event(t, again); id != ids[3] {
		t.Errorf("after %s comes %s, want %s", ids[2], id, ids[3])
	}
	filtered, _ := w.follow("/v1/events?type=session.started&after=1")
	if _, data := event(t, filtered); !strings.Contains(data, other) {
		t.Errorf("the second session began as %s", data)
	}
	for path, want := range map[string]int{"/v1/sessions/0198c0de-0000-7000-8000-00000000dead/events": 404, "/v1/runs/r-nothing": 404} {
		if _, answer := w.follow(path); answer.StatusCode != want || answer.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v", path, answer.StatusCode, answer.Header)
		}
	}
	if _, answer := w.follow("/v1/events", "Last-Event-ID", "nine"); answer.StatusCode != 400 {
		t.Errorf("a place that is none: %d", answer.StatusCode)
	}
}

// TestARunIsFollowedToItsEnd: it is shown whenever it moves, and a reader that comes back after its end
// is told not to come again.
func TestARunIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var started struct{ Run string }
	text := "steps:\n  - {id: one, run: {exec: [\"true\"]}}\n  - {id: ask, run: {approve: {question: \"go on?\"}}, needs: [one]}\n"
	if err := json.Unmarshal([]byte(w.call("POST", "/v1/runs", string(mustJSON(t, map[string]any{"text": text, "wait": 20})))), &started); err != nil {
		t.Fatal(err)
	}
	lines, _ := w.follow("/v1/runs/" + started.Run)
	var id, data string
	for !strings.Contains(data, `"status":"waiting","started_at"`) {
		id, data = event(t, lines)
	}
	approvals := w.call("GET", "/v1/approvals", "")
	if !strings.Contains(approvals, started.Run) {
		t.Errorf("approvals: %s", approvals)
	}
	w.call("POST", "/v1/runs/"+started.Run+"/approve", `{"yes":true,"by":"ada"}`)
	for !strings.Contains(data, `"status":"completed","started_at"`) {
		id, data = event(t, lines)
	}
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data") {
			t.Errorf("after the end comes %s", lines.Text())
		}
	}
	if _, answer := w.follow("/v1/runs/"+started.Run, "Last-Event-ID", id); answer.StatusCode != http.StatusNoContent {
		t.Errorf("after the end: %d", answer.StatusCode)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
