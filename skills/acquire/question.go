package acquire

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/batonflow/baton/skills/audit"
)

// question is what a person is asked before a skill is installed. It names the digest of the files, so
// that a yes is a yes to them and to nothing else.
func question(c Candidate, r audit.Report, tree string) string {
	count := map[audit.Level]int{}
	for _, f := range r.Findings {
		count[f.Level]++
	}
	return fmt.Sprintf("install %s %s? The audit says %s: %d high, %d medium, %d low findings; files %s",
		c.Slug, c.Version, r.Verdict, count[audit.High], count[audit.Medium], count[audit.Low], tree)
}

func sortChanges(list []Change) {
	slices.SortFunc(list, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
}

// installedNames are the names of the skills in the folder that is installed to.
func (s Shop) installedNames(r Request) []string {
	entries, err := os.ReadDir(s.target(r))
	if err != nil {
		return nil // there is none yet
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && CheckSlug(e.Name()) == nil {
			out = append(out, e.Name())
		}
	}
	return out
}
