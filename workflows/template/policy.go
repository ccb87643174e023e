package template

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

const (
	mostAttempts = 1000
	mostFactor   = 100
	longest      = 366 * day
	day          = 24 * time.Hour
	usualMax     = time.Minute
)

// once is what a step has without retry: a failure of the user's code is not repeated unasked. The
// waits are those of a retry that says nothing about them.
var once = Retry{Attempts: 1, Backoff: time.Second, Factor: 2, Max: usualMax}

var retryFields = fieldTable{of: "retry", fields: []string{"attempts", "backoff", "factor", "max", "jitter"}}

// retry reads a policy. What it does not say is as in the one above it.
func (r *reader) retry(p place, above Retry) Retry {
	if p.absent() {
		return above
	}
	if p.node.Kind != yaml.MappingNode {
		r.fail(p, CodeBadType, "retry is a mapping of fields, this is "+kind(p.node), "write retry: {attempts: 3}")
		return above
	}
	f, got := r.fields(p, retryFields), above
	if n, ok := r.whole(f["attempts"], 1, mostAttempts); ok {
		got.Attempts = n
	} else if f["attempts"].absent() && above.Attempts == 1 {
		r.fail(p, CodeMissingField, "retry does not say how many attempts", "write attempts: 3")
	}
	if d, ok := r.duration(f["backoff"]); ok {
		got.Backoff = d
	}
	if x, ok := r.factor(f["factor"]); ok {
		got.Factor = x
	}
	if d, ok := r.duration(f["max"]); ok {
		got.Max = d
		if d < got.Backoff {
			r.fail(f["max"], CodeBadValue, fmt.Sprintf("the longest wait is shorter than the first, %s", got.Backoff), "raise max or lower backoff")
		}
	}
	got.Max = max(got.Max, got.Backoff)
	if jitter, ok := r.yesNo(f["jitter"]); ok {
		got.Jitter = jitter
	}
	return got
}

func (r *reader) factor(p place) (float64, bool) {
	if p.absent() {
		return 0, false
	}
	hint := fmt.Sprintf("write a number from 1 to %d", mostFactor)
	tag := p.node.ShortTag()
	if tag != "!!int" && tag != "!!float" {
		r.fail(p, CodeBadType, "this must be a number, it is "+kind(p.node), hint)
		return 0, false
	}
	var x float64
	if p.node.Decode(&x) != nil || !(x >= 1 && x <= mostFactor) {
		r.fail(p, CodeBadValue, short(p.node.Value)+" is out of bounds", hint)
		return 0, false
	}
	return x, true
}

func (r *reader) duration(p place) (time.Duration, bool) {
	if p.absent() {
		return 0, false
	}
	if p.node.Kind != yaml.ScalarNode {
		r.fail(p, CodeBadType, "this must be a duration, it is "+kind(p.node), durationHint)
		return 0, false
	}
	d, err := Duration(p.node.Value)
	if err != nil {
		r.fail(p, CodeBadDuration, err.Error(), durationHint)
		return 0, false
	}
	return d, true
}

const durationHint = "write 500ms, 10s, 5m, 2h, 1d or 1h30m"

var durationParts = regexp.MustCompile(`^(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h|d))+$`)

// Duration reads a duration as templates write it: 500ms, 10s, 5m, 2h, 1d, 1h30m; at most 366 days.
func Duration(text string) (time.Duration, error) {
	s := strings.TrimSpace(text)
	if s == "0" {
		return 0, nil
	}
	if len(s) > 64 || !durationParts.MatchString(s) {
		return 0, fmt.Errorf("%s is no duration", short(text))
	}
	var sum float64 // nanoseconds; exact far beyond a year's
	for s != "" {
		end := strings.IndexFunc(s, func(c rune) bool { return c >= 'a' })
		number, rest := s[:end], s[end:]
		unit := strings.IndexFunc(rest, func(c rune) bool { return c < 'a' })
		if unit < 0 {
			unit = len(rest)
		}
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return 0, fmt.Errorf("%s is no duration", short(text))
		}
		sum += x * float64(units[rest[:unit]])
		s = rest[unit:]
	}
	if sum > float64(longest) {
		return 0, fmt.Errorf("%s is longer than 366 days", short(text))
	}
	return time.Duration(sum), nil
}

var units = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": day}
