package source

import "slices"

const (
	counterLeast   = 15 // percent that opposing views get where there is room
	counterQuarter = 4  // and at most one search in so many
)

// capCounter bounds counter and says how low it should not go.
func (b *budget) capCounter() {
	if !b.against.on {
		return
	}
	most := max(1, b.total/counterQuarter)
	if tight(b.total) {
		most = 1
	}
	if over := b.units[Counter] - most; over > 0 {
		b.move(Counter, b.order[0], over)
	}
	b.floor[Counter] = min(most, max(1, ceiling(counterLeast*b.total, 100)))
}

func ceiling(n, by int) int { return (n + by - 1) / by }

// liftWeb sees to the web's 70 percent when it must be new. With two or three searches and opposing
// views asked for, both cannot be had.
func (b *budget) liftWeb() {
	if b.in.Freshness != high || b.order[0] != Web {
		return
	}
	least := ceiling(webWhenHigh*b.total, 100)
	if b.in.WantCounter && b.against.on && (b.total == 2 || b.total == tinyBudget) {
		least = b.total - 1
		b.warnings = append(b.warnings, "web_share_below_70")
	}
	b.floor[Web] = least
	for _, keep := range []int{b.floor[Counter], 0} {
		for _, s := range slices.Backward(b.order[1:]) {
			spare := b.units[s]
			if s == Counter {
				spare = max(0, spare-keep)
			}
			if n := min(spare, least-b.units[Web]); n > 0 {
				b.move(s, Web, n)
			}
		}
	}
}

// liftCounter raises counter to its floor from what others can spare; failing that, background gives.
func (b *budget) liftCounter() {
	for b.against.on && b.units[Counter] < b.floor[Counter] {
		from, ok := b.donor()
		if !ok {
			from, ok = b.background()
		}
		if !ok {
			return
		}
		b.move(from, Counter, 1)
	}
}

// donor is the source with most above its floor, at a draw the one of higher priority.
func (b *budget) donor() (from Source, ok bool) {
	most := 0
	for _, s := range b.order {
		if above := b.units[s] - max(1, b.floor[s]); above > most {
			from, ok, most = s, true, above
		}
	}
	return from, ok
}

// background is the source of lowest priority that has something and is only a supplement.
func (b *budget) background() (Source, bool) {
	for _, s := range slices.Backward(b.order[1:]) {
		if s != Web && s != Counter && b.units[s] > 0 && !slices.Contains(combinations[b.in.Task], s) {
			return s, true
		}
	}
	return "", false
}

// fillOrDrop gives each source without a search one that another can spare, or drops the source.
// Opposing views that were asked for come first.
func (b *budget) fillOrDrop() {
	empty := slices.DeleteFunc(slices.Clone(b.order), func(s Source) bool { return b.units[s] > 0 })
	if b.in.WantCounter {
		slices.SortStableFunc(empty, func(x, y Source) int { return rankCounter(x) - rankCounter(y) })
	}
	for _, s := range empty {
		if from, ok := b.donor(); ok {
			b.move(from, s, 1)
			continue
		}
		b.order = slices.DeleteFunc(b.order, func(o Source) bool { return o == s })
		b.warnings = append(b.warnings, "source_dropped_budget:"+string(s))
		if s == Counter {
			b.against = opposition{skip: "dropped_budget"}
		}
	}
}

func rankCounter(s Source) int {
	if s == Counter {
		return 0
	}
	return 1
}

// counterNotFirst moves counter behind the first source that is left.
func (b *budget) counterNotFirst() {
	if len(b.order) > 1 && b.order[0] == Counter {
		b.order[0], b.order[1] = b.order[1], b.order[0]
	}
}
