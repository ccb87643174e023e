package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// lessons is what was learned from feedback, as a memory that finds what bears on a task. It follows
// the index of the log; the texts come from the payload store.
type lessons struct {
	projector *engine.Projector
	payloads  stream.Payloads

	mu     sync.Mutex
	memory *skill.Memory
	learnt int // rows of the index that are in the memory
	clears int
}

// farLesson is how near a lesson must be to be kept with a decision: what is farther moves nothing.
const farLesson = 0.1

// recall gives the lessons that bear on a task, after everything that is in the log by now.
func (l *lessons) recall(ctx context.Context, task string) ([]skill.Recalled, error) {
	if l == nil {
		return nil, nil
	}
	if err := l.projector.Current(ctx); err != nil {
		return nil, fmt.Errorf("recall feedback: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.catchUp(ctx); err != nil {
		return nil, err
	}
	var out []skill.Recalled
	for _, r := range l.memory.Recall(task) {
		if r.Alike > farLesson || r.Near > farLesson {
			out = append(out, r)
		}
	}
	return out, nil
}

// catchUp learns the rows that came since; after a clearing it begins anew.
func (l *lessons) catchUp(ctx context.Context) error {
	var rows []projections.FeedbackRow
	var clears int
	l.projector.Index(func(x *projections.Index) { rows, clears = x.Feedback() })
	if l.memory == nil || clears != l.clears || len(rows) < l.learnt {
		memory, err := skill.NewMemory()
		if err != nil {
			return err
		}
		l.memory, l.learnt, l.clears = memory, 0, clears
	}
	for _, row := range rows[l.learnt:] {
		text, err := feedbackText(ctx, l.payloads, row.Text)
		if err != nil && !errors.Is(err, stream.ErrNotFound) {
			return err
		}
		if err == nil {
			l.memory.Learn(skill.Lesson{ID: row.Text, Task: text, Chosen: row.Chosen, Excluded: row.Excluded, Weight: row.Weight})
		}
		l.learnt++
	}
	return nil
}

// feedbackText is the task that a piece of feedback is about. stream.ErrNotFound: it was deleted.
func feedbackText(ctx context.Context, payloads stream.Payloads, sha256 string) (string, error) {
	raw, err := payloads.Get(ctx, sha256)
	if err != nil {
		return "", fmt.Errorf("text of feedback: %w", err)
	}
	var text sessions.FeedbackText
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", fmt.Errorf("text of feedback %.12s: %w", sha256, err)
	}
	return text.Task, nil
}

// kept puts recalled lessons into the words of the log, without the texts.
func kept(list []skill.Recalled) []events.Lesson {
	var out []events.Lesson
	for _, r := range list {
		out = append(out, events.Lesson{Text: r.ID, Chosen: r.Chosen, Excluded: r.Excluded, Weight: r.Weight, Alike: r.Alike, Near: r.Near})
	}
	return out
}

// recalled is the way back: what bore on a decision, as it was.
func recalled(list []events.Lesson) []skill.Recalled {
	var out []skill.Recalled
	for _, l := range list {
		lesson := skill.Lesson{ID: l.Text, Chosen: l.Chosen, Excluded: l.Excluded, Weight: l.Weight}
		out = append(out, skill.Recalled{Lesson: lesson, Alike: l.Alike, Near: l.Near})
	}
	return out
}

// checkLessons compares again how much the lessons of a decision are like its task.
// engine.ErrErased: the text of one was deleted; its effect is still known.
func (l *Library) checkLessons(ctx context.Context, d events.RouteDecided) error {
	var erased error
	for _, lesson := range d.Lessons {
		text, err := feedbackText(ctx, l.Payloads, lesson.Text)
		switch {
		case errors.Is(err, stream.ErrNotFound):
			erased = fmt.Errorf("feedback %.12s: %w", lesson.Text, engine.ErrErased)
		case err != nil:
			return err
		case skill.AlikeRounded(d.Task, text) != lesson.Alike:
			return fmt.Errorf("feedback %.12s is not as like the task as the decision says", lesson.Text)
		}
	}
	return erased
}
