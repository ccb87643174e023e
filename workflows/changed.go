package workflows

import (
	"maps"
	"slices"
	"strings"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

func digest(text string) string { return template.Digest([]byte(text)) }

// stale lists the finished steps whose text changed and that are kept all the same.
func (r *Run) stale(next *template.Template, redo []string) []string {
	var out []string
	for _, id := range template.Diff(r.Template, next).Changed {
		if i, ok := r.index[id]; ok && r.Steps[i].Met() && !slices.Contains(redo, id) {
			out = append(out, id)
		}
	}
	return out
}

// changed refuses to go on under a template that is not the recorded one.
func (r *Run) changed(next *template.Template, text string) error {
	d := template.Diff(r.Template, next)
	var finished []string
	for _, id := range slices.Concat(d.Removed, d.Changed) {
		if i, ok := r.index[id]; ok && r.Steps[i].Met() {
			finished = append(finished, id)
		}
	}
	message := "the template of run %s is not the one it was started with: %s; finished among them: %s; recorded sha256 %s, now %s"
	names := strings.Join(finished, ", ")
	if names == "" {
		names = "none"
	}
	return sessions.Refuse(sessions.Conflict, "template_changed",
		"--pin goes on with the recorded text, --accept takes the new one (and --redo STEP runs a finished step again)",
		message, r.Run, strings.ReplaceAll(strings.TrimSpace(d.String()), "\n", ", "), names, r.SHA256, digest(text)).
		With("added", d.Added).With("removed", d.Removed).With("changed", d.Changed).
		With("finished", finished).With("recorded", r.SHA256).With("now", digest(text))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// FindRun gives the run of an id or a unique prefix; "@last" is the one started last.
func (s *State) FindRun(id string) (*Run, error) {
	if r := s.Runs[id]; r != nil {
		return r, nil
	}
	var found []string
	for _, known := range s.RunOrder {
		if s.Runs[known].Parent != "" { // by its whole id only: it has that of the run above in front
			continue
		}
		if id == "@last" {
			found = []string{known}
		} else if id != "" && strings.HasPrefix(known, id) {
			found = append(found, known)
		}
	}
	switch len(found) {
	case 1:
		return s.Runs[found[0]], nil
	case 0:
		return nil, sessions.Refuse(sessions.NotFound, "run_not_found", "list them with `baton workflow list`", "there is no run %q", id)
	}
	return nil, sessions.Refuse(sessions.Usage, "run_ambiguous", "give more of the id", "%q could be any of %s", id, strings.Join(found, ", "))
}
