package source

import (
	"maps"
	"slices"
	"time"
)

// How a search ends, beside [BudgetSpent] and [Cancelled].
const (
	ConditionMet = "condition_met"
	RoundsSpent  = "rounds_spent"
	NothingLeft  = "nothing_left" // every text that was suggested has been asked for
	LowQuality   = "low_quality"  // poor results, also after a change of strategy
)

// Search takes a plan through its rounds. In a round each source is asked a fair part of what was
// suggested for it, so that all has been asked when the rounds are over, if the budget lasts: failed
// attempts cost as much as good ones. It is fed with what became of each attempt and what is held by
// then; the same record leads to the same state.
type Search struct {
	plan    Plan
	rule    string // the condition by which it stops
	status  string
	round   int
	changed bool           // poor results were met by a change of strategy
	spent   map[Source]int // attempts
	asked   map[Source]int // suggestions
	due     map[Source]int // suggestions still to be asked for in this round
	used    []string       // providers whose quota is used up
	held    Evidence
	current Source
	walk    *Walk
	log     []Downgrade
	here    []string  // providers that are configured; nil: all
	missing []string  // providers that were wanted and are not configured
	at      time.Time // of the last thing that happened
	cached  bool      // the plan has no source, and what is cached was asked for
}

// Ask is the attempt to make next.
type Ask struct {
	Source  Source
	Query   string
	Round   int   // from 1
	Level   Level // the provider, for web and counter
	Changed bool  // the query was asked before: ask for it in another way
}

// Provider is who is asked: one of the chain, or what serves the source.
func (a Ask) Provider() string {
	if a.Level.Source != "" {
		return a.Level.Source
	}
	return string(a.Source)
}

// BeginWith begins a search at a time, with the providers that are configured; nil stands for all of
// them. Sources that no chain serves are providers of their own name. One that is not there is passed over: a step down the chain
// that costs nothing.
func BeginWith(p Plan, configured []string, at time.Time) *Search {
	s := &Search{
		plan: p, rule: p.Diagnostics.ConditionID, status: Going, here: configured, at: at,
		spent: map[Source]int{}, asked: map[Source]int{}, due: map[Source]int{},
	}
	s.advance()
	return s
}

// Next is the attempt to make now; false when the search is over.
func (s *Search) Next() (Ask, bool) {
	if s.status != Going {
		return Ask{}, false
	}
	level, ok := s.walk.Next()
	ask := Ask{Source: s.current, Query: s.walk.query, Round: s.round, Changed: s.changed}
	if s.chained(s.current) {
		ask.Level = level
	}
	return ask, ok
}

// Fold takes in what became of the attempt that Next named, and all that is held after it. After the
// end it changes nothing.
func (s *Search) Fold(a Attempt, held Evidence) {
	if s.status != Going {
		return
	}
	if a.Outcome == quotaExhausted && s.chained(s.current) {
		s.used = append(s.used, s.walk.At().Source)
	}
	s.held, s.at = held, a.At
	s.spent[s.current]++
	s.walk.Fold(a)
	if s.settled() {
		s.advance()
	}
}

// settled passes over providers that are not there, and says whether the query is over and the search
// goes on.
func (s *Search) settled() bool {
	for level, ok := s.walk.Next(); ok && s.here != nil && !slices.Contains(s.here, level.Source); level, ok = s.walk.Next() {
		if !slices.Contains(s.missing, level.Source) {
			s.missing = append(s.missing, level.Source)
		}
		s.walk.pass(notConfigured, s.at)
	}
	if s.walk.Status() == Going {
		return false
	}
	if s.chained(s.current) {
		s.log = append(s.log, s.walk.Log()...)
	}
	if s.walk.Status() == Cancelled {
		s.status = Cancelled
		return false
	}
	return true
}

// advance finds the next query to ask, or the end. A query that no provider is left for is passed over.
func (s *Search) advance() {
	for s.status == Going {
		if s.plan.Diagnostics.PlanStatus == PlanDegraded && !s.cached {
			s.askCache()
			if !s.settled() {
				return
			}
		}
		if s.met() {
			s.status = ConditionMet
			return
		}
		at := slices.IndexFunc(s.plan.SearchOrder, func(o Source) bool { return s.due[o] > 0 && s.open(o) })
		if at < 0 {
			s.nextRound()
			continue
		}
		s.ask(s.plan.SearchOrder[at])
		if !s.settled() {
			return
		}
	}
}

