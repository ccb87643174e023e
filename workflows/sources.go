package workflows

import (
	"maps"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Children lists the templates that the steps of a template start, by the names they are kept under;
// folder is the template's own.
func Children(t *template.Template, folder string) map[string]*template.Workflow {
	out := map[string]*template.Workflow{}
	for i := range t.Steps {
		if w := t.Steps[i].Workflow; w != nil {
			out[SourceOf(folder, w)] = w
		}
	}
	return out
}

// checkTemplates makes sure that every template that may be started is there and valid, and that none
// starts itself.
func (c Start) checkTemplates(t *template.Template) error {
	size := len(c.Text)
	for _, source := range c.Templates {
		size += len(source.Text)
	}
	if size > maxTemplate {
		return sessions.Refuse(sessions.Usage, "template_too_large", "use foreach for steps that are alike, or start some of them on their own",
			"template %s and those that it starts have %d bytes, the limit is %d", c.Name, size, maxTemplate)
	}
	d := descent{templates: c.Templates, height: map[string]int{}}
	height, err := d.of(t, c.Folder)
	if err == nil && height > maxDepth {
		err = sessions.Refuse(sessions.Usage, "templates_too_deep", "let at most eight stand in each other", "templates start templates %d deep", height)
	}
	return err
}

// descent finds how deep templates start templates.
type descent struct {
	templates map[string]events.Source
	height    map[string]int // of those that were looked at; 0: it is being looked at
}

// of gives how many templates stand below one another under t.
func (d descent) of(t *template.Template, folder string) (height int, err error) {
	for _, key := range slices.Sorted(maps.Keys(Children(t, folder))) {
		below, err := d.below(key)
		if err != nil {
			return 0, err
		}
		height = max(height, below+1)
	}
	return height, nil
}

func (d descent) below(key string) (int, error) {
	if height, seen := d.height[key]; seen {
		if height == 0 {
			return 0, sessions.Refuse(sessions.Usage, "template_cycle", "let no template start itself, not even through another", "template %s starts itself", key)
		}
		return height - 1, nil
	}
	source, ok := d.templates[key]
	if !ok {
		return 0, sessions.Refuse(sessions.NotFound, "template_not_found", "give its text with the run", "template %s is started by a step and is not there", key)
	}
	d.height[key] = 0
	child, err := ParseTemplate(key, source.Text)
	if err != nil {
		return 0, err
	}
	height, err := d.of(child, source.Folder)
	d.height[key] = height + 1
	return height, err
}
