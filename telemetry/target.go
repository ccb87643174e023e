package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Target is where spans are sent: OTLP over HTTP, as protobuf.
type Target struct {
	Endpoint string // base URL, or the URL that ends with /v1/traces
	// Headers gives what is sent along. It is asked each time, so that secrets are read when used.
	Headers func() (map[string]string, error)
}

// tracesPath is where a collector takes spans, below its base URL.
const tracesPath = "/v1/traces"

func (t Target) url() string {
	if base := strings.TrimRight(t.Endpoint, "/"); !strings.HasSuffix(base, tracesPath) {
		return base + tracesPath
	}
	return t.Endpoint
}

// turnedDown is an answer that will be the same next time: the spans are not what the receiver takes.
type turnedDown struct{ status string }

func (t turnedDown) Error() string { return "turned down: " + t.status }

// later is an answer that says when to try again.
type later struct {
	after time.Duration
	cause error
}

func (l later) Error() string { return l.cause.Error() }
func (l later) Unwrap() error { return l.cause }

const (
	sendWithin = 10 * time.Second
	longAnswer = 4 << 10
)

// send gives one document to the collector. turnedDown: it is no use to send it again.
func (t Target) send(ctx context.Context, client *http.Client, document []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write(document)
	if err := errors.Join(err, zip.Close()); err != nil {
		return fmt.Errorf("pack spans: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url(), &packed)
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("Content-Encoding", "gzip")
	headers, err := t.Headers()
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, longAnswer)) // so that the connection can be used again
	return judge(answer)
}

// judge takes in how the collector answered. Only a malformed document is given up; a wrong token or
// path may be mended while the spans wait.
func judge(answer *http.Response) error {
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusBadRequest, code == http.StatusRequestEntityTooLarge, code == http.StatusUnprocessableEntity:
		return turnedDown{answer.Status}
	}
	err := fmt.Errorf("send spans: the collector answered %s", answer.Status)
	if seconds, bad := strconv.Atoi(answer.Header.Get("Retry-After")); bad == nil && seconds > 0 {
		return later{min(time.Duration(seconds)*time.Second, longestPause), err}
	}
	return err
}
