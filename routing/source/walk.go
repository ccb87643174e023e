package source

import (
	"slices"
	"strings"
	"time"
)

const (
	allFailed        = "all_failed"
	quotaExhausted   = "quota_exhausted"
	apiError         = "api_error"
	notConfigured    = "not_configured"
	triggerSeparator = " | "

	// AnswerWithin is how long a provider has for its answer: to the millisecond is in time.
	AnswerWithin = 30 * time.Second
	timedOut     = "timeout_30s"
)

// The outcomes of an attempt. Any other text is the code of a failure.
const (
	Answered  = "ok"
	NoResults = "empty_results"
	Cancelled = "cancelled"
)

// The states of a walk or a search, beside [Answered] and [Cancelled].
const (
	Going         = "going"
	EmptyAccepted = "empty_accepted" // no results, and that is the answer
	Exhausted     = "exhausted"      // the last provider failed
	BudgetSpent   = "budget_spent"
)

// Attempt is what became of asking one provider.
type Attempt struct {
	At      time.Time     // its end
	Outcome string        // [Answered], [NoResults], [Cancelled] or the code of a failure
	Elapsed time.Duration // until the answer
}

// Downgrade is one step down the chain, or off its end.
type Downgrade struct {
	FromLevel     int    `json:"from_level"`
	ToLevel       *int   `json:"to_level"`
	Reason        string `json:"reason"`
	Timestamp     string `json:"timestamp"` // RFC 3339, UTC, whole seconds: the end of the attempt
	QueryAffected string `json:"query_affected"`
}

// Walk takes one query down a chain of providers until one answers. It is fed with what became of
// each attempt; the same attempts lead to the same end.
type Walk struct {
	chain  []Level
	at     int
	query  string
	budget int
	spent  int
	status string
	log    []Downgrade
}

// Start begins a walk that may spend so many attempts.
func Start(chain []Level, query string, attempts int) *Walk {
	w := &Walk{chain: slices.Clone(chain), query: query, budget: attempts, status: Going}
	switch {
	case attempts <= 0:
		w.status = BudgetSpent
	case len(chain) == 0:
		w.status = Exhausted
	}
	return w
}

// Next is the provider to ask now; false when the walk is over.
func (w *Walk) Next() (Level, bool) {
	if w.status != Going {
		return Level{}, false
	}
	return w.chain[w.at], true
}

// Fold takes in what became of the attempt that Next named. After the end it changes nothing.
func (w *Walk) Fold(a Attempt) {
	if w.status != Going {
		return
	}
	w.spent++
	level := w.chain[w.at]
	outcome := a.Outcome
	if outcome != Cancelled && a.Elapsed > AnswerWithin {
		outcome = timedOut
	}
	switch {
	case outcome == Answered || outcome == Cancelled:
		w.status = outcome
	case outcome == NoResults && level.acceptsNone():
		w.status = EmptyAccepted
	default:
		w.down(level.reason(outcome), a.At)
	}
}

// pass leaves the level without an attempt, because there is nobody to ask. It costs nothing.
func (w *Walk) pass(reason string, at time.Time) {
	if w.status == Going {
		w.down(w.chain[w.at].reason(reason), at)
	}
}

// down goes to the next level, if there is one and the budget reaches so far.
func (w *Walk) down(reason string, at time.Time) {
	step := Downgrade{
		FromLevel: w.chain[w.at].Level, Reason: reason, QueryAffected: w.query,
		Timestamp: at.UTC().Truncate(time.Second).Format(time.RFC3339),
	}
	if w.at+1 < len(w.chain) {
		w.at++
		step.ToLevel = &w.chain[w.at].Level
		if w.spent >= w.budget {
			w.status = BudgetSpent
		}
	} else {
		w.status = Exhausted
	}
	w.log = append(w.log, step)
}

// triggers are the reasons to leave the level.
func (l Level) triggers() []string {
	if l.TriggerFallback == nil {
		return nil
	}
	return strings.Split(*l.TriggerFallback, triggerSeparator)
}

// acceptsNone says whether no results are an answer at this level: it names what it is left for, and
// that is not among it. The last level has nothing to be left for, so there it is a failure.
func (l Level) acceptsNone() bool {
	t := l.triggers()
	return len(t) > 0 && !slices.Contains(t, NoResults) && !slices.Contains(t, allFailed)
}

// reason is what a failure is called in the log.
func (l Level) reason(outcome string) string {
	switch t := l.triggers(); {
	case slices.Contains(t, allFailed):
		return allFailed
	case slices.Contains(t, outcome):
		return outcome
	}
	return "other:" + outcome
}

// Status is [Going], or how the walk ended.
func (w *Walk) Status() string { return w.status }

// At is the level that the walk has come to, the zero value on an empty chain.
func (w *Walk) At() Level {
	if len(w.chain) == 0 {
		return Level{}
	}
	return w.chain[w.at]
}

// Spent is how many attempts were made, failed ones included.
func (w *Walk) Spent() int { return w.spent }

// Log lists the steps down so far.
func (w *Walk) Log() []Downgrade { return slices.Clone(w.log) }
