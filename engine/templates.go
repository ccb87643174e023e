package engine

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/batonflow/baton/workflows"
	"github.com/batonflow/baton/workflows/template"
)

// rememberedTemplates are kept as they were read: runs of one template begin often, and reading it costs
// more than all its steps.
const rememberedTemplates = 32

// remembering reads templates, and each text once.
func remembering() workflows.Parse {
	cache, _ := lru.New[string, *template.Template](rememberedTemplates) // fails only for sizes below one
	return func(text string) (*template.Template, template.Faults) {
		if t, ok := cache.Get(text); ok {
			return t, nil
		}
		t, faults := template.Parse([]byte(text), template.Known{})
		if len(faults) == 0 {
			cache.Add(text, t)
		}
		return t, faults
	}
}
