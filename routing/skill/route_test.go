package skill

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/skills"
)

// knownMisses are requests of testdata/routes.json that are not routed as they should be yet. A
// line that begins to pass must be taken out, so that it cannot silently break again.
var knownMisses = []string{}

func router(t testing.TB, list []skills.Skill) *Router {
	t.Helper()
	book, err := DefaultRules().Open()
	if err != nil {
		t.Fatal(err)
	}
	return book.Over(skills.NewIndex(list))
}

// library is the set of skills of testdata/library.json.
func library(t testing.TB) []skills.Skill {
	t.Helper()
	var out []skills.Skill
	readJSON(t, "testdata/library.json", &out)
	for i := range out {
		out[i].Tier, out[i].Host, out[i].Trusted, out[i].Usable = skills.TierUser, "workbuddy", true, true
		out[i].Path = "/skills/" + out[i].Name
	}
	return out
}

// onDisk are the SKILL.md files of testdata/skills.
func onDisk(t testing.TB) []skills.Skill {
	t.Helper()
	files, err := filepath.Glob("testdata/skills/*/SKILL.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no skills in testdata: %v", err)
	}
	var out []skills.Skill
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, found := skills.Parse(file, data)
		if len(found) > 0 {
			t.Errorf("%s: %v", file, found)
		}
		s.Tier, s.Host, s.Trusted = skills.TierUser, "agents", true
		out = append(out, s)
	}
	return out
}

func readJSON(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

type routeCase struct {
	Task, Mode                    string
	Exclude                       []string
	Top                           int
	Decision, Chosen, First, Plan []string
}

// check says what is wrong with a decision, or "".
func (c routeCase) check(d Decision) string {
	chosen := ""
	if d.Chosen != nil {
		chosen = d.Chosen.Name
	}
	first := ""
	if len(d.Candidates) > 0 {
		first = d.Candidates[0].Name
	}
	switch {
	case !slices.Contains(c.Decision, d.Decision):
		return fmt.Sprintf("decision %s, want %v", d.Decision, c.Decision)
	case !slices.Contains(c.Chosen, chosen):
		return fmt.Sprintf("chosen %q, want %q", chosen, c.Chosen)
	case c.First != nil && !slices.Contains(c.First, first):
		return fmt.Sprintf("first %q, want %q", first, c.First)
	case c.Plan != nil && !slices.Equal(c.Plan, d.Intent.Types()):
		return fmt.Sprintf("plan %v, want %v", d.Intent.Types(), c.Plan)
	}
	return ""
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	var cases []routeCase
	readJSON(t, "testdata/routes.json", &cases)
	r := router(t, library(t))
	right := 0
	for _, c := range cases {
		d := r.Decide(Request{Task: c.Task, Mode: c.Mode, Exclude: c.Exclude, Top: c.Top, Explain: true})
		wrong := c.check(d)
		missed := slices.Contains(knownMisses, c.Mode+"|"+c.Task)
		switch {
		case wrong == "" && missed:
			t.Errorf("%q is right now: take it out of knownMisses", c.Task)
		case wrong != "" && !missed:
			t.Errorf("%q %s: %s\n%s: %s", c.Task, c.Mode, wrong, d.Decision, d.Reason)
			for _, k := range d.Candidates {
				t.Logf("    %s %.2f explained %.2f %q", k.Name, k.Score, k.Breakdown.Explained, k.Why)
			}
		}
		if wrong == "" {
			right++
		}
	}
	t.Logf("%d of %d right", right, len(cases))
}

func TestTheSeedsExampleIsRouted(t *testing.T) {
	t.Parallel()
	r := router(t, onDisk(t))
	for task, want := range map[string]string{
		"把调研要点整理成公众号文章正文":                         "wechat-publisher",
		"画一张 Agent 系统架构图":                         "drawio-skill",
		"检索 AI Agent 2026 年的最新进展并给出结构化要点":         "tavily",
		"总结调研内容":                                  "summarize",
		"use tavily to look for new agent papers": "tavily",
	} {
		d := r.Decide(Request{Task: task, Explain: true})
		if d.Decision != Auto || d.Chosen == nil || d.Chosen.Name != want {
			data, _ := json.MarshalIndent(d.Candidates, "", " ")
			t.Errorf("%s: %s (%s), want auto for %s\n%s", task, d.Decision, d.Reason, want, data)
		}
	}
}

func TestTheSameRequestGetsTheSameBytes(t *testing.T) {
	t.Parallel()
	list := library(t)
	backwards := slices.Clone(list)
	slices.Reverse(backwards)
	first, second := router(t, list), router(t, backwards)
	for _, task := range []string{"微信", "画图", "run a query on the spreadsheet"} {
		a, _ := json.Marshal(first.Decide(Request{Task: task, Explain: true, Guard: true}))
		b, _ := json.Marshal(second.Decide(Request{Task: task, Explain: true, Guard: true}))
		if diff := cmp.Diff(string(a), string(b)); diff != "" {
			t.Errorf("%s:\n%s", task, diff)
		}
	}
}
