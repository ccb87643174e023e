package http

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	std "net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
)

const (
	// tailBytes is how much of a refusal's body is kept with the failure, readTail how much is read of
	// it: more, so that a secret at the edge is masked as a whole.
	tailBytes = 4 << 10
	readTail  = 64 << 10
)

// exchange judges what a service answered.
type exchange struct {
	what string // method and address
	most int64  // bytes of a result
	mask func(string) string
}

func (x exchange) outcome(ctx context.Context, resp *std.Response) workers.Outcome {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return workers.Outcome{Failure: x.refused(resp)}
	}
	if resp.ContentLength > x.most && resp.Request.Method != std.MethodHead {
		return workers.Outcome{Failure: x.tooLarge()}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, x.most+1))
	switch {
	case err != nil:
		return workers.Outcome{Failure: x.broken(ctx, err)}
	case int64(len(body)) > x.most:
		return workers.Outcome{Failure: x.tooLarge()}
	}
	v, failure := value(resp.Header.Get("Content-Type"), body)
	if failure != nil {
		failure.Message = x.what + " answered " + failure.Message
	}
	return workers.Outcome{Value: v, Failure: failure}
}

// value makes a value of a body: what is declared as JSON must be it, what is declared as text is a
// string; any other is JSON if it can be read so.
func value(contentType string, body []byte) (json.RawMessage, *events.Failure) {
	declared := isJSON(contentType)
	if declared {
		body = bytes.TrimPrefix(body, []byte("\ufeff"))
	}
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return json.RawMessage("null"), nil
	case declared && !json.Valid(body):
		return nil, failed(workers.Terminal, "http_not_json", "what it calls JSON and is not: look at the service")
	case !utf8.Valid(body):
		return nil, failed(workers.Terminal, "http_not_text",
			"what is not UTF-8: fetch it with a program, write it to a file and print the file's path")
	case !declared && strings.HasPrefix(strings.ToLower(contentType), "text/"):
		text, err := events.Marshal(string(body))
		if err != nil {
			return nil, failed(workers.Terminal, "http_not_text", "what cannot be recorded: "+err.Error())
		}
		return text, nil
	}
	return exec.Value(body), nil
}

// refused describes a status that is not 2xx.
func (x exchange) refused(resp *std.Response) *events.Failure {
	message := fmt.Sprintf("%s answered %d %s", x.what, resp.StatusCode, std.StatusText(resp.StatusCode))
	wait, asked := retryAfter(resp.Header, time.Now())
	if asked {
		message += fmt.Sprintf("; it asks to be left alone for %d s", int64(wait.Seconds()))
	}
	class := ClassOfStatus(resp.StatusCode)
	if class == workers.Terminal {
		message += ": correct the request, trying again would not help"
	}
	f := failed(class, "http_status", message)
	f.RetryAfter, f.Status = wait.Seconds(), resp.StatusCode
	start, _ := io.ReadAll(io.LimitReader(resp.Body, readTail)) // what could be read is of use
	f.Tail = cut(x.mask(strings.ToValidUTF8(string(start), string(utf8.RuneError))))
	return f
}

// cut gives the beginning of a text, of whole characters.
func cut(text string) string {
	if len(text) <= tailBytes {
		return text
	}
	end := tailBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// RetryAfter reads how long a service asks to be left alone; false when it does not.
func RetryAfter(header std.Header) (time.Duration, bool) { return retryAfter(header, time.Now()) }

// retryAfter reads how long a service asks to be left alone: whole seconds, rounded up.
func retryAfter(header std.Header, now time.Time) (time.Duration, bool) {
	const most = 1 << 31 // seconds; who asks for more means never
	said := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(said, 10, 64); err == nil {
		return time.Duration(min(seconds, most)) * time.Second, true
	}
	at, err := std.ParseTime(said)
	if err != nil {
		return 0, false
	}
	if sent, err := std.ParseTime(header.Get("Date")); err == nil {
		now = sent // the service's own clock
	}
	wait := max(0, at.Sub(now)+time.Second-1).Truncate(time.Second)
	return min(wait, most*time.Second), true
}

func (x exchange) tooLarge() *events.Failure {
	return failed(workers.Terminal, "result_too_large", fmt.Sprintf(
		"%s answered with more than the limit of %d bytes: ask for less, fetch it to a file with a program, or raise the limit", x.what, x.most))
}
