package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Problem is a refusal as RFC 9457 tells it, with what the command says of it beside.
type Problem struct {
	Type    string         `json:"type"`
	Title   string         `json:"title"`
	Status  int            `json:"status"`
	Detail  string         `json:"detail"`
	Code    string         `json:"code"`
	Hint    string         `json:"hint"`
	Details map[string]any `json:"details,omitempty"`
}

// problemType is the media type of a problem.
const problemType = "application/problem+json"

// statusError is a refusal with a status of its own.
type statusError struct {
	*sessions.Refusal
	status int
}

func (e statusError) Unwrap() error { return e.Refusal }

func refusal(status int, r *sessions.Refusal) error { return statusError{r, status} }

func busy(what string, most int) error {
	return refusal(http.StatusServiceUnavailable, sessions.Refuse(sessions.Unreachable, "server_full", "try again in a moment; close what is not needed",
		"%d %s are open, and more are not taken", most, what))
}

// problemOf puts any error into a problem.
func problemOf(err error) Problem {
	var own statusError
	var r *sessions.Refusal
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &own):
		p := problem(own.Refusal)
		p.Status = own.status
		return p
	case errors.As(err, &large):
		return problemOf(refusal(http.StatusRequestEntityTooLarge, tooLarge(large.Limit)))
	case errors.As(err, &r):
		return problem(r)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return problem(sessions.Refuse(sessions.Unreachable, "interrupted", "look at the state before you repeat it", "the request was interrupted"))
	}
	return problem(sessions.Refuse(sessions.Failed, "internal", "look into the server's log, and report it", "%v", err))
}

func problem(r *sessions.Refusal) Problem {
	status, title := operation.Status(r)
	return Problem{Type: "urn:baton:error:" + r.Code, Title: title, Status: status, Detail: r.Message, Code: r.Code, Hint: r.Hint, Details: r.Details}
}

func tooLarge(limit int64) *sessions.Refusal {
	return sessions.Refuse(sessions.Usage, "body_too_large", "leave it in a file and send the file's path", "a request has at most %d bytes", limit)
}

// refuse tells what is wrong: to a program as a problem, to a person who looks at a page in a sentence.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="baton"`)
	}
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // what is left of the body is not read
	}
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(p.Status)
		fmt.Fprintf(w, "<!doctype html><meta charset=\"utf-8\"><title>Baton</title><p>%s</p><p>%s</p>\n", html.EscapeString(p.Detail), html.EscapeString(p.Hint))
		return
	}
	raw, err := events.Marshal(p)
	if err != nil {
		raw = fmt.Appendf(nil, `{"type":"urn:baton:error:internal","status":%d,"code":%q}`, p.Status, p.Code)
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(bytes.TrimSpace(raw), '\n')) // who asked has gone
}
