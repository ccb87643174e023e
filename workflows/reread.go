package workflows

import (
	"fmt"

	"github.com/batonflow/baton/workflows/template"
)

// Reread makes again what is not kept with a frozen state: the templates of its runs, from their texts.
func (s *State) Reread() error {
	read := map[string]*template.Template{}
	for _, id := range s.RunOrder {
		r := s.Runs[id]
		if read[r.Text] == nil {
			t, faults := s.read(r.Text)
			if len(faults) > 0 {
				return fmt.Errorf("template of run %s: %v", id, faults[0])
			}
			read[r.Text] = t
		}
		r.Template = read[r.Text]
	}
	return nil
}
