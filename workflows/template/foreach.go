package template

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxItems is the largest number of items that one step goes through.
const MaxItems = 100_000

// Joins: when the calls of a step's items count as done.
const (
	JoinAll        = "all"         // each has completed
	JoinAny        = "any"         // one has completed
	JoinQuorum     = "quorum"      // a share of them has completed
	JoinBestEffort = "best-effort" // each has ended, however
)

// Foreach makes one call for each item of a list.
type Foreach struct {
	Items       string  // the expression that gives the list, without ${ }
	Concurrency int     // items that may be open at once; 0: no limit of its own
	Join        string  // JoinAll, JoinAny, JoinQuorum or JoinBestEffort
	Quorum      float64 // the share of JoinQuorum, more than 0 and at most 1; else 0
}

// Needed is how many of a number of items must complete for the step to complete.
func (f *Foreach) Needed(items int) int {
	switch f.Join {
	case JoinAny:
		return min(1, items)
	case JoinQuorum:
		const noise = 1e-9 // 0.1*30 is a little more than 3
		return int(math.Ceil(f.Quorum*float64(items) - noise))
	case JoinBestEffort:
		return 0
	}
	return items
}

// Items are what the step goes through, in order; nil when it has no foreach. It fails with
// [ErrExpression] when the expression fails, gives no list, or gives more than MaxItems.
func (s *Step) Items(env Env) ([]any, error) {
	if s.Foreach == nil {
		return nil, nil
	}
	items, err := s.items(env)
	if err != nil {
		return nil, fmt.Errorf("foreach of %s: %w", s.ID, err)
	}
	return items, nil
}

func (s *Step) items(env Env) ([]any, error) {
	p, err := s.programs.get(use{s.Foreach.Items, list})
	if err != nil {
		return nil, err
	}
	v, err := p.eval(env, mostListWork)
	if err != nil {
		return nil, err
	}
	items, ok := v.([]any)
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: it gives %s, not a list", ErrExpression, typeOf(v))
	case len(items) > MaxItems:
		return nil, fmt.Errorf("%w: it gives %d items, at most %d are taken", ErrExpression, len(items), MaxItems)
	}
	return items, nil
}

// foreach reads the list and how its calls are run and joined.
func (r *reader) foreach(s *Step, step place, f map[string]place) {
	p := f["foreach"]
	if _, said := step.below("foreach"); said && p.node == nil {
		return // it comes with a later release
	}
	if p.absent() {
		for _, name := range []string{"concurrency", "join", "quorum"} {
			if at := f[name]; !at.absent() {
				r.fail(at, CodeContradiction, name+" without foreach says nothing", "write foreach: with the list, or leave it out")
			}
		}
		return
	}
	source, ok := r.listExpression(p)
	each := &Foreach{Items: source, Join: JoinAll}
	each.Concurrency, _ = r.whole(f["concurrency"], 1, mostOpen)
	r.join(each, f["join"], f["quorum"])
	if ok {
		s.Foreach = each
	}
}

const foreachHint = "write an expression that gives a list, like ctx['papers']"

// listExpression reads an expression, bare or as one ${…}.
func (r *reader) listExpression(p place) (string, bool) {
	if p.node.Kind != yaml.ScalarNode {
		r.fail(p, CodeBadType, "foreach is an expression, this is "+kind(p.node), foreachHint+`; quote a list: "['a', 'b']"`)
		return "", false
	}
	text := strings.TrimSpace(p.node.Value)
	if !strings.HasPrefix(text, "${") {
		return text, true
	}
	parts, err := split(text)
	switch {
	case err != nil:
		r.fail(p, CodeBadExpression, err.Error(), "close it with }")
		return "", false
	case len(parts) != 1:
		r.fail(p, CodeBadExpression, "foreach is one expression, this is a text with some in it", foreachHint)
		return "", false
	}
	return strings.TrimSpace(parts[0].text), true
}

var joinFields = fieldTable{of: "join", fields: []string{"quorum"}}

// join reads all, any, best-effort, {quorum: 0.8} or the text "quorum: 0.8".
func (r *reader) join(each *Foreach, join, quorum place) {
	switch {
	case join.absent():
	case !quorum.absent() && join.node.Value != JoinQuorum:
		r.fail(quorum, CodeContradiction, "join and quorum are both given", "write one of them")
		return
	case join.node.Kind == yaml.MappingNode:
		f := r.fields(join, joinFields)
		if quorum = f["quorum"]; quorum.absent() && !r.faulty(join) {
			r.fail(join, CodeMissingField, "join does not say how much", quorumHint)
		}
	default:
		word := join.node.Value
		if share, ok := strings.CutPrefix(word, "quorum:"); ok {
			each.Join, each.Quorum = JoinQuorum, r.share(join, strings.TrimSpace(share))
			return
		}
		if word == JoinQuorum && quorum.absent() {
			r.fail(join, CodeMissingField, "join: quorum does not say how much", quorumHint)
			return
		}
		if word != JoinQuorum {
			each.Join, _ = r.word(join, JoinAll, JoinAny, "quorum: 0.8", JoinBestEffort)
			return
		}
	}
	if quorum.absent() {
		return
	}
	if tag := quorum.node.ShortTag(); tag != "!!float" && tag != "!!int" {
		r.fail(quorum, CodeBadType, "this must be a number, it is "+kind(quorum.node), quorumHint)
		return
	}
	each.Join, each.Quorum = JoinQuorum, r.share(quorum, quorum.node.Value)
}

const quorumHint = "write the share that must complete, like quorum: 0.8"

func (r *reader) share(p place, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= 1) {
		r.fail(p, CodeBadValue, short(text)+" is no share, which is more than 0 and at most 1", quorumHint)
		return 0
	}
	return x
}

func sameForeach(a, b *Foreach) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
