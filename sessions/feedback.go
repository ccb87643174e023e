package sessions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
)

// Where feedback comes from.
const (
	FromPerson    = "person"    // somebody said so
	FromConfirmed = "confirmed" // the first candidate was taken after it was put before a person
	FromOverruled = "overruled" // another skill was taken, or the chosen one was turned down
	FromClosed    = "closed"    // a call of the chosen skill ended well
	FromImport    = "imported"  // it was learned by another router
)

// closedWeight is what a good end counts: that nobody complained says less than a choice.
const closedWeight = 0.5

// Feedback says which skill serves a task, and which do not.
type Feedback struct {
	Text     events.Value `json:"text"` // [FeedbackText], stored apart by whoever asks
	Chosen   string       `json:"chosen,omitempty"`
	Excluded []string     `json:"excluded,omitempty"`
	Weight   float64      `json:"weight,omitempty"` // 0: 1
	Source   string       `json:"source,omitempty"` // "": person
}

// FeedbackText is what stands in the payload store. Of makes it unlike any other, so that it can be
// deleted, and so that nobody who guesses the task finds it by its digest.
type FeedbackText struct {
	Task string `json:"task"`
	Of   string `json:"of"`
}

// Fact checks the feedback and makes it the event of a number.
func (f Feedback) Fact(number int) (events.FeedbackGiven, error) {
	fact := events.FeedbackGiven{
		Feedback: fmt.Sprintf("fb%03d", number), Text: f.Text, Chosen: f.Chosen, Excluded: f.Excluded, Weight: f.Weight, Source: f.Source,
	}
	if fact.Weight == 0 {
		fact.Weight = 1
	}
	if fact.Source == "" {
		fact.Source = FromPerson
	}
	if !f.Text.Stored() {
		return fact, Refuse(Usage, "text_not_stored", "store it as a payload first", "the text of feedback must not stand in the log")
	}
	if f.Chosen == "" && len(f.Excluded) == 0 {
		return fact, Refuse(Usage, "nothing_learned", "name a skill with --chosen or --excluded", "feedback needs a skill that serves the task or one that does not")
	}
	if !(fact.Weight > 0 && fact.Weight <= 1) {
		return fact, Refuse(Usage, "bad_weight", "use a number above 0 and up to 1", "weight %g says nothing", fact.Weight)
	}
	for _, name := range append([]string{f.Chosen}, f.Excluded...) {
		if err := checkText("skill", name); err != nil {
			return fact, err
		}
	}
	if slices.ContainsFunc(f.Excluded, func(name string) bool { return strings.EqualFold(name, f.Chosen) && name != "" }) {
		return fact, Refuse(Usage, "chosen_and_excluded", "name it once", "skill %s cannot both serve the task and not", f.Chosen)
	}
	return fact, nil
}

// CheckTask refuses a task from which nothing can be learned.
func CheckTask(task string) error {
	if strings.TrimSpace(task) == "" {
		return Refuse(Usage, "task_missing", "say what was asked for with --task", "feedback needs a task")
	}
	return checkText("task", task)
}

// GiveFeedback adds feedback that was given while the session was on.
type GiveFeedback struct{ Feedback }

// Decide numbers it within the session.
func (c GiveFeedback) Decide(s *State, _ World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	fact, err := c.Fact(s.Learned + 1)
	if err != nil {
		return nil, err
	}
	return []events.Data{fact}, nil
}

// Given names the feedback that was recorded.
type Given struct {
	Feedback string `json:"feedback"`
	Session  string `json:"session"`
}

// Answer gives its number.
func (c GiveFeedback) Answer(s *State, ref Ref, _ World) (any, error) {
	return Given{ref.Feedback, s.ID}, nil
}

// lesson makes feedback of what was done with a route. Its task is stored apart once more, so that
// clearing feedback leaves the session's own record alone.
func (s *State) lesson(w World, route *events.RouteDecided, f events.FeedbackGiven) (events.FeedbackGiven, error) {
	f.Feedback, f.Route = fmt.Sprintf("fb%03d", s.Learned+1), route.Route
	raw, err := events.Marshal(FeedbackText{Task: route.Task, Of: s.ID + "/" + f.Feedback})
	if err != nil {
		return f, fmt.Errorf("encode the text of feedback: %w", err)
	}
	f.Text, err = w.Stow(json.RawMessage(raw))
	return f, err
}
