package host

import (
	"context"
	"slices"

	"github.com/batonflow/baton/api/operation"
)

// Untrusted is a project folder whose skills nobody has vouched for.
type Untrusted struct {
	Project string `json:"project"`
	Skills  int    `json:"skills"`
}

// untrusted lists the project folders with skills that a person was not asked about yet.
func (s *Server) untrusted(ctx context.Context, _ string, q operation.SkillsAsk) (any, error) {
	shelf, err := s.library.Look(ctx, q.Workspace, q.Path)
	if err != nil {
		return nil, err
	}
	declined := s.Home.Declined()
	out := []Untrusted{}
	for _, r := range shelf.Report.Roots {
		if r.Trusted || r.Count == 0 || slices.Contains(declined, r.Project) {
			continue
		}
		if i := slices.IndexFunc(out, func(u Untrusted) bool { return u.Project == r.Project }); i >= 0 {
			out[i].Skills += r.Count
		} else {
			out = append(out, Untrusted{r.Project, r.Count})
		}
	}
	return out, nil
}
