package host

import (
	"context"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/fromtext"
)

// draft makes a template of a sentence. It is recorded nowhere: its run is.
func (s *Server) draft(ctx context.Context, _ string, q operation.DraftAsk) (any, error) {
	shelf, err := s.library.Look(ctx, q.Workspace, q.Path)
	if err != nil {
		return nil, err
	}
	whole := shelf.Router().Decide(skill.Request{Task: q.Text, Env: s.Env})
	if whole.Decision == skill.Blocked {
		return nil, sessions.Refuse(sessions.Refused, whole.Reason, whole.Hint, "no workflow is made of this: %q", whole.Sentinel.Matched)
	}
	reader := shelf.Rules.Reader()
	w, err := fromtext.Make(reader, q.Text, func(kind, target string) (string, error) {
		return s.library.choose(ctx, shelf, reader.Suggested(kind), kind, target)
	})
	if err == nil && len(w.Steps) == 0 {
		return nil, sessions.Refuse(sessions.Failed, "no_action", "say what is to be done, such as: search, summarize, write, draw, publish",
			"there is no action in %q", strings.TrimSpace(q.Text))
	}
	return w, err
}

// leastFit is the score below which a skill that the router is not sure of is no better than the usual
// one for the action.
const leastFit = 0.5

// choose names the skill for one step: the router's choice or first candidate, if it may be chosen; else
// one that is commonly used for such an action, installed ones first; else the action itself, for
// whoever claims it.
func (l *Library) choose(ctx context.Context, shelf Shelf, usual []string, kind, target string) (string, error) {
	lessons, err := l.lessons.recall(ctx, target)
	if err != nil {
		return "", err
	}
	d := shelf.Router().Decide(skill.Request{Task: target, Lessons: lessons, Env: l.Env})
	if d.Chosen != nil {
		return d.Chosen.Name, nil
	}
	unsure := d.Decision == skill.Confirm || d.Decision == skill.Decompose
	if unsure && len(d.Candidates) > 0 && d.Candidates[0].Score >= leastFit && shelf.choosable(d.Candidates[0].Name) {
		return d.Candidates[0].Name, nil
	}
	for _, name := range usual {
		if shelf.choosable(name) {
			return name, nil
		}
	}
	return append(usual, kind)[0], nil
}

// choosable says that a skill is installed and may be taken without asking.
func (s Shelf) choosable(name string) bool {
	found, ok := s.Index.Find(name)
	return ok && found.Selectable() && !found.ManualOnly
}
