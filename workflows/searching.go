package workflows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/source"
	"github.com/batonflow/baton/sessions"
)

// SearchDocument is what a run of the source router goes by: its Text.
type SearchDocument struct {
	Plan  source.Plan  `json:"plan"`
	Tools source.Tools `json:"tools"`
}

// searching takes a plan of the source router through its rounds, one attempt a step.
type searching struct {
	run string
	SearchDocument
	search *source.Search
	said   int  // steps down that are told
	count  int  // attempts that were set out on
	open   bool // the last of them is not over
	found  int  // attempts with an answer
	asks   map[string]source.Ask
	places map[string]bool // where results stand that are held
}

func newSearching(run, document string, at time.Time) (machine, error) {
	s := &searching{run: run, asks: map[string]source.Ask{}, places: map[string]bool{}}
	dec := json.NewDecoder(bytes.NewReader([]byte(document)))
	dec.DisallowUnknownFields()
	err := dec.Decode(&s.SearchDocument)
	if err == nil {
		err = s.Plan.Check()
	}
	if err == nil {
		err = s.Tools.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("plan and tools of a search: %w", err)
	}
	s.search = source.BeginWith(s.Plan, s.Tools.Configured(), at)
	return s, nil
}

// moves are the steps down the chain, then the next attempt.
func (s *searching) moves(time.Time) []move {
	var out []move
	log := s.search.Log()
	for _, d := range log[s.said:] {
		out = append(out, move{said: s.downgraded(d)})
	}
	s.said = len(log)
	ask, ok := s.search.Next()
	if !ok || s.open {
		return out
	}
	s.count++
	s.open = true
	step := fmt.Sprintf("%s-%d", ask.Provider(), s.count)
	s.asks[step] = ask
	return append(out, s.attempt(step, ask))
}

func (s *searching) downgraded(d source.Downgrade) events.SearchDowngraded {
	to, err := events.Marshal(d.ToLevel)
	if err != nil {
		to = json.RawMessage("null")
	}
	return events.SearchDowngraded{
		Run: s.run, FromLevel: d.FromLevel, ToLevel: to, Reason: d.Reason, Timestamp: d.Timestamp, QueryAffected: d.QueryAffected,
	}
}

func (s *searching) attempt(step string, ask source.Ask) move {
	m := move{step: step, intent: ask.Query, timeout: s.Tools.Within(ask.Provider()), inputs: map[string]any{
		"query": ask.Query, "source": ask.Source, "provider": ask.Provider(), "round": ask.Round, "changed": ask.Changed,
	}}
	if ask.Level.Level > 0 {
		m.inputs["level"] = ask.Level.Level
	}
	var err error
	if m.execute, err = s.Tools.Execute(ask, s.Plan.PrimarySubject); err != nil {
		m.execute = json.RawMessage(`{"exec":[]}`) // fails as what it is: settings that are none
	}
	return m
}

// read takes an answer apart, or names a failure as the chain does.
func (s *searching) read(step string, call *sessions.Call, value json.RawMessage) any {
	ask := s.asks[step]
	if call.Status == "ok" {
		reading, _ := source.Read(ask.Source, value, s.places)
		return reading
	}
	f := source.Failure{Class: call.Status}
	if call.Failure != nil {
		f = source.Failure{Class: call.Failure.Class, Code: call.Failure.Code, Status: call.Failure.Status, Exit: call.Failure.Exit, Said: call.Failure.Tail}
	}
	return source.Reading{Outcome: ask.Level.Outcome(f)}
}

func (s *searching) tell(_ string, outcome json.RawMessage, at time.Time) {
	var r source.Reading
	if json.Unmarshal(outcome, &r) != nil {
		r.Outcome = "unreadable_answer"
	}
	if r.Outcome == source.Answered || r.Outcome == source.NoResults {
		s.found++
	}
	s.open = false
	for _, at := range r.Places {
		s.places[at] = true
	}
	s.search.Fold(source.Attempt{At: at, Outcome: r.Outcome}, s.search.Held().Plus(r.Adds))
}

