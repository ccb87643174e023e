package intent

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func reader(t testing.TB) Reader {
	t.Helper()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParse(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/requests.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text, Intent, Domain string
		Types, Skills        []string
		Groups               [][]string
		Parallel             bool
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	r := reader(t)
	for _, c := range cases {
		t.Run(c.Text, func(t *testing.T) {
			t.Parallel()
			got := r.Parse(c.Text)
			if diff := cmp.Diff(c.Types, got.Types(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.Groups, got.ParallelGroups, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
			if len(c.Types) > 0 && got.Parallelizable != c.Parallel {
				t.Errorf("parallelizable %v", got.Parallelizable)
			}
			if c.Intent == "" {
				return
			}
			if got.Intent != c.Intent || got.Domain != c.Domain {
				t.Errorf("intent %s, domain %s; want %s, %s", got.Intent, got.Domain, c.Intent, c.Domain)
			}
			if diff := cmp.Diff(c.Skills, got.SuggestedSkills, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("skills (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseKeepsTheWordsOfTheRequest(t *testing.T) {
	t.Parallel()
	got := reader(t).Parse("先搜索 AI 進展，然後寫報告")
	want := []SubTask{{"collect", "搜索 AI 進展"}, {"write", "寫報告"}}
	if diff := cmp.Diff(want, got.SubTasks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("先搜索 AI 進展，然後寫報告 and don't draw")
	f.Add("整理成成成,,并")
	f.Fuzz(func(t *testing.T, text string) {
		got := reader(t).Parse(text)
		n := 0
		for _, g := range got.ParallelGroups {
			n += len(g)
		}
		if n != len(got.SubTasks) {
			t.Errorf("%q: %d sub-tasks in groups %v", text, len(got.SubTasks), got.ParallelGroups)
		}
	})
}

// TestVariations reads requests of other words and lengths than those that the rules were first written
// for, one a line with its layers.
func TestVariations(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/variations.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := reader(t)
	for line := range strings.Lines(string(data)) {
		text, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " =>")
		if !ok {
			continue
		}
		var layers []string
		for _, layer := range r.Parse(text).ParallelGroups {
			layers = append(layers, strings.Join(layer, "+"))
		}
		if got := strings.Join(layers, " > "); got != strings.TrimSpace(want) {
			t.Errorf("%s\n got  %s\n want %s", text, got, want)
		}
	}
}

func TestAUsersWordsAreAdded(t *testing.T) {
	t.Parallel()
	r, err := Read(string(Vocabulary()), "verbs: {visualize: [Frobnicate, 搗鼓]}\nshields: [搗鼓店]")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{"frobnicating": {"visualize"}, "捣鼓一下房子": {"visualize"}, "捣鼓店在哪": nil, "write a poem": {"write"}} {
		if diff := cmp.Diff(want, r.Parse(text).Types(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"verbs: {dance: [x]}", "verb: {}", "shields: x", "- a"} {
		if _, err := Read(string(Vocabulary()), text); !errors.Is(err, ErrVocabulary) {
			t.Errorf("%q: error %v, want ErrVocabulary", text, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("verbs: {write: [x]}", "x y")
	f.Add("shields: [写]", "写")
	f.Fuzz(func(t *testing.T, addition, text string) {
		if r, err := Read(string(Vocabulary()), addition); err == nil {
			r.Parse(text)
		}
	})
}
