package host

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// feedbackEntity is the line of commits of what was learned outside of sessions.
const feedbackEntity stream.Entity = "feedback"

// feedbackLine counts what the line holds.
type feedbackLine struct{ given int }

// Fold takes the next event of the line.
func (f *feedbackLine) Fold(e events.Event) {
	if _, ok := e.Data.(events.FeedbackGiven); ok {
		f.given++
	}
}

// FeedbackGive gives feedback outside of sessions.
type FeedbackGive struct {
	sessions.Feedback
	Meta engine.Meta `json:"meta"`
}

func (s *Server) giveFeedback(ctx context.Context, _ string, q FeedbackGive) (any, error) {
	entry, err := s.feedback.Commit(ctx, q.Meta, q.Feedback, func(line *feedbackLine) ([]events.Data, error) {
		fact, err := q.Fact(line.given + 1)
		if err != nil {
			return nil, err
		}
		return []events.Data{fact}, nil
	})
	if err != nil {
		return nil, err
	}
	given, _ := entry.Facts[0].(events.FeedbackGiven)
	return sessions.Given{Feedback: given.Feedback}, nil
}

// FeedbackShown is one piece of feedback for people; Task is null when its text was deleted.
type FeedbackShown struct {
	Feedback string    `json:"feedback"`
	Session  string    `json:"session"`
	Task     *string   `json:"task"`
	Chosen   string    `json:"chosen"`
	Excluded []string  `json:"excluded"`
	Weight   float64   `json:"weight"`
	Source   string    `json:"source"`
	Route    string    `json:"route,omitempty"`
	Call     string    `json:"call,omitempty"`
	Time     time.Time `json:"time"`
}

func (s *Server) rows(ctx context.Context) (rows []projections.FeedbackRow, err error) {
	if err := s.projector.Current(ctx); err != nil {
		return nil, err
	}
	s.projector.Index(func(x *projections.Index) { rows, _ = x.Feedback() })
	return rows, nil
}

func (s *Server) listFeedback(ctx context.Context, _ string, _ engine.None) (any, error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return nil, err
	}
	out := []FeedbackShown{}
	for _, r := range rows {
		shown := FeedbackShown{
			Feedback: r.Feedback, Session: r.Session, Chosen: r.Chosen, Excluded: append([]string{}, r.Excluded...), Weight: r.Weight,
			Source: r.Source, Route: r.Route, Call: r.Call, Time: r.Time,
		}
		if text, err := feedbackText(ctx, s.store, r.Text); err == nil {
			shown.Task = &text
		}
		out = append(out, shown)
	}
	return out, nil
}

// FeedbackStats says how much was learned, and about which skills.
type FeedbackStats struct {
	Records int             `json:"records"`
	Tasks   int             `json:"tasks"` // different ones, however they are spaced
	Skills  []FeedbackSkill `json:"skills"`
	Sources map[string]int  `json:"sources"`
}

// FeedbackSkill counts what was said of one skill.
type FeedbackSkill struct {
	Name     string `json:"name"`
	Chosen   int    `json:"chosen"`
	Excluded int    `json:"excluded"`
}

func (s *Server) feedbackStats(ctx context.Context, _ string, _ engine.None) (any, error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return nil, err
	}
	out := FeedbackStats{Records: len(rows), Sources: map[string]int{}}
	tasks, skills := map[string]bool{}, map[string]FeedbackSkill{}
	count := func(name string, chosen, excluded int) {
		k := skills[name]
		skills[name] = FeedbackSkill{name, k.Chosen + chosen, k.Excluded + excluded}
	}
	for _, r := range rows {
		out.Sources[r.Source]++
		if text, err := feedbackText(ctx, s.store, r.Text); err == nil {
			tasks[strings.ToLower(strings.Join(strings.Fields(text), ""))] = true
		}
		if r.Chosen != "" {
			count(r.Chosen, 1, 0)
		}
		for _, name := range r.Excluded {
			count(name, 0, 1)
		}
	}
	out.Tasks, out.Skills = len(tasks), []FeedbackSkill{}
	for _, name := range slices.Sorted(maps.Keys(skills)) {
		out.Skills = append(out.Skills, skills[name])
	}
	return out, nil
}

// FeedbackClear forgets all feedback.
type FeedbackClear struct {
	Meta engine.Meta `json:"meta"`
}

// FeedbackGone says how much was forgotten.
type FeedbackGone struct {
	Cleared int `json:"cleared"`
}

// clearFeedback says so in the log first: what is cleared counts no longer from there on, also if the
// texts are deleted only later.
func (s *Server) clearFeedback(ctx context.Context, _ string, q FeedbackClear) (any, error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return nil, err
	}
	entry, err := s.feedback.Commit(ctx, q.Meta, "clear", func(*feedbackLine) ([]events.Data, error) {
		return []events.Data{events.FeedbackCleared{Count: len(rows)}}, nil
	})
	if err != nil {
		return nil, err
	}
	if err := s.projector.Reached(ctx, entry.Sequence); err != nil {
		return nil, err
	}
	gone, _ := entry.Facts[0].(events.FeedbackCleared)
	return FeedbackGone{gone.Count}, s.erase(ctx)
}

// erase deletes the texts of the feedback that was cleared last. It is done again whenever a server
// starts, since one may have stopped before it came to it.
func (s *Server) erase(ctx context.Context) error {
	if err := s.projector.Current(ctx); err != nil {
		return err
	}
	var texts []string
	s.projector.Index(func(x *projections.Index) { texts = slices.Clone(x.ClearedTexts()) })
	for _, sha256 := range texts {
		if err := s.store.Delete(ctx, sha256); err != nil {
			return fmt.Errorf("delete the text of feedback: %w", err)
		}
	}
	return nil
}
