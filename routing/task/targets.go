package task

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/batonflow/baton/routing/words"
)

// targetsOf are the targets that the caller named, else those in the query; fewer than two are none.
func (r Router) targetsOf(req Request) []string {
	if named := distinct(req.Context.Subtasks); len(named) > 1 {
		return named
	}
	folded := words.FoldMap(req.Query)
	var items []string
	for _, s := range newList(r.rules.Targets, folded.Text).items() {
		items = append(items, folded.Original(s.start, s.end))
	}
	if items = distinct(items); len(items) > 1 {
		return items
	}
	return nil
}

// distinct drops blanks and repeats.
func distinct(items []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, item := range items {
		if key := strings.TrimSpace(words.Fold(item)); key != "" && !seen[key] {
			seen[key] = true
			out = append(out, item)
		}
	}
	return out
}

// items finds the first connector with something on its left, and the items around it.
func (l list) items() []span {
	var left leftItems
	for at := 0; at < len(l.text); {
		if end := l.term(at, l.Connectors); end >= 0 {
			if before := left.upTo(l, at, l.text[at:end] == "and"); len(before) > 0 {
				return append(before, l.right(end)...)
			}
		}
		at = left.step(l, at)
	}
	return nil
}

// leftItems follows what could be the items before a connector: what stands behind the last verb,
// parallel word or punctuation.
type leftItems struct {
	listed   []span // items that commas ended
	start    int    // of the item at hand
	lastVerb int    // where it ended
}

// step takes what stands at an offset and gives the next one.
func (i *leftItems) step(l list, at int) int {
	verb := l.verb(at, i.lastVerb)
	if end := max(verb, l.term(at, l.triggers)); end >= 0 {
		*i = leftItems{start: end, lastVerb: max(verb, 0)}
		return end
	}
	next := l.next(at)
	switch {
	case !l.punctuation(at):
	case l.text[at] == ',':
		if item := l.trim(span{i.start, at}); item.start < item.end {
			i.listed = append(i.listed, item)
		}
		i.start = next
	default:
		*i = leftItems{start: next}
	}
	return next
}

// upTo gives the items that end at a connector. Those that commas ended belong to it in front of "and".
func (i *leftItems) upTo(l list, end int, and bool) []span {
	var out []span
	if and {
		out = slices.Clone(i.listed)
	}
	if last := l.trim(span{i.start, end}); last.start < last.end {
		out = append(out, last)
	}
	return out
}

// verb gives the end of a verb at an offset; -1: there is none, or it begins a name right behind
// another verb.
func (l list) verb(at, lastVerb int) int {
	end := l.term(at, l.Verbs)
	if end >= 0 && end < len(l.text) && at > 0 && at == lastVerb && longestAt(l.text, end, l.Heads) >= 0 {
		return -1
	}
	return end
}

// right gives the items behind a connector. A tail ends the list, unless a connector stands right
// behind it with another item: A的文献和B的文献.
func (l list) right(start int) []span {
	var out []span
	for at := start; at < len(l.text); {
		end, tail := l.term(at, l.Connectors), l.term(at, l.Tails, l.triggers)
		if end < 0 && tail < 0 && !l.punctuation(at) {
			at = l.next(at)
			continue
		}
		out = append(out, l.trim(span{start, at}))
		if end < 0 && tail >= 0 {
			end = l.connectorBehind(tail)
		}
		if end < 0 {
			return out
		}
		start, at = end, end
	}
	return append(out, l.trim(span{start, len(l.text)}))
}

// connectorBehind skips tails and gives the end of the connector that follows, if something other
// than a verb follows that; else -1.
func (l list) connectorBehind(at int) int {
	for at = l.blanks(at); at < len(l.text); at = l.blanks(at) {
		if tail := l.term(at, l.Tails, l.triggers); tail >= 0 {
			at = tail
			continue
		}
		end := l.term(at, l.Connectors)
		if end < 0 {
			return -1
		}
		if item := l.blanks(end); item == len(l.text) || l.term(item, l.Verbs) >= 0 {
			return -1
		}
		return end
	}
	return -1
}

// next gives the offset of the next character.
func (l list) next(at int) int {
	_, size := utf8.DecodeRuneInString(l.text[at:])
	return at + size
}
