package main

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
	"github.com/batonflow/baton/workflows/template"
)

// mostChildren bounds how many templates a run may start, so that a chain of files ends.
const mostChildren = 100

// childTemplates reads every template that a template starts, directly or through another: the run keeps
// them all, so that none can change under it.
func (a *app) childTemplates(t *template.Template, folder string) (map[string]events.Source, error) {
	found := map[string]events.Source{}
	err := a.collect(t, folder, found)
	if len(found) == 0 {
		found = nil
	}
	return found, err
}

func (a *app) collect(t *template.Template, folder string, found map[string]events.Source) error {
	for key, w := range workflows.Children(t, folder) {
		if _, known := found[key]; known {
			continue
		}
		if len(found) == mostChildren {
			return sessions.Refuse(sessions.Usage, "too_many_templates", "start some of them on their own", "a run starts more than %d templates", mostChildren)
		}
		s, err := a.childSource(key, w)
		if err != nil {
			return err
		}
		found[key] = events.Source{Text: s.Text, Folder: filepath.Dir(s.Path), Path: s.Path}
		child, err := workflows.ParseTemplate(s.Name, s.Text)
		if err != nil {
			return err
		}
		if err := a.collect(child, filepath.Dir(s.Path), found); err != nil {
			return err
		}
	}
	return nil
}

// known is what this installation knows of the names that a template may use.
func (a *app) known() (template.Known, error) {
	set, err := a.settings(nil)
	return template.Known{Limits: append([]string{}, slices.Sorted(maps.Keys(set.Limits))...)}, err
}

// childSource finds a template that is named, or reads the file that a path leads to.
func (a *app) childSource(key string, w *template.Workflow) (source, error) {
	if w.Path != "" {
		return a.readTemplate(key)
	}
	return a.template(w.Name)
}
