package http

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	std "net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/secret"
)

// settings are a step's own.
type settings struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"` // with references to secrets
	Body    json.RawMessage   `json:"body"`    // empty: none
	Timeout string            `json:"timeout"` // a Go duration; empty: none

	timeout time.Duration
}

func parse(raw json.RawMessage) (settings, error) {
	s := settings{Method: std.MethodGet}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, err
	}
	if s.Timeout != "" {
		var err error
		if s.timeout, err = time.ParseDuration(s.Timeout); err != nil || s.timeout <= 0 {
			return s, fmt.Errorf("timeout %q is no time: write 30s", s.Timeout)
		}
	}
	return s, checkURL(s.URL)
}

// checkURL looks at an address after its expressions were filled in.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return err
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fmt.Errorf("%q is no address of a web service: write https://host/path", text)
	case u.User != nil:
		return errors.New("the address holds a user: write a header Authorization that refers to ${env:NAME}")
	}
	return nil
}

// request makes the request, and names the headers that hold a secret.
func (s settings) request(ctx context.Context, t workers.Task, secrets *secret.Book) (*std.Request, []string, *events.Failure) {
	headers, err := secrets.ResolveAll(s.Headers)
	if err != nil {
		return nil, nil, failed(workers.Terminal, "secret_missing", "header "+err.Error())
	}
	for name, value := range headers {
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, nil, failed(workers.Terminal, "http_settings",
				"header "+name+" holds a line break or another control character: take it out, or out of the file that it refers to")
		}
	}
	body, kind, err := s.body(headers)
	if err != nil {
		return nil, nil, failed(workers.Terminal, "http_settings", err.Error())
	}
	req, err := std.NewRequestWithContext(ctx, s.Method, s.URL, body)
	if err != nil {
		return nil, nil, failed(workers.Terminal, "http_settings", err.Error())
	}
	defaults(req, t, kind)
	var confidential []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		req.Header.Set(name, headers[name])
		if strings.EqualFold(name, "Host") {
			req.Host = headers[name]
		}
		if headers[name] != s.Headers[name] {
			confidential = append(confidential, name)
		}
	}
	identify(req, t)
	return req, confidential, nil
}

// defaults sets what a step may set otherwise.
func defaults(req *std.Request, t workers.Task, kind string) {
	req.Header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.5")
	req.Header.Set("User-Agent", "baton")
	req.Header.Set("Idempotency-Key", t.EffectKey)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if trace := Traceparent(t); trace != "" {
		req.Header.Set("Traceparent", trace)
	}
}

// identify says which attempt this is; no step may say otherwise.
func identify(req *std.Request, t workers.Task) {
	req.Header.Set("Baton-Effect-Key", t.EffectKey)
	req.Header.Set("Baton-Attempt", strconv.Itoa(t.Attempt))
}

// body gives what is sent and its type where the step names none.
func (s settings) body(headers map[string]string) (io.Reader, string, error) {
	if len(s.Body) == 0 {
		return nil, "", nil
	}
	for name, kind := range headers {
		if !strings.EqualFold(name, "Content-Type") || isJSON(kind) {
			continue
		}
		var text string
		if json.Unmarshal(s.Body, &text) != nil || bytes.HasPrefix(s.Body, []byte("null")) {
			return nil, "", fmt.Errorf("a body of type %s is a text: write it as one, or leave Content-Type out to send JSON", kind)
		}
		return strings.NewReader(text), kind, nil
	}
	return bytes.NewReader(s.Body), "application/json", nil
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json"))
}

// Traceparent is the W3C trace of an attempt in a session whose id is a UUID: the session is the
// trace, as in the log; the call is the span. It is empty for other sessions.
func Traceparent(t workers.Task) string {
	const hex, span = "0123456789abcdef", 16
	trace := strings.ReplaceAll(t.Session, "-", "")
	if len(trace) != 32 || len(t.EffectKey) < span || strings.Trim(trace+t.EffectKey[:span], hex) != "" {
		return ""
	}
	return "00-" + trace + "-" + t.EffectKey[:span] + "-01"
}
