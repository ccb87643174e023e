package events

import "encoding/json"

// Used is what calls report to have used up.
type Used struct {
	USD     float64 `json:"usd"`
	Tokens  int     `json:"tokens"`
	Seconds float64 `json:"seconds"`
}

// Used reads what a call reports. What an executor says in other words counts for nothing, and so does
// what is below nothing.
func (d CallClosed) Used() Used {
	var said struct{ USD, Tokens, Seconds float64 }
	if len(d.Usage) == 0 || json.Unmarshal(d.Usage, &said) != nil {
		return Used{}
	}
	return Used{max(said.USD, 0), int(max(said.Tokens, 0)), max(said.Seconds, 0)}
}

// Add counts what another call used.
func (u *Used) Add(v Used) {
	u.USD, u.Tokens, u.Seconds = u.USD+v.USD, u.Tokens+v.Tokens, u.Seconds+v.Seconds
}
