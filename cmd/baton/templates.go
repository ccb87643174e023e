package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// source is a template as a file.
type source struct {
	Path string // absolute
	Name string // of the file, without its ending
	Text string
}

// endings are what a template's file may end in, in the order in which they are looked for.
var endings = []string{".yaml", ".yml", ".json"}

// template finds a template: a path is taken as a path, a name is looked up.
func (a *app) template(name string) (source, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') || slices.Contains(endings, filepath.Ext(name)) {
		return a.readTemplate(name)
	}
	folders, err := a.templateFolders()
	if err != nil {
		return source{}, err
	}
	for _, folder := range folders {
		for _, ending := range endings {
			got, err := a.readTemplate(filepath.Join(folder, name+ending))
			var r *sessions.Refusal
			if errors.As(err, &r) && r.Kind == sessions.NotFound {
				continue
			}
			return got, err
		}
	}
	return source{}, sessions.Refuse(sessions.NotFound, "template_not_found", "give the path of a file, or put it into one of these folders",
		"there is no template %q in %s", name, strings.Join(folders, ", "))
}

// templateFolders lists where templates are looked up by name, first to last.
func (a *app) templateFolders() ([]string, error) {
	var out []string
	for _, name := range []string{"BATON_WORKFLOW_DIR", "SKILL_ROUTER_WORKFLOW_DIR"} {
		if dir := a.Env(name); dir != "" {
			out = append(out, dir)
			break
		}
	}
	home, err := a.homeDir()
	if err != nil {
		return nil, err
	}
	out = append(out, "workflows", filepath.Join(home.Dir, "workflows"))
	if user := a.Env("HOME"); user != "" {
		out = append(out, filepath.Join(user, ".workbuddy", "workflows"))
	}
	return out, nil
}

func (a *app) readTemplate(path string) (source, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return source{}, sessions.Refuse(sessions.Failed, "no_folder", "change into a folder that exists", "%s: %v", path, err)
	}
	if info, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return source{}, sessions.Refuse(sessions.NotFound, "template_not_found", "give the path of a template, YAML or JSON", "there is no file %s", abs)
	} else if err == nil && !info.Mode().IsRegular() {
		return source{}, sessions.Refuse(sessions.Usage, "bad_template", "give the path of a template, YAML or JSON", "%s is no file", abs)
	}
	raw, err := a.readFrom(abs, template.MaxBytes)
	if err != nil {
		return source{}, err
	}
	name := strings.TrimSuffix(filepath.Base(abs), filepath.Ext(abs))
	return source{Path: abs, Name: name, Text: string(raw)}, nil
}

// validity is the answer of validate.
type validity struct {
	Valid  bool            `json:"valid"`
	Path   string          `json:"path"`
	Name   string          `json:"name"`
	Steps  int             `json:"steps"`
	SHA256 string          `json:"sha256"`
	Faults template.Faults `json:"faults"`
	Inputs []inputRow      `json:"inputs"`
}

// inputRow is one input that a template takes.
type inputRow struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`
	Required    bool            `json:"required"`
	Default     json.RawMessage `json:"default"`
	Description string          `json:"description"`
}

func check(s source, known template.Known) validity {
	v := validity{Path: s.Path, Name: s.Name, SHA256: template.Digest([]byte(s.Text)), Faults: template.Faults{}, Inputs: []inputRow{}}
	t, faults := template.Parse([]byte(s.Text), known)
	if t == nil {
		v.Faults = faults
		return v
	}
	v.Valid, v.Steps = true, len(t.Steps)
	for _, name := range slices.Sorted(maps.Keys(t.Inputs)) {
		in := t.Inputs[name]
		v.Inputs = append(v.Inputs, inputRow{name, in.Type, in.Required, in.Default, in.Description})
	}
	if t.Name != "" {
		v.Name = t.Name
	}
	return v
}
