package source

import (
	"cmp"
	"slices"
)

// fewSources is how many sources a tight budget is shared among, beside counter.
const fewSources = 2

// budget is the searches that may be spent, shared out among the sources.
type budget struct {
	in       input
	total    int
	order    []Source // by priority, counter included when it is on
	units    map[Source]int
	floor    map[Source]int // 1 where it says nothing
	against  opposition
	warnings []string
}

// share shares the budget out among ranked sources: whole searches, which add up to the total.
func share(r ranking, against opposition) budget {
	b := budget{in: r.in, total: r.in.Budget, against: against, floor: map[Source]int{}}
	b.order = slices.Clone(r.order)
	if tight(b.total) && len(b.order) > fewSources {
		b.order = b.order[:fewSources]
	}
	b.seatCounter()
	b.apportion(b.percent(r.weight))
	if b.order[0] != Counter {
		b.capCounter()
		b.liftWeb()
		b.liftCounter()
		b.fillOrDrop()
		b.counterNotFirst()
	}
	return b
}

func tight(total int) bool { return total <= tightBudget }

// seatCounter puts counter second when it must be new, else last.
func (b *budget) seatCounter() {
	if !b.against.on {
		return
	}
	at := len(b.order)
	if b.in.Freshness == high {
		at = min(1, at)
	}
	b.order = slices.Insert(b.order, at, Counter)
}

// percent gives the weights of the sources that take part. The first one makes up for what is missing
// from 100, or pays for what is above.
func (b *budget) percent(weight shares) shares {
	out, sum := shares{}, 0
	for _, s := range b.order {
		out[s] = weight[s]
		if s == Counter && weight[s] == 0 {
			out[s] = counterOtherwise
		}
		sum += out[s]
	}
	out[b.order[0]] += 100 - sum
	return out
}

// apportion gives each source the whole part of its share; what is left goes one by one to the
// largest remainders, at a draw to the higher priority.
func (b *budget) apportion(percent shares) {
	b.units = map[Source]int{}
	spare := b.total
	for _, s := range b.order {
		b.units[s] = percent[s] * b.total / 100
		spare -= b.units[s]
	}
	byRemainder := slices.Clone(b.order)
	slices.SortStableFunc(byRemainder, func(x, y Source) int {
		return cmp.Compare(percent[y]*b.total%100, percent[x]*b.total%100)
	})
	for _, s := range byRemainder[:spare] {
		b.units[s]++
	}
}

func (b *budget) move(from, to Source, n int) {
	b.units[from] -= n
	b.units[to] += n
}
