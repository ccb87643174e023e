package workflows

import (
	"encoding/json"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Start starts a template in a session, beginning the session where there is none.
type Start struct {
	Run       string                     `json:"run"`
	Name      string                     `json:"name"`
	Text      string                     `json:"text"`
	Inputs    map[string]json.RawMessage `json:"inputs,omitempty"`
	Workspace string                     `json:"workspace"`
	Folder    string                     `json:"folder"`
	Path      string                     `json:"path,omitempty"`
	Env       map[string]string          `json:"env,omitempty"`
	Templates map[string]events.Source   `json:"templates,omitempty"` // that its steps start, see SourceOf
	Goal      string                     `json:"goal,omitempty"`      // of a session that begins with it
	Mode      string                     `json:"mode,omitempty"`
	Route     *sessions.RouteTask        `json:"route,omitempty"`  // the run was made from what this router decides
	Router    string                     `json:"router,omitempty"` // that decides the steps; Text is then what it goes by
}

// Decide checks the whole template and its inputs; nothing invalid ever starts.
func (c Start) Decide(s *State, w sessions.World) ([]events.Data, error) {
	var out []events.Data
	if s.Status == "" {
		begun, err := sessions.Begin{Goal: c.Goal, Mode: c.Mode, Workspace: c.Workspace}.Decide(s.State, w)
		if err != nil {
			return nil, err
		}
		out = begun
	} else if err := s.Open(); err != nil {
		return nil, err
	}
	if s.Runs[c.Run] != nil {
		return nil, sessions.Refuse(sessions.Conflict, "run_exists", "give another --request-id", "run %s exists already", c.Run)
	}
	started, err := c.started(s, w)
	if err != nil {
		return nil, err
	}
	if c.Route != nil {
		decided, err := c.decided(s, w)
		if err != nil {
			return nil, err
		}
		out = append(out, decided)
	}
	return append(out, started), nil
}

// started is the fact, if the run can be carried out: by its template, or by the router that it names.
func (c Start) started(s *State, w sessions.World) (events.RunStarted, error) {
	started := events.RunStarted{
		Run: c.Run, Name: c.Name, Text: c.Text, SHA256: template.Digest([]byte(c.Text)),
		Workspace: c.Workspace, Folder: c.Folder, Path: c.Path, Env: c.Env, Router: c.Router,
	}
	if c.Router != "" {
		return started, checkRouted(c.Router, c.Text)
	}
	t, err := checkedTemplate(c.Name, c.Text, s.read)
	if err != nil {
		return started, err
	}
	given, err := t.CheckInputs(c.Inputs)
	if err != nil {
		return started, sessions.Refuse(sessions.Usage, "bad_input", "see the inputs that `baton workflow validate` lists", "%v", err)
	}
	if err := c.checkTemplates(t); err != nil {
		return started, err
	}
	started.Templates = c.Templates
	if started.Inputs, err = kept(given, w); err != nil {
		return started, sessions.Refuse(sessions.Unreachable, "input_not_kept", "try again", "%v", err)
	}
	if t.Name != "" {
		started.Name = t.Name
	}
	return started, nil
}

// decided records what the run was made from, in the same commit as the start.
func (c Start) decided(s *State, w sessions.World) (events.Data, error) {
	if err := c.Route.Check(); err != nil {
		return nil, err
	}
	fact, err := w.Route(*c.Route)
	if err != nil {
		return nil, err
	}
	fact = sessions.Numbered(fact, len(s.Routes)+1)
	if d, ok := fact.(events.RouteDecided); ok {
		d.Run = c.Run
		return d, nil
	}
	return fact, nil
}

// maxTemplate is how long a template's text may be: it stands whole in the commit that starts its run.
const maxTemplate = 192 << 10

// ParseTemplate reads a template or refuses it with every fault.
func ParseTemplate(name, text string) (*template.Template, error) {
	return CheckTemplate(name, text, template.Known{})
}

// CheckTemplate is ParseTemplate where something is known of what a template may name.
func CheckTemplate(name, text string, known template.Known) (*template.Template, error) {
	return checkedTemplate(name, text, func(text string) (*template.Template, template.Faults) { return template.Parse([]byte(text), known) })
}

func checkedTemplate(name, text string, parse Parse) (*template.Template, error) {
	if len(text) > maxTemplate {
		return nil, sessions.Refuse(sessions.Usage, "template_too_large", "use foreach for steps that are alike, or split it",
			"template %s has %d bytes, the limit is %d", name, len(text), maxTemplate)
	}
	t, faults := parse(text)
	if len(faults) == 0 {
		return t, nil
	}
	return nil, sessions.Refuse(sessions.Usage, "template_invalid", "see `baton workflow validate`",
		"template %s has %d faults, the first: %v", name, len(faults), faults[0]).With("faults", faults)
}

// Answer shows the run.
func (c Start) Answer(s *State, _ sessions.Ref, w sessions.World) (any, error) {
	return s.View(c.Run, w)
}
