package workflows

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows/template"
)

// Kinds of timers.
const (
	timerBackoff = "backoff" // until the next attempt
	timerWait    = "wait"    // until the call's time has come
	timerExpiry  = "expiry"  // until nobody's answer or signal is awaited any more

	timerDeadline = "deadline" // until a child run must have ended
)

func timerID(call string, attempt int) string { return fmt.Sprintf("%s@%d", call, attempt) }

// TimerCall is the call that a timer is about.
func TimerCall(timer string) string {
	call, _, _ := strings.Cut(timer, "@")
	return call
}

// maxAsked bounds what a service may ask for: a run is not held for ever by a header.
const maxAsked = 24 * time.Hour

// askedFor is how long a service asked to be left alone.
func askedFor(f events.Failure) time.Duration {
	return time.Duration(min(max(f.RetryAfter, 0), maxAsked.Seconds()) * float64(time.Second))
}

// backoff is the pause after the given number of failures. Jitter spreads it over the upper half, by
// a hash of call and failure and not by chance, so that deciding again gives the same time.
func backoff(policy template.Retry, call string, failures int) time.Duration {
	if policy.Backoff <= 0 {
		return 0
	}
	pause := float64(policy.Backoff) * math.Pow(max(policy.Factor, 1), float64(failures-1))
	if policy.Max > 0 {
		pause = min(pause, float64(policy.Max))
	}
	pause = min(pause, float64(365*24*time.Hour))
	if policy.Jitter {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s@%d", call, failures))
		share := float64(binary.BigEndian.Uint32(sum[:4])) / math.MaxUint32
		pause *= 0.5 + 0.5*share
	}
	return time.Duration(pause)
}
