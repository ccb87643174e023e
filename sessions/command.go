package sessions

import (
	"encoding/json"
	"strings"

	"github.com/batonflow/baton/events"
)

// World is what a decision may look up besides the state. Everything in it is a fixed answer to a
// fixed question, so that deciding again gives the same events.
type World interface {
	// Value gives the JSON of a value, fetching it by its hash when it is stored.
	Value(events.Value) (json.RawMessage, error)
	// Items gives the elements of a value that is a list.
	Items(events.Value) ([]json.RawMessage, error)
	// Keep makes a value of JSON: inline, or by its hash in the payload store when it is large.
	Keep(json.RawMessage) (events.Value, error)
	// Stow keeps JSON in the payload store whatever its size, so that it can be deleted.
	Stow(json.RawMessage) (events.Value, error)
	// Route decides which skill serves the task, over the index of skills as it is now.
	Route(RouteTask) (events.Data, error)
	// Resolve says how a skill is executed; path names more places to look for it.
	Resolve(skill, path string) Resolution
	// Limited names the limits that every call of a queue counts against.
	Limited(queue string) []string
}

// RouteTask is a question to the skill router, or to the one that it names.
type RouteTask struct {
	Task      string   `json:"task"`
	Mode      string   `json:"mode"`
	Threshold float64  `json:"threshold"`
	Margin    float64  `json:"margin"`
	Top       int      `json:"top"`
	Exclude   []string `json:"exclude,omitempty"`
	Parallel  bool     `json:"parallel,omitempty"`
	Guard     bool     `json:"guard,omitempty"`
	Path      string   `json:"path,omitempty"` // more places of skills, as BATON_SKILLS_PATH was where it was typed

	Router string            `json:"router,omitempty"` // source, web or task; empty: the skill router
	Input  events.Value      `json:"input,omitzero"`   // what another router is asked; Task is then its gist
	Tables map[string]string `json:"tables,omitempty"` // data files in place of the binary's, by name

	Judge events.Judged `json:"-"` // what a judge outside said; whoever decides asked it
}

// Resolution says how a skill is executed: on which queue and with what settings of which executor.
// An empty Execute is work for an outside agent that claims it.
type Resolution struct {
	Queue   string
	Execute json.RawMessage
	Missing bool // there is no such skill, or nobody can use it
}

// Command asks for something. Decide checks it against the state, the fence included, and gives the
// events that say it, or a refusal; it changes nothing. No events and no refusal: it is so already.
type Command interface {
	Decide(*State, World) ([]events.Data, error)
	// Answer tells the asker what came of it, once ref is folded.
	Answer(*State, Ref, World) (any, error)
}

// Open refuses on a session that is not there, has ended, or holds events this binary cannot read.
func (s *State) Open() error {
	switch {
	case len(s.Newer) > 0:
		return s.Readable()
	case s.Status == "":
		return Refuse(NotFound, "session_not_found", "list them with `baton session list`, or begin one with `baton session new --goal …`",
			"there is no session %s", s.ID)
	case s.Status == Ended:
		return Refuse(Conflict, "session_ended", "begin a new one with `baton session new --goal …`",
			"session %s has ended and takes nothing more", s.ID)
	}
	return nil
}

// Readable refuses a session that holds events this binary cannot read: nothing is decided on it.
func (s *State) Readable() error {
	if len(s.Newer) == 0 {
		return nil
	}
	return Refuse(Damaged, "newer_version", "use the Baton that wrote it, or a newer one",
		"session %s holds events this Baton does not know: %s", s.ID, strings.Join(s.Newer, ", "))
}

// FindCall gives the call of an id or a unique prefix; "@last" is the one opened last.
func (s *State) FindCall(id string) (*Call, error) {
	if id == "@last" && len(s.Order) > 0 {
		return s.Calls[s.Order[len(s.Order)-1]], nil
	}
	if c := s.Calls[id]; c != nil {
		return c, nil
	}
	var found []string
	for _, known := range s.Order {
		if id != "" && strings.HasPrefix(known, id) {
			found = append(found, known)
		}
	}
	switch len(found) {
	case 1:
		return s.Calls[found[0]], nil
	case 0:
		return nil, Refuse(NotFound, "call_not_found", "list them with `baton call list`",
			"there is no call %q in session %s", id, s.ID)
	}
	return nil, Refuse(Usage, "call_ambiguous", "give more of the id", "%q could be any of %s", id, strings.Join(found, ", "))
}

// FindCallOrStep finds a call like FindCall, and also by a step's id when just one run has it.
func (s *State) FindCallOrStep(id string) (*Call, error) {
	c, err := s.FindCall(id)
	if err == nil {
		return c, nil
	}
	var found []string
	for _, known := range s.Order {
		if id != "" && strings.HasSuffix(known, "/"+id) {
			found = append(found, known)
		}
	}
	switch len(found) {
	case 1:
		return s.Calls[found[0]], nil
	case 0:
		return nil, err
	}
	return nil, Refuse(Usage, "call_ambiguous", "give the call's whole id", "%q could be any of %s", id, strings.Join(found, ", "))
}
