package disk

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/skills"
)

func TestCheckReadsOneOrMany(t *testing.T) {
	t.Parallel()
	m := setup(t)
	root := m.home("lib")
	good := m.skill(filepath.Join(root, "good"), "fine")
	m.write(filepath.Join(root, "bad/SKILL.md"), "no front matter")
	m.write(filepath.Join(root, "odd/SKILL.md"), "---\nname: odd\ndescription: x\nversion: 1.10\n---\nB\n")
	m.mkdir(filepath.Join(root, "pipe/SKILL.md"))       // a folder of that name is no skill
	for path, want := range map[string]map[string]bool{ // by folder: whether it is valid
		good:                        {"good": true},
		filepath.Join(root, "good"): {"good": true},
		root:                        {"good": true, "bad": false, "odd": true, "pipe": false},
	} {
		list, err := Check(t.Context(), path, skills.Parse)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, c := range list {
			got[filepath.Base(filepath.Dir(c.Path))] = c.Valid()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	list, err := Check(t.Context(), filepath.Join(root, "odd"), skills.Standard)
	if err != nil || len(list) != 1 || list[0].Valid() {
		t.Errorf("the standard takes a field it does not know: %+v, %v", list, err)
	}
	if _, err := Check(t.Context(), m.home("nowhere"), skills.Parse); err == nil {
		t.Error("a path that is not there is no error")
	}
}
