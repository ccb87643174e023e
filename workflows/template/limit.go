package template

import (
	"fmt"
	"slices"

	"github.com/batonflow/baton/events"
)

// Limits bound a run.
type Limits struct {
	Parallel int // calls of the run that may be open to workers at once; 0: no limit of its own
	Budget   Budget
}

// Budget bounds what a run may use up, as its executors report it; 0: no bound of its own.
type Budget struct {
	USD     float64
	Tokens  int
	Seconds float64
}

// Above gives how much a run that has used so much may use in all, when it may use the budget once more.
// What has no bound stays as it was allowed.
func (b Budget) Above(used, allowed events.Used) events.Used {
	if b.USD > 0 {
		allowed.USD = used.USD + b.USD
	}
	if b.Tokens > 0 {
		allowed.Tokens = used.Tokens + b.Tokens
	}
	if b.Seconds > 0 {
		allowed.Seconds = used.Seconds + b.Seconds
	}
	return allowed
}

const (
	mostBudget = 1e12
	mostTokens = 2_000_000_000
)

var (
	limitFields  = fieldTable{of: "limits", prefix: "limits.", fields: []string{"parallel", "budget"}}
	budgetFields = fieldTable{of: "budget", fields: []string{"usd", "tokens", "seconds"}}
)

func (r *reader) limits(p place) (l Limits) {
	if p.absent() {
		return l
	}
	f := r.fields(p, limitFields)
	l.Parallel, _ = r.whole(f["parallel"], 1, mostOpen)
	l.Budget = r.budget(f["budget"])
	return l
}

func (r *reader) budget(p place) (b Budget) {
	if p.absent() {
		return b
	}
	f := r.fields(p, budgetFields)
	b.USD = r.positive(f["usd"])
	b.Tokens, _ = r.whole(f["tokens"], 1, mostTokens)
	b.Seconds = r.positive(f["seconds"])
	if f != nil && f["usd"].absent() && f["tokens"].absent() && f["seconds"].absent() && !r.faulty(p) {
		r.fail(p, CodeMissingField, "the budget says no amount", "write usd, tokens or seconds")
	}
	return b
}

func (r *reader) positive(p place) float64 {
	if p.absent() {
		return 0
	}
	const hint = "write a number above 0"
	if tag := p.node.ShortTag(); tag != "!!int" && tag != "!!float" {
		r.fail(p, CodeBadType, "this must be a number, it is "+kind(p.node), hint)
		return 0
	}
	var x float64
	if p.node.Decode(&x) != nil || !(x > 0 && x <= mostBudget) {
		r.fail(p, CodeBadValue, short(p.node.Value)+" is out of bounds", hint)
		return 0
	}
	return x
}

// limit reads the named limits that a step counts against, sorted.
func (r *reader) limit(p place) []string {
	names, places := r.texts(p, mostName)
	for i, name := range names {
		switch {
		case !queueName.MatchString(name):
			r.fail(places[i], CodeBadValue, short(name)+" is no name of a limit", nameHint)
		case r.known.Limits != nil && !slices.Contains(r.known.Limits, name):
			hint := r.didYouMean(name, r.known.Limits)
			if hint == "" {
				hint = fmt.Sprintf("set its size in the configuration: limits: {%s: 1}", name)
			}
			r.fail(places[i], CodeBadValue, "there is no limit "+short(name), hint)
		}
	}
	return sortedUnique(names)
}