func (s *Search) met() bool {
	if conditionOf(s.rule).met(s.held) {
		return true
	}
	return s.rule == deep.id && len(s.plan.SearchOrder) > 0 && !slices.ContainsFunc(s.plan.SearchOrder, func(o Source) bool {
		return s.spent[o] < min(2, s.plan.BudgetAllocation.Of(o))
	})
}

// open says whether a source may still be searched: it has budget, and the network is not yet large
// enough.
func (s *Search) open(source Source) bool {
	large := source == Graph && s.rule == entity.id && s.held.Nodes >= nodesOfNetwork
	return !large && s.left(source) > 0
}

func (s *Search) left(source Source) int {
	return s.plan.BudgetAllocation.Of(source) - s.spent[source]
}

// ask sets out on the next suggestion for a source.
func (s *Search) ask(source Source) {
	chain := []Level{{Level: 1, Source: string(source)}}
	if s.chained(source) {
		chain = slices.DeleteFunc(slices.Clone(s.plan.FallbackChain), func(l Level) bool { return slices.Contains(s.used, l.Source) })
	}
	s.current, s.walk = source, Start(chain, s.hints(source)[s.asked[source]], s.left(source))
	s.asked[source]++
	s.due[source]--
}

// askCache asks the chain of a plan without sources, which is what is cached, for the subject itself.
func (s *Search) askCache() {
	s.cached, s.round, s.current = true, 1, ""
	s.walk = Start(s.plan.FallbackChain, s.plan.PrimarySubject, s.plan.BudgetAllocation.Total)
}

// chained says whether a source is searched by the providers of the chain. No source at all is: what is
// cached stands at the chain's end.
func (s *Search) chained(source Source) bool {
	return source == Web || source == Counter || source == ""
}

func (s *Search) hints(source Source) []string {
	for _, sel := range s.plan.SelectedSources {
		if sel.Source == source {
			return sel.SearchHints
		}
	}
	return nil
}

// nextRound begins a round, or ends the search when there is none to begin.
func (s *Search) nextRound() {
	switch {
	case s.round >= s.plan.StopRule.MaxRounds:
		s.status = RoundsSpent
		return
	case s.held.poor() && s.changed:
		s.status = LowQuality
		return
	case s.held.poor():
		s.changed = true
		clear(s.asked)
	}
	rounds := s.plan.StopRule.MaxRounds - s.round
	s.round++
	clear(s.due)
	for _, source := range s.plan.SearchOrder {
		if n := ceiling(len(s.hints(source))-s.asked[source], rounds); n > 0 && s.open(source) {
			s.due[source] = n
		}
	}
	if len(s.due) == 0 {
		s.round--
		s.status = NothingLeft
		if len(s.plan.SearchOrder) > 0 && !slices.ContainsFunc(s.plan.SearchOrder, func(o Source) bool { return s.left(o) > 0 }) {
			s.status = BudgetSpent
		}
	}
}

// Status is [Going], or how the search ended.
func (s *Search) Status() string { return s.status }

// MayStop says whether the results are so good that the search may be ended before its rule says so.
func (s *Search) MayStop() bool { return s.held.mayStop() }

// Spent is how many attempts each source has cost.
func (s *Search) Spent() map[Source]int { return maps.Clone(s.spent) }

// Log lists the steps down the chain.
func (s *Search) Log() []Downgrade {
	if s.status == Going && s.walk != nil && s.walk.Status() == Going && s.chained(s.current) {
		return slices.Concat(s.log, s.walk.Log())
	}
	return slices.Clone(s.log)
}

// Held is what the search holds.
func (s *Search) Held() Evidence { return s.held }

// Rounds is how many rounds were begun.
func (s *Search) Rounds() int { return s.round }

// Missing lists providers that were wanted and are not configured.
func (s *Search) Missing() []string { return slices.Clone(s.missing) }

// Last is where the last query ended, or stands, and how.
func (s *Search) Last() (Level, string) {
	if s.walk == nil {
		return Level{}, s.status
	}
	return s.walk.At(), s.walk.Status()
}