// ended is good when somebody answered, and when nobody had to be asked.
func (s *searching) ended() (string, bool) {
	status := s.search.Status()
	if status == source.Going {
		return "", false
	}
	return status, s.found > 0 || s.count == 0 && len(s.search.Missing()) == 0
}

// SearchView shows a search.
type SearchView struct {
	Run            string                `json:"run"`
	TaskID         string                `json:"task_id"`
	PrimarySubject string                `json:"primary_subject"`
	Status         string                `json:"status"` // going, condition_met, rounds_spent, budget_spent, nothing_left, low_quality, cancelled
	Result         SearchResult          `json:"result"` // of the last query
	Rounds         int                   `json:"rounds"`
	MaxRounds      int                   `json:"max_rounds"`
	AttemptsUsed   int                   `json:"attempts_used"`
	Budget         source.Allocation     `json:"budget_allocation"`
	Spent          map[source.Source]int `json:"budget_spent"`
	DegradationLog []source.Downgrade    `json:"degradation_log"`
	Attempts       []SearchAttempt       `json:"attempts"`
	Results        []SearchFound         `json:"results"`
	Evidence       source.Evidence       `json:"evidence"`
	MayStop        bool                  `json:"may_stop"`
	Unconfigured   []string              `json:"unconfigured"` // providers that were wanted and are not there
}

// SearchResult is how a query ended and at which provider.
type SearchResult struct {
	Status string `json:"status"`
	Level  int    `json:"level"`
	Source string `json:"source"`
}

// SearchAttempt is one provider asked once.
type SearchAttempt struct {
	CallID    string          `json:"call_id"`
	Source    source.Source   `json:"source"`
	Provider  string          `json:"provider"`
	Level     int             `json:"level,omitempty"`
	Query     string          `json:"query"`
	Round     int             `json:"round"`
	Outcome   string          `json:"outcome"` // empty while it is under way
	Results   int             `json:"results"`
	StartedAt *time.Time      `json:"started_at"`
	EndedAt   *time.Time      `json:"ended_at"`
	Error     *events.Failure `json:"error"`
}

// SearchFound is a result with where it comes from.
type SearchFound struct {
	Source   source.Source `json:"source"`
	Provider string        `json:"provider"`
	Query    string        `json:"query"`
	source.Result
}

func (s *searching) show(tried []Tried) any {
	level, status := s.search.Last()
	v := SearchView{
		Run: s.run, TaskID: s.Plan.TaskID, PrimarySubject: s.Plan.PrimarySubject, Status: s.search.Status(),
		Result: SearchResult{Status: status, Level: level.Level, Source: level.Source},
		Rounds: s.search.Rounds(), MaxRounds: s.Plan.StopRule.MaxRounds, AttemptsUsed: s.count,
		Budget: s.Plan.BudgetAllocation, Spent: s.search.Spent(), DegradationLog: append([]source.Downgrade{}, s.search.Log()...),
		Attempts: []SearchAttempt{}, Results: []SearchFound{}, Evidence: s.search.Held(), MayStop: s.search.MayStop(),
		Unconfigured: append([]string{}, s.search.Missing()...),
	}
	for _, t := range tried {
		s.showAttempt(&v, t)
	}
	return v
}

func (s *searching) showAttempt(v *SearchView, t Tried) {
	ask := s.asks[t.Step]
	if t.Call == nil {
		return
	}
	a := SearchAttempt{
		CallID: t.Call.ID(), Source: ask.Source, Provider: ask.Provider(), Level: ask.Level.Level, Query: ask.Query, Round: ask.Round,
		StartedAt: sessions.Moment(t.Call.StartedAt), EndedAt: sessions.Moment(t.Call.ClosedAt), Error: t.Call.Failure,
	}
	if t.Outcome != nil {
		var r source.Reading
		_ = json.Unmarshal(t.Outcome, &r) // one that cannot be read says nothing
		a.Outcome, a.Results = r.Outcome, r.Results
	}
	v.Attempts = append(v.Attempts, a)
	if t.Value == nil {
		return
	}
	_, results := source.Read(ask.Source, t.Value, nil)
	for _, r := range results {
		v.Results = append(v.Results, SearchFound{Source: ask.Source, Provider: ask.Provider(), Query: ask.Query, Result: r})
	}
}
