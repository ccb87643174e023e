package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

func (a *app) feedbackCommand() *cobra.Command {
	return a.group("feedback", "what was learned about which skill serves which task; it stays on this installation", `
baton feedback add --task "draw the architecture" --chosen drawio-skill --excluded mermaid
baton feedback list
baton feedback clear`,
		a.feedbackAdd(),
		a.verb(verb{
			use: "list", short: "list all feedback, the oldest first", example: `baton feedback list`,
			run: func(ctx context.Context, _ []string) error { return askHome(ctx, a, "feedback.list", (*page).feedback) },
		}),
		a.verb(verb{
			use: "stats", short: "count feedback by skill", example: `baton feedback stats`,
			run: func(ctx context.Context, _ []string) error {
				return askHome(ctx, a, "feedback.stats", (*page).feedbackStats)
			},
		}),
		a.feedbackClear())
}

// askHome asks what is about no session.
func askHome[T any](ctx context.Context, a *app, query string, text func(*page, T)) error {
	return a.linked(ctx, func(l *link) error {
		raw, err := l.Query(ctx, query, "", engine.None{})
		return reply(a, raw, err, text)
	})
}

// taught is the answer to `feedback add`.
type taught struct {
	sessions.Given
	Task     string   `json:"task"`
	Chosen   string   `json:"chosen"`
	Excluded []string `json:"excluded"`
	Weight   float64  `json:"weight"`
}

func (a *app) feedbackAdd() *cobra.Command {
	out := taught{Excluded: []string{}}
	return a.verb(verb{
		use: "add --task T --chosen N [--excluded N]… [--weight F]", short: "say which skill serves a task, and which do not",
		example: `baton feedback add --task "turn the notes into an article" --chosen wechat-publisher --excluded summarize`, need: []string{"task"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&out.Task, "task", "", a.say("what was asked for"))
			f.StringVar(&out.Chosen, "chosen", "", a.say("the skill that serves it"))
			f.StringArrayVar(&out.Excluded, "excluded", nil, a.say("`NAME` of a skill that does not (repeat)"))
			f.Float64Var(&out.Weight, "weight", 1, a.say("how much it counts, up to 1"))
		},
		run: func(ctx context.Context, _ []string) error {
			if err := sessions.CheckTask(out.Task); err != nil {
				return err
			}
			if out.Weight == 0 {
				out.Weight = -1 // no weight is not the usual one
			}
			return a.linked(ctx, func(l *link) error { return a.teach(ctx, l, out) })
		},
	})
}

// teach puts the text apart and gives the feedback to the session that is on, or else to the
// installation.
func (a *app) teach(ctx context.Context, l *link, out taught) error {
	of := a.request
	if of == "" {
		of = uuid.NewString()
	}
	raw, err := events.Marshal(sessions.FeedbackText{Task: out.Task, Of: of})
	if err != nil {
		return fmt.Errorf("encode feedback: %w", err)
	}
	sum, err := l.Payloads.Put(ctx, raw)
	if err != nil {
		return fmt.Errorf("store the text of feedback: %w", err)
	}
	f := sessions.Feedback{Text: events.Value{SHA256: sum, Size: int64(len(raw))}, Chosen: out.Chosen, Excluded: out.Excluded, Weight: out.Weight}
	answer, err := a.give(ctx, l, f)
	if out.Given, err = engine.As[sessions.Given](answer, err); err != nil {
		return err
	}
	return a.answer(out, func(p *page) error {
		p.line("%s learned", out.Feedback)
		return nil
	})
}

func (a *app) give(ctx context.Context, l *link, f sessions.Feedback) (json.RawMessage, error) {
	session, err := a.chosen(ctx, l)
	if err != nil {
		return nil, err
	}
	if session != "" {
		answer, err := l.Do(ctx, session, workflows.Of(sessions.GiveFeedback{Feedback: f}), a.meta())
		var refusal *sessions.Refusal
		if over := errors.As(err, &refusal) && (refusal.Code == "session_ended" || refusal.Code == "session_not_found"); !over || a.session != "" {
			return answer, err
		}
	}
	return l.Query(ctx, "feedback.give", "", host.FeedbackGive{Feedback: f, Meta: a.meta()})
}

func (a *app) feedbackClear() *cobra.Command {
	return a.verb(verb{
		use: "clear", short: "forget all feedback and delete its texts; decisions made before stay as they are", example: `baton feedback clear`,
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				raw, err := l.Query(ctx, "feedback.clear", "", host.FeedbackClear{Meta: a.meta()})
				return reply(a, raw, err, func(p *page, gone host.FeedbackGone) { p.line("%d forgotten", gone.Cleared) })
			})
		},
	})
}

func (p *page) feedback(list []host.FeedbackShown) {
	if len(list) == 0 {
		p.line("nothing was learned yet")
		return
	}
	var rows [][]string
	for _, f := range list {
		task := p.app.say("(deleted)")
		if f.Task != nil {
			task = cut(*f.Task, 60)
		}
		rows = append(rows, []string{f.Feedback, cut(f.Session, 14), f.Source, fmt.Sprint(f.Weight), f.Chosen, join(f.Excluded), task})
	}
	p.rows([]string{"feedback", "session", "source", "weight", "chosen", "excluded", "task"}, rows)
}

func (p *page) feedbackStats(s host.FeedbackStats) {
	p.line("%d records about %d tasks", s.Records, s.Tasks)
	var rows [][]string
	for _, k := range s.Skills {
		rows = append(rows, []string{k.Name, fmt.Sprint(k.Chosen), fmt.Sprint(k.Excluded)})
	}
	if len(rows) > 0 {
		p.rows([]string{"skill", "chosen", "excluded"}, rows)
	}
}
