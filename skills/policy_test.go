package skills

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPolicies(t *testing.T) {
	t.Parallel()
	open, none := Skill{Name: "open"}, Skill{Name: "none", AllowedTools: []string{}}
	git := Skill{Name: "git", AllowedTools: []string{"Bash(git:*)", "Read"}}
	called := []string{"bash", "Read", "web", "skill_view", "delegate_task"}
	for name, c := range map[string]struct {
		policy Policy
		want   []string
	}{
		"nothing declared":            {Union([]Skill{open}), called},
		"nothing loaded":              {Union(nil), called},
		"declared and empty":          {Activated(none), []string{"skill_view"}},
		"what is named":               {Activated(git), []string{"bash", "Read", "skill_view"}},
		"others that declare nothing": {Union([]Skill{open, git}), []string{"bash", "Read", "skill_view"}},
		"a second one adds":           {Union([]Skill{git, {AllowedTools: []string{"web"}}}), []string{"bash", "Read", "web", "skill_view"}},
		"delegation has to be named":  {Activated(Skill{AllowedTools: []string{"delegate_task"}}), []string{"skill_view", "delegate_task"}},
		"nobody knows what is loaded": {Closed(), []string{"skill_view"}},
	} {
		allowed := slices.DeleteFunc(slices.Clone(called), func(tool string) bool { return !c.policy.Allows(tool) })
		if diff := cmp.Diff(c.want, allowed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		refused := c.policy.Refused(called)
		if (refused == "") != (len(c.want) == len(called)) {
			t.Errorf("%s: refused %q", name, refused)
		}
	}
	if got := Activated(git).Refused([]string{"READ", "Write"}); got != "Write" {
		t.Errorf("refused %q, want Write", got)
	}
}
