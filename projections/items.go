package projections

import (
	"cmp"
	"strings"
)

// items counts the calls of a step that goes through a list. An item that is done again counts once.
type items struct {
	Total   int `json:"total"`
	Done    int `json:"done"`
	Failed  int `json:"failed"`
	Running int `json:"running"` // opened and not ended

	state map[string]string // call → where it stands
}

func newItems(total int) *items { return &items{Total: total, state: map[string]string{}} }

// itemStates are the states that are counted, by the status of a call; any other counts nowhere.
var itemStates = map[string]string{"": "running", "ok": "done", "partial": "done", "skipped": "done", "failed": "failed"}

// move notes where an item's call stands: empty while it is open, else the status it ended with.
func (it *items) move(call, status string) {
	next := cmp.Or(itemStates[status], "dropped")
	it.count(it.state[call], -1)
	it.state[call] = next
	it.count(next, 1)
}

func (it *items) runs(call string) bool { return it.state[call] == "running" }

func (it *items) count(state string, by int) {
	switch state {
	case "running":
		it.Running += by
	case "done":
		it.Done += by
	case "failed":
		it.Failed += by
	}
}

// isItem says whether a call is one of an item: its id is that of the step's call with an index.
func isItem(run, step, call string) bool {
	return strings.HasPrefix(call, run+"/"+step+"[") && strings.HasSuffix(call, "]")
}
