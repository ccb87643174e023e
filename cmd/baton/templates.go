package main

import (
	"maps"
	"slices"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/workflows/template"
)

// templates finds templates from the current folder.
func (a *app) templates() (host.Templates, error) {
	home, err := a.homeDir()
	if err != nil {
		return host.Templates{}, err
	}
	set, err := a.settings(nil)
	return host.Templates{Home: home, Env: a.Env, Known: template.Known{Limits: append([]string{}, slices.Sorted(maps.Keys(set.Limits))...)}}, err
}

// template finds a template: a path is taken as a path, a name is looked up.
func (a *app) template(name string) (host.Templates, host.Template, error) {
	templates, err := a.templates()
	if err != nil {
		return templates, host.Template{}, err
	}
	s, err := templates.Find(name)
	return templates, s, err
}
