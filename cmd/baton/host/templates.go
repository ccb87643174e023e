package host

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workflows"
	"github.com/batonflow/baton/workflows/template"
)

// Template is a template as a file, or as a text without a path.
type Template struct {
	Path string // absolute
	Name string // of the file, without its ending
	Text string
}

// Templates finds templates for somebody who stands in a folder.
type Templates struct {
	Home  Home
	Env   func(name string) string
	Dir   string         // "": the current folder
	Known template.Known // what this installation knows of the names that a template may use
}

// endings are what a template's file may end in, in the order in which they are looked for.
var endings = []string{".yaml", ".yml", ".json"}

// IsTemplate says whether a file is a template by its name.
func IsTemplate(path string) bool { return slices.Contains(endings, filepath.Ext(path)) }

// Find finds a template: a path is taken as a path, a name is looked up.
func (t Templates) Find(name string) (Template, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') || IsTemplate(name) {
		return t.Read(name)
	}
	folders := t.Folders()
	for _, folder := range folders {
		for _, ending := range endings {
			got, err := t.Read(filepath.Join(folder, name+ending))
			var r *sessions.Refusal
			if errors.As(err, &r) && r.Kind == sessions.NotFound {
				continue
			}
			return got, err
		}
	}
	return Template{}, sessions.Refuse(sessions.NotFound, "template_not_found", "give the path of a file, or put it into one of these folders",
		"there is no template %q in %s", name, strings.Join(folders, ", "))
}

// Folders lists where templates are looked up by name, first to last.
func (t Templates) Folders() []string {
	var out []string
	for _, name := range []string{"BATON_WORKFLOW_DIR", "SKILL_ROUTER_WORKFLOW_DIR"} {
		if dir := t.Env(name); dir != "" {
			out = append(out, dir)
			break
		}
	}
	out = append(out, filepath.Join(t.Dir, "workflows"), t.Home.path("workflows"))
	if user := t.Env("HOME"); user != "" {
		out = append(out, filepath.Join(user, ".workbuddy", "workflows"))
	}
	return out
}

// Read reads a template's file; a path that is not absolute begins in the folder.
func (t Templates) Read(path string) (Template, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.Dir, path) // which also cleans it, so that a / at the end is asked about here
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Template{}, sessions.Refuse(sessions.Failed, "no_folder", "change into a folder that exists", "%s: %v", path, err)
	}
	if info, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return Template{}, sessions.Refuse(sessions.NotFound, "template_not_found", "give the path of a template, YAML or JSON", "there is no file %s", abs)
	} else if err == nil && !info.Mode().IsRegular() {
		return Template{}, sessions.Refuse(sessions.Usage, "bad_template", "give the path of a template, YAML or JSON", "%s is no file", abs)
	}
	raw, err := ReadFile(abs, template.MaxBytes)
	if err != nil {
		return Template{}, err
	}
	name := strings.TrimSuffix(filepath.Base(abs), filepath.Ext(abs))
	return Template{Path: abs, Name: name, Text: string(raw)}, nil
}

// Check says what is known of a template without running it.
func (t Templates) Check(s Template) operation.Validity {
	v := operation.Validity{Path: s.Path, Name: s.Name, SHA256: template.Digest([]byte(s.Text)), Faults: template.Faults{}, Inputs: []operation.InputRow{}}
	parsed, faults := template.Parse([]byte(s.Text), t.Known)
	if parsed == nil {
		v.Faults = faults
		return v
	}
	v.Valid, v.Steps = true, len(parsed.Steps)
	for _, name := range slices.Sorted(maps.Keys(parsed.Inputs)) {
		in := parsed.Inputs[name]
		v.Inputs = append(v.Inputs, operation.InputRow{Name: name, Type: in.Type, Required: in.Required, Default: in.Default, Description: in.Description})
	}
	if parsed.Name != "" {
		v.Name = parsed.Name
	}
	return v
}

// Fill puts a template into the command that starts it, with all that it starts itself: the run keeps
// them, so that none can change under it. A template without a file stands in the workspace.
func (t Templates) Fill(start *workflows.Start, s Template) error {
	parsed, err := workflows.CheckTemplate(s.Name, s.Text, t.Known)
	if err != nil {
		return err
	}
	start.Name, start.Text, start.Path, start.Goal, start.Folder = s.Name, s.Text, s.Path, s.Name, start.Workspace
	if s.Path != "" {
		start.Folder = filepath.Dir(s.Path)
	}
	for _, text := range []string{parsed.Name, parsed.Description} {
		if text != "" {
			start.Goal = text
		}
	}
	start.Templates, err = t.children(parsed, start.Folder)
	return err
}

// mostChildren bounds how many templates a run may start, so that a chain of files ends.
const mostChildren = 100

// children reads every template that a template starts, directly or through another.
func (t Templates) children(parsed *template.Template, folder string) (map[string]events.Source, error) {
	found := map[string]events.Source{}
	err := t.collect(parsed, folder, found)
	if len(found) == 0 {
		found = nil
	}
	return found, err
}

func (t Templates) collect(parsed *template.Template, folder string, found map[string]events.Source) error {
	for key, w := range workflows.Children(parsed, folder) {
		if _, known := found[key]; known {
			continue
		}
		if len(found) == mostChildren {
			return sessions.Refuse(sessions.Usage, "too_many_templates", "start some of them on their own", "a run starts more than %d templates", mostChildren)
		}
		s, err := t.child(key, w)
		if err != nil {
			return err
		}
		found[key] = events.Source{Text: s.Text, Folder: filepath.Dir(s.Path), Path: s.Path}
		child, err := workflows.ParseTemplate(s.Name, s.Text)
		if err != nil {
			return err
		}
		if err := t.collect(child, filepath.Dir(s.Path), found); err != nil {
			return err
		}
	}
	return nil
}

// child finds a template that is named, or reads the file that a path leads to.
func (t Templates) child(key string, w *template.Workflow) (Template, error) {
	if w.Path != "" {
		return t.Read(key)
	}
	return t.Find(w.Name)
}

// Changed is the text of a run's template as it is now, if its file is still there and differs from what
// was recorded; else "".
func (t Templates) Changed(recorded TemplateInfo) (string, error) {
	if recorded.Path == "" {
		return "", nil
	}
	s, err := t.Read(recorded.Path)
	var r *sessions.Refusal
	if errors.As(err, &r) && r.Kind == sessions.NotFound {
		return "", nil
	}
	if err != nil || template.Digest([]byte(s.Text)) == recorded.SHA256 {
		return "", err
	}
	return s.Text, nil
}

// StepEnv is what steps get of an environment, with what lets a step's own `baton` find this
// installation on this machine; what is empty is not said. How to reach a cluster is each worker's own, since a
// password may stand in it and all of this is recorded.
func StepEnv(environ []string, skillsPath, home string) map[string]string {
	env := exec.AllowedEnv(environ)
	for name, value := range map[string]string{workflows.SkillsPath: skillsPath, "BATON_HOME": home} {
		if value != "" {
			env[name] = value
		}
	}
	return env
}
