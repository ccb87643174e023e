package fromtext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/workflows/template"
)

// suggested chooses what the vocabulary suggests first, as where nothing is installed.
func suggested(r intent.Reader) Choose {
	return func(kind, _ string) (string, error) {
		if s := r.Suggested(kind); len(s) > 0 {
			return s[0], nil
		}
		return kind + "-skill", nil
	}
}

func reader(t testing.TB) intent.Reader {
	t.Helper()
	r, err := intent.New()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// picture draws a workflow in a line a step: "write(wechat-publisher) <- collect, structure; after x !".
func picture(w Workflow) []string {
	out := []string{}
	short := func(keys []string) string { return strings.ReplaceAll(strings.Join(keys, ", "), ".result", "") }
	for _, s := range w.Steps {
		line := s.ID + "(" + s.Skill + ")"
		if len(s.Input) > 0 {
			line += " <- " + short(s.Input)
		}
		if len(s.Needs) > 0 {
			line += " after " + short(s.Needs)
		}
		if s.Confirm {
			line += " !"
		}
		out = append(out, line)
	}
	return out
}

func TestSentencesBecomeSteps(t *testing.T) {
	t.Parallel()
	r := reader(t)
	for text, want := range map[string][]string{
		"搜索AI进展并整理成要点":                     {"collect(tavily)", "structure(summarize) <- collect"},
		"搜索AI进展，整理成要点，写成公众号文章":             {"collect(tavily)", "structure(summarize) <- collect", "write(wechat-publisher) <- collect, structure"},
		"写文章配图并发布":                         {"write(wechat-publisher)", "visualize(drawio-skill) <- write", "publish(wechat-publisher) <- write, visualize !"},
		"搜索资料，分析，然后写报告":                    {"collect(tavily)", "analyze(summarize) <- collect", "write(wechat-publisher) <- collect, analyze"},
		"翻译这篇文章":                           {"translate(translate)"},
		"先画图再写代码":                          {"visualize(drawio-skill)", "code(fullstack-dev) after visualize"},
		"不要发布，先审阅文章":                       {"review(review-skill)"},
		"":                                 {},
		"how are you":                      {},
		"research Rust and draw a diagram": {"collect(tavily)", "visualize(drawio-skill) <- collect"},
		"搜索AI进展，整理成要点，写成公众号文章，配图并发布": {"collect(tavily)", "structure(summarize) <- collect", "write(wechat-publisher) <- collect, structure",
			"visualize(drawio-skill) <- collect, structure", "publish(wechat-publisher) <- write, visualize !"},
		"research, summarize, write and publish a post about Rust": {"collect(tavily)", "structure(summarize) <- collect",
			"write(wechat-publisher) <- collect, structure", "publish(wechat-publisher) <- write !"},
		"查一下最新政策，总结成三点，然后翻译成英文，发送给客户": {"collect(tavily)", "structure(summarize) <- collect", "translate(translate) <- structure",
			"send(send-skill) <- translate !"},
		"把这份PDF转成Word，再提取里面的表格":                     {"convert(convert-skill)", "extract(summarize) <- convert"},
		"先头脑风暴活动点子，再做计划，最后画一张海报":                    {"brainstorm(ideation)", "plan(project-planner) <- brainstorm", "image(image-gen) after plan"},
		"写周报，然后发送给团队":                               {"write(wechat-publisher)", "send(send-skill) <- write !"},
		"写周报，不要发送给团队":                               {"write(wechat-publisher)"},
		"summarize the inbox, then delete old mail": {"structure(summarize)", "delete(delete-skill) <- structure !"},
	} {
		w, err := Make(r, text, suggested(r))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, picture(w)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestATemplateFromTextIsOne(t *testing.T) {
	t.Parallel()
	r := reader(t)
	for _, text := range []string{"搜索AI进展，整理成要点，写成公众号文章，配图并发布", "先画图再写代码", "search for ${inputs.x}: \"quoted\"\nand write an article # not a comment", "- write: {a: b}"} {
		w, err := Make(r, text, suggested(r))
		if err != nil {
			t.Fatal(err)
		}
		check(t, w)
	}
}

// check holds both ways of writing a workflow against the template reader.
func check(t *testing.T, w Workflow) {
	t.Helper()
	text, err := w.YAML()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	var back Workflow
	if err := json.Unmarshal(raw, &back); err != nil || !cmp.Equal(w, back, cmpopts.EquateEmpty()) {
		t.Errorf("read back %+v, %v; want %+v", back, err, w)
	}
	for _, written := range []string{text, string(raw)} {
		parsed, faults := template.Parse([]byte(written), template.Known{})
		if parsed == nil {
			t.Fatalf("%v in\n%s", faults, written)
		}
		for i, s := range parsed.Steps {
			if s.ID != w.Steps[i].ID || s.Skill != w.Steps[i].Skill || (s.Confirm != nil) != w.Steps[i].Confirm {
				t.Errorf("step %d reads %s %s in\n%s", i, s.ID, s.Skill, written)
			}
			if goal, err := s.Goal(template.Env{}); err != nil || literal(goal) != w.Steps[i].Intent {
				t.Errorf("intent %q, %v; want %q", goal, err, w.Steps[i].Intent)
			}
		}
	}
}

func FuzzMake(f *testing.F) {
	f.Add("搜索AI进展，整理成要点，写成公众号文章，配图并发布")
	f.Add("write \x00 and send\xff ${x}")
	f.Add("发送，然后删除，再支付并发布")
	r := reader(f)
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Make(r, text, suggested(r))
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range w.Steps {
			for _, key := range append(append([]string{}, s.Input...), s.Needs...) {
				before := false
				for _, earlier := range w.Steps[:i] {
					before = before || earlier.Output == key
				}
				if !before {
					t.Errorf("%q: step %s works on %s, which nothing before it makes", text, s.ID, key)
				}
			}
		}
	})
}
