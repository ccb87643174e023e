package skill

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/skills"
)

func memory(t testing.TB, lessons ...Lesson) *Memory {
	t.Helper()
	m, err := NewMemory()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lessons {
		m.Learn(l)
	}
	return m
}

func TestAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"写文章", "写 文章", true},
		{"Write Article", "write  ARTICLE", true},
		{"畫一張架構圖", "画一张架构图", true},
		{"draw the architecture of our payment service", "draw the architecture of our payments service", true},
		{"画一张架构图", "不要画一张架构图", false},
		{"把中文翻译成英文", "把英文翻译成中文", false},
		{"发布到测试环境服务器", "发布到生产环境服务器", false},
		{"turn off the light", "turn on the light", false},
		{"please turn off all of the lamps in the long hall of the house tonight", "please turn on all of the lamps in the long hall of the house tonight", false},
		{"write an article", "paint a picture", false},
		{"", "", false},
		{"。", "!", false},
	} {
		if got := Alike(c.a, c.b); (got > alikeEnough) != c.want || got != Alike(c.b, c.a) {
			t.Errorf("%q and %q: alike %.2f, want above %.1f %v", c.a, c.b, got, alikeEnough, c.want)
		}
	}
	long := strings.Repeat("collect the numbers of every shop and compare them with those of last year ", 5)
	if got := Alike(long, "x"+long); got <= alikeEnough {
		t.Errorf("one letter in front of a long text: %.2f", got)
	}
}

func TestLessonsMoveScores(t *testing.T) {
	t.Parallel()
	list := []skills.Skill{made("alpha", "Makes charts of sales."), made("beta", "Makes charts of sales."), made("gamma", "Feeds the cat.")}
	r := router(t, list)
	task := "charts of our sales, please"
	m := memory(t, Lesson{Task: "charts of our sales please", Chosen: "Beta", Excluded: []string{"alpha"}})
	d := r.Decide(Request{Task: task, Lessons: m.Recall(task), Explain: true})
	if d.Decision != Auto || d.Chosen.Name != "beta" {
		t.Fatalf("%s, %q: want auto for what was chosen before", d.Decision, d.Reason)
	}
	if b := d.Chosen.Breakdown; b.Feedback != chosenBoost || !slices.ContainsFunc(d.Chosen.Why, func(w string) bool { return strings.Contains(w, "chosen before") }) {
		t.Errorf("boost %v, reasons %q", b.Feedback, d.Chosen.Why)
	}
	opposite := "never charts of our sales please"
	for _, c := range r.Decide(Request{Task: opposite, Lessons: m.Recall(opposite), Explain: true}).Candidates {
		if c.Breakdown.Feedback != 0 {
			t.Errorf("the opposite request moves %s by %v", c.Name, c.Breakdown.Feedback)
		}
	}
	d = r.Decide(Request{Task: "xyzzy", Lessons: memory(t, Lesson{Task: "xyzzy", Chosen: "gamma"}).Recall("xyzzy")})
	if d.Chosen == nil || d.Chosen.Name != "gamma" {
		t.Errorf("a request without a word in common: %s, %q", d.Decision, d.Reason)
	}
}

func TestOneTaskCountsOnce(t *testing.T) {
	t.Parallel()
	m := memory(t, Lesson{Task: "写文章", Chosen: "a"}, Lesson{Task: "写 文章", Chosen: "a"}, Lesson{Task: "写  文章!", Chosen: "b", Excluded: []string{"a"}})
	got := m.Recall("写文章")
	want := []Recalled{{Lesson: Lesson{Task: "写  文章!", Chosen: "b", Excluded: []string{"a"}}, Alike: 1, Near: 1}}
	if diff := cmp.Diff(want, got); diff != "" || m.Len() != 1 {
		t.Errorf("%d lessons (-want +got):\n%s", m.Len(), diff)
	}
}

func TestBoostsAreBounded(t *testing.T) {
	t.Parallel()
	r := router(t, []skills.Skill{made("one", "Mails."), made("two", "Mails.")})
	var lessons []Recalled
	for range 20 {
		lessons = append(lessons, Recalled{Lesson: Lesson{Task: "mail", Chosen: "one", Excluded: []string{"two"}, Weight: 1e9}, Alike: 1})
	}
	for _, c := range r.Decide(Request{Task: "mail", Lessons: lessons, Explain: true}).Candidates {
		if want := map[string]float64{"one": mostBoost, "two": leastBoost}[c.Name]; c.Breakdown.Feedback != want {
			t.Errorf("%s: %v, want %v", c.Name, c.Breakdown.Feedback, want)
		}
	}
}

