package host

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
	"github.com/batonflow/baton/workflows/template"
)

// backend asks this server itself, without a bus between.
func (s *Server) backend() operation.Backend { return inside{s.engine, s.asked} }

// inside is the server of this process as whoever asks it sees it.
type inside struct {
	engine  *engine.Engine
	queries engine.Queries
}

// Do decides a command.
func (i inside) Do(ctx context.Context, session string, c workflows.Command, m engine.Meta) (json.RawMessage, error) {
	answer, err := i.engine.Do(ctx, session, c, m)
	if err != nil {
		return nil, err
	}
	return events.Marshal(answer)
}

// Query answers a question that changes nothing.
func (i inside) Query(ctx context.Context, name, session string, question any) (json.RawMessage, error) {
	data, err := events.Marshal(question)
	if err != nil {
		return nil, err
	}
	answer, err := i.queries.Ask(ctx, name, session, data)
	if err != nil {
		return nil, err
	}
	return events.Marshal(answer)
}

// templates finds templates for somebody in a workspace, which may be none.
func (s *Server) templates(workspace string) Templates {
	known := []string{}
	for name := range s.Limits {
		if !strings.HasPrefix(name, "queue:") {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	if workspace == "" {
		workspace = s.Home.Dir
	}
	return Templates{Home: s.Home, Env: func(name string) string { return s.Env[name] }, Dir: workspace, Known: template.Known{Limits: known}}
}

// prepareRun gives the command that starts a template, by its name, its path or its text.
func (s *Server) prepareRun(ctx context.Context, _ string, q operation.PrepareAsk) (any, error) {
	p, err := s.prepared(ctx, q.RunStart, q.Request)
	if err != nil {
		return nil, err
	}
	templates := s.templates(p.Start.Workspace)
	t, err := templates.named(q.Template, q.Text)
	if err != nil {
		return nil, err
	}
	p.Start.Inputs = q.Inputs
	return p, templates.Fill(&p.Start, t)
}

// named finds a template, or takes the text in place of one.
func (t Templates) named(name, text string) (Template, error) {
	if (name == "") == (text == "") {
		return Template{}, sessions.Refuse(sessions.Usage, "template_missing", "give one of template and text", "which template is meant is not said, or twice")
	}
	if text != "" {
		return Template{Name: "workflow", Text: text}, nil
	}
	return t.Find(name)
}

// prepared is a run without what it runs: its id, its session and its workspace.
func (s *Server) prepared(ctx context.Context, q operation.RunStart, request string) (operation.Prepared, error) {
	run, err := operation.NewRun(request)
	if err != nil {
		return operation.Prepared{}, err
	}
	if q.Workspace != "" && !filepath.IsAbs(q.Workspace) {
		return operation.Prepared{}, notAbsolute("workspace", q.Workspace)
	}
	p := operation.Prepared{Start: workflows.Start{Run: run, Workspace: q.Workspace, Mode: q.Mode, Env: StepEnv(s.environ(), "", s.Home.Dir)}}
	if p.Start.Mode == "" {
		p.Start.Mode = "auto"
	}
	p.Session, err = s.sessionOf(ctx, q.Session, run, request)
	if err != nil || p.Start.Workspace != "" {
		return p, err
	}
	row, err := engine.As[projections.SessionRow](s.backend().Query(ctx, "session.find", "", engine.FindAsk{ID: p.Session}))
	if p.Start.Workspace = row.Workspace; err != nil || row.Workspace == "" {
		p.Start.Workspace = s.Home.Dir // of a session that begins with the run
	}
	return p, nil
}

// sessionOf is the session of a run: where the request has started it already, the one that is named, or
// one that begins with it.
func (s *Server) sessionOf(ctx context.Context, named, run, request string) (string, error) {
	if request != "" {
		row, err := engine.As[projections.RunRow](s.backend().Query(ctx, "run.find", "", engine.FindAsk{ID: run}))
		if err == nil {
			return row.Session, nil
		}
	}
	if named != "" {
		return operation.FindSession(ctx, s.backend(), named)
	}
	return operation.NewSession(request)
}

// environ is the environment of this process, as it was started.
func (s *Server) environ() []string {
	out := make([]string, 0, len(s.Env))
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		out = append(out, name+"="+s.Env[name])
	}
	return out
}

func notAbsolute(what, path string) error {
	return sessions.Refuse(sessions.Usage, "path_not_absolute", "give the whole path: the server stands in another folder", "%s %q is no absolute path", what, path)
}

// checkTemplate says what is known of a template without running it.
func (s *Server) checkTemplate(_ context.Context, _ string, q operation.Validate) (any, error) {
	templates := s.templates(q.Workspace)
	t, err := templates.named(q.Template, q.Text)
	if err != nil {
		return nil, err
	}
	return templates.Check(t), nil
}

// changedTemplate is the text of a run's template as it is now.
func (s *Server) changedTemplate(ctx context.Context, session string, q engine.RunAsk) (any, error) {
	recorded, err := engine.As[TemplateInfo](s.backend().Query(ctx, "run.template", session, q))
	if err != nil {
		return nil, err
	}
	text, err := s.templates("").Changed(recorded)
	return operation.Changed{Text: text}, err
}

// openApprovals lists what waits for a person's yes or no, the oldest first.
func (s *Server) openApprovals(ctx context.Context, session string, q engine.RunAsk) (any, error) {
	if err := s.projector.Current(ctx); err != nil {
		return nil, err
	}
	var waiting []projections.RunRow
	s.projector.Index(func(x *projections.Index) {
		for _, r := range x.Runs() {
			if r.EndedAt.IsZero() && (session == "" || r.Session == session) && (q.Run == "" || r.ID == q.Run) {
				waiting = append(waiting, r)
			}
		}
	})
	out := []workflows.ApprovalView{}
	for _, r := range waiting {
		list, err := engine.As[[]workflows.ApprovalView](s.backend().Query(ctx, "run.approvals", r.Session, engine.RunAsk{Run: r.ID}))
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(list, func(a workflows.ApprovalView) bool { return a.Decided })...)
	}
	slices.SortFunc(out, func(a, b workflows.ApprovalView) int { return a.AskedAt.Compare(b.AskedAt) })
	return out, nil
}
