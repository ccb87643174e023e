package skills

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shelfOf makes skills named s00, s01 …, each with a description of so many characters.
func shelfOf(count, length int) Index {
	var list []Skill
	for i := range count {
		name := fmt.Sprintf("s%02d", i)
		list = append(list, Skill{Name: name, Description: strings.Repeat("d", length), Host: "h", Tier: TierUser, File: "/s/" + name, Usable: true, Hash: name})
	}
	return NewIndex(list)
}

func TestWeighSaysWhatIsHidden(t *testing.T) {
	t.Parallel()
	x := shelfOf(10, 97)
	for name, c := range map[string]struct {
		catalogue Catalogue
		want      Budget
	}{
		"by the alphabet": {Catalogue{Characters: 800, Cut: CutAlphabet}, Budget{Skills: 10, Limit: 800, Used: 1000, Unit: "characters", Fits: 8, Hidden: []string{"s08", "s09"}, Cut: CutAlphabet}},
		"with a frame and paths": {Catalogue{Characters: 800, Base: 100, Each: 10, Location: true, Cut: CutAlphabet},
			Budget{Skills: 10, Limit: 800, Used: 1260, Unit: "characters", Fits: 6, Hidden: []string{"s06", "s07", "s08", "s09"}, Cut: CutAlphabet}},
		"share of the window": {Catalogue{Share: 0.01, Cut: CutUse}, Budget{Skills: 10, Limit: 200, Used: 260, Unit: "tokens", Fits: 7, Hidden: []string{"s07", "s08", "s09"}, Cut: CutUse}},
		"all of them":         {Catalogue{Characters: 999, Cut: CutAll}, Budget{Skills: 10, Limit: 999, Used: 1000, Unit: "characters", Fits: 0, Hidden: names(x.Skills), Cut: CutAll}},
		"no limit is known":   {Catalogue{}, Budget{Skills: 10, Used: 1000, Unit: "characters", Fits: 10, Hidden: []string{}}},
	} {
		c.want.Host = "h"
		if diff := cmp.Diff(c.want, Weigh(x, "h", []string{"h"}, c.catalogue, 20_000)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if b := Weigh(x, "other", []string{"other"}, Catalogue{}, 20_000); b.Skills != 0 {
		t.Errorf("skills of another host's folder are counted: %+v", b)
	}
}

func TestTokensOfScripts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abcd": 1, "abcde": 2, "写文章": 3, "写 post": 3} {
		if got := tokens(text); got != want {
			t.Errorf("tokens(%q) = %d, want %d", text, got, want)
		}
	}
}
