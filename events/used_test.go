package events_test

import (
	"encoding/json"
	"testing"

	"github.com/batonflow/baton/events"
)

func TestUsedIsWhatACallReports(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]events.Used{
		"":   {},
		"7":  {},
		"{}": {},
		`{"usd": 0.5, "tokens": 1200, "seconds": 3.5, "model": "m"}`: {USD: 0.5, Tokens: 1200, Seconds: 3.5},
		`{"usd": -1, "tokens": -2, "seconds": 4}`:                    {Seconds: 4},
		`{"usd": "much", "tokens": 5}`:                               {},
		`{"tokens": 2.9}`:                                            {Tokens: 2},
	} {
		if got := (events.CallClosed{Usage: json.RawMessage(said)}).Used(); got != want {
			t.Errorf("%s: %+v, want %+v", said, got, want)
		}
	}
	sum := events.Used{USD: 1, Tokens: 2, Seconds: 3}
	if sum.Add(events.Used{USD: 10, Tokens: 20, Seconds: 30}); sum != (events.Used{USD: 11, Tokens: 22, Seconds: 33}) {
		t.Errorf("sum %+v", sum)
	}
}