// TestWhatIsForgottenIsNotRecalled: a memory with old lessons pushed out says the same as one that
// never had them.
func TestWhatIsForgottenIsNotRecalled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tasks := rapid.SampledFrom([]string{"mail", "mail them", "画图", "画 图", "charts of sales", "charts of sales!", "翻译"})
		lessons := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) Lesson {
			return Lesson{Task: tasks.Draw(rt, "task"), Chosen: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "chosen")}
		}), 0, 40).Draw(rt, "lessons")
		m := memory(t, lessons...)
		fresh := memory(t)
		for _, e := range m.all {
			if e.shape.key != "" {
				fresh.Learn(e.lesson)
			}
		}
		if diff := cmp.Diff(fresh.Recall("charts of mail 画图"), m.Recall("charts of mail 画图")); diff != "" || m.Len() != fresh.Len() {
			rt.Fatalf("%d and %d lessons:\n%s", m.Len(), fresh.Len(), diff)
		}
	})
}

func TestAMemoryKeepsTheNewestOfASkill(t *testing.T) {
	t.Parallel()
	m := memory(t)
	for i := range 10 * mostExamples {
		m.Learn(Lesson{Task: fmt.Sprintf("task number%d", i), Chosen: "a"})
	}
	if m.Len() != mostExamples || len(m.all) > 3*mostExamples+mostOfWord {
		t.Errorf("%d lessons in %d places, want %d", m.Len(), len(m.all), mostExamples)
	}
	if got := m.Recall("task number499"); len(got) == 0 || got[0].Task != "task number499" {
		t.Errorf("the newest is not recalled: %+v", got)
	}
}

// TestARecallLooksAtNoMoreLessonsHoweverManyThereAre: ten thousand that share every word of the task
// but one cost what a few hundred do, and the nearest is still found.
func TestARecallLooksAtNoMoreLessonsHoweverManyThereAre(t *testing.T) {
	t.Parallel()
	m := memory(t)
	for i := range 10_000 {
		m.Learn(Lesson{Task: fmt.Sprintf("send the report of week %d to team %d by email", i, i%97), Chosen: fmt.Sprintf("skill-%d", i%500)})
	}
	got := m.Recall("send the report of week 7777 to team 17 by email")
	if len(got) != mostRecalled || got[0].Alike != 1 || got[0].Chosen != "skill-277" {
		t.Errorf("%d recalled, the first %+v", len(got), got[0])
	}
	looked := 0
	for _, e := range m.all {
		if e.turn == m.turn {
			looked++
		}
	}
	if looked > mostRead+1 {
		t.Errorf("%d lessons were looked at, more than %d", looked, mostRead+1)
	}
}

func FuzzRecall(f *testing.F) {
	f.Add("写 文章", "写文章")
	f.Add("\xff", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		m := memory(t, Lesson{Task: a, Chosen: "a"}, Lesson{Task: b, Excluded: []string{"a"}})
		for _, r := range m.Recall(a) {
			if r.Alike < 0 || r.Alike > 1 || r.Near < 0 || r.Near > 1.001 {
				t.Errorf("%q: %+v", a, r)
			}
		}
	})
}

// taught is a memory of n lessons that share words with each other.
func taught(t testing.TB, n int) *Memory {
	m := memory(t)
	for i := range n {
		m.Learn(Lesson{Task: fmt.Sprintf("send the report of week %d to team %d by email", i, i%97), Chosen: fmt.Sprintf("skill-%d", i%500)})
	}
	return m
}

func BenchmarkRecall(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		m := taught(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				m.Recall("send the report of week 7 to the team by email")
			}
		})
	}
}

// BenchmarkRouteTaught routes with what feedback taught: what 10,000 lessons cost is compared with what 10 do.
func BenchmarkRouteTaught(b *testing.B) {
	r := router(b, append(library(b), crowd(1_000)...))
	for _, n := range []int{10, 10_000} {
		m := taught(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			const task = "send the report of week 7 to the team by email"
			for b.Loop() {
				r.Decide(Request{Task: task, Lessons: m.Recall(task)})
			}
		})
	}
}
