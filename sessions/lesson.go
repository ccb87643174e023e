package sessions

import (
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
)

// offered is the skill that a decision put first: the one it chose, or else the first candidate.
func offered(d *events.RouteDecided) string {
	if d.Chosen != "" || len(d.Candidates) == 0 {
		return d.Chosen
	}
	return d.Candidates[0].Name
}

// teaches says whether what is done after a route shows anything about it.
func teaches(d *events.RouteDecided) bool {
	return d != nil && d.Run == "" && d.Router == "" && d.Decision != "decompose" && strings.TrimSpace(d.Task) != ""
}

// awaited is the route that no call has followed yet; nil when there is none, or it can teach nothing.
func (s *State) awaited() *events.RouteDecided {
	if s.pending == 0 {
		return nil
	}
	if d := s.Routes[s.pending-1].Decided; teaches(d) {
		return d
	}
	return nil
}

// taken is what the opening of a call teaches of the route before it: that the offer was confirmed, or
// that another skill was taken instead. A choice that Baton made itself teaches nothing yet.
func (s *State) taken(w World, opened events.CallOpened) ([]events.Data, error) {
	d := s.awaited()
	if d == nil {
		return nil, nil
	}
	first := offered(d)
	lesson := events.FeedbackGiven{Chosen: opened.Skill, Weight: 1, Source: FromOverruled, Call: opened.Call}
	switch {
	case strings.EqualFold(opened.Skill, first) && d.Chosen != "":
		return nil, nil
	case strings.EqualFold(opened.Skill, first):
		lesson.Source = FromConfirmed
	case first != "":
		lesson.Excluded = []string{first}
	}
	fact, err := s.lesson(w, d, lesson)
	if err != nil {
		return nil, err
	}
	return []events.Data{fact}, nil
}

// turnedDown is what it teaches that a task is routed again without the skill that was offered.
func (s *State) turnedDown(w World, task RouteTask) ([]events.Data, error) {
	d := s.awaited()
	if d == nil || task.Router != "" || strings.TrimSpace(task.Task) != strings.TrimSpace(d.Task) {
		return nil, nil
	}
	first := offered(d)
	if first == "" || !slices.ContainsFunc(task.Exclude, func(name string) bool { return strings.EqualFold(name, first) }) {
		return nil, nil
	}
	fact, err := s.lesson(w, d, events.FeedbackGiven{Excluded: []string{first}, Weight: 1, Source: FromOverruled})
	if err != nil {
		return nil, err
	}
	return []events.Data{fact}, nil
}

// served is what the good end of a call teaches of the route that it followed.
func (s *State) served(w World, call *Call, status string) ([]events.Data, error) {
	if status != "ok" || call.follows == 0 || call.taught {
		return nil, nil
	}
	d := s.Routes[call.follows-1].Decided
	if !teaches(d) || !strings.EqualFold(call.Skill, d.Chosen) {
		return nil, nil
	}
	fact, err := s.lesson(w, d, events.FeedbackGiven{Chosen: call.Skill, Weight: closedWeight, Source: FromClosed, Call: call.ID()})
	if err != nil {
		return nil, err
	}
	return []events.Data{fact}, nil
}
