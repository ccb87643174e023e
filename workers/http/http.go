// Package http runs a call as one request to a web service.
//
// A body is sent as JSON, unless it is a text under a Content-Type of its own. What comes back is the
// call's value: a JSON body as it is, other text as a string, nothing as null. Idempotency-Key and
// Baton-Effect-Key are the same for all attempts of a call, Baton-Attempt rises: with them a service
// can do a thing once. A header names its secrets by reference; they are resolved when the request is
// made and masked in whatever is said about a failure, but not in a value: a service that answers with
// the secret it was given puts it there. At most five redirects are followed, never from https to http,
// and no secret follows to another host.
//
// Codes of failure, which stay as they are: http_settings, http_unreachable, http_interrupted,
// http_tls, http_redirect, http_status, http_not_json, http_not_text, http_timeout, http_cancelled,
// http_stale, http_stopping, secret_missing, result_too_large.
package http

import (
	"context"
	"io"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/secret"
)

// Executor runs calls of the form {"http": {"method": "POST", "url": "https://…", "headers": {…},
// "body": …, "timeout": "30s"}}. The zero value works, without references to secrets.
type Executor struct {
	// Lookup resolves what the task's own environment does not have, of kind "env" or "file".
	Lookup func(kind, name string) (string, error)
}

var _ workers.Executor = Executor{}

// Execute sends the request once. The service has said nothing until it has said all, so live is not
// written to.
func (e Executor) Execute(ctx context.Context, t workers.Task, _ io.Writer) workers.Outcome {
	s, err := parse(t.Execute)
	if err != nil {
		return workers.Failed(workers.Terminal, "http_settings", `http needs {"method": …, "url": "https://…"}: `+err.Error())
	}
	for _, most := range []time.Duration{t.Timeout, s.timeout} {
		if most > 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, most, workers.ErrDeadline)
			defer stop()
		}
	}
	secrets := &secret.Book{Env: t.Env, Lookup: e.Lookup}
	out := s.send(ctx, t, secrets)
	if out.Failure != nil {
		out.Failure.Message = secrets.Mask(out.Failure.Message)
	}
	return out
}

func (s settings) send(ctx context.Context, t workers.Task, secrets *secret.Book) workers.Outcome {
	req, confidential, failure := s.request(ctx, t, secrets)
	if failure != nil {
		return workers.Outcome{Failure: failure}
	}
	client := NewClient(confidential...)
	defer client.CloseIdleConnections()
	x := exchange{what: req.Method + " " + req.URL.Redacted(), most: limit(t), mask: secrets.Mask}
	resp, err := client.Do(req)
	if err != nil {
		return workers.Outcome{Failure: x.broken(ctx, err)}
	}
	defer resp.Body.Close()
	return x.outcome(ctx, resp)
}

func limit(t workers.Task) int64 {
	if t.MaxOutput > 0 {
		return t.MaxOutput
	}
	return workers.DefaultMaxOutput
}

func failed(class, code, message string) *events.Failure {
	return workers.Failed(class, code, message).Failure
}
