package skill

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/skills"
)

func made(name, description string) skills.Skill {
	return skills.Skill{Name: name, Description: description, Tier: skills.TierUser, Host: "agents", Trusted: true, Usable: true, Path: "/skills/" + name}
}

func TestWhatMayNotBeChosenIsShownAndNotChosen(t *testing.T) {
	t.Parallel()
	for bar, change := range map[string]func(*skills.Skill){
		"instruct": func(s *skills.Skill) { s.Flagged = []string{"ignore previous instructions"} },
		"trusted":  func(s *skills.Skill) { s.Trusted = false },
		"by name":  func(s *skills.Skill) { s.ManualOnly = true },
	} {
		mail := made("email-sender", "Send an email to people and teams.")
		change(&mail)
		r := router(t, []skills.Skill{mail, made("calendar-sync", "Plan meetings.")})
		for _, mode := range []string{ModeAuto, ModeAlways} {
			d := r.Decide(Request{Task: "send an email to the team", Mode: mode})
			if d.Decision != Confirm || d.Chosen != nil || !strings.Contains(d.Reason, bar) || d.Candidates[0].Name != "email-sender" {
				t.Errorf("%s, mode %s: %s, %q", bar, mode, d.Decision, d.Reason)
			}
		}
	}
}

func TestASkillOfTheSameNameIsToldApart(t *testing.T) {
	t.Parallel()
	project, user := made("email-sender", "Send an email through the company's server."), made("email-sender", "Send an email.")
	project.Tier, project.Hash, user.Hash = skills.TierProject, "1", "2"
	d := router(t, []skills.Skill{user, project}).Decide(Request{Task: "send an email"})
	if d.Decision != Auto || d.Chosen.Tier != skills.TierProject {
		t.Errorf("%s %+v, want auto for the project's", d.Decision, d.Chosen)
	}
	if len(d.Candidates) != 2 || !slices.ContainsFunc(d.Candidates, func(c Candidate) bool { return c.Name == "agents:user/email-sender" }) {
		t.Errorf("candidates %+v, want the user's by its full name", d.Candidates)
	}
}

func TestHighRiskIsSaid(t *testing.T) {
	t.Parallel()
	r := router(t, library(t))
	d := r.Decide(Request{Task: "send an email to the team"})
	if d.Decision != Auto || d.HighRisk != "send" || !strings.Contains(d.Hint, "--mode manual") {
		t.Errorf("%s, high risk %q, hint %q", d.Decision, d.HighRisk, d.Hint)
	}
	if d = r.Decide(Request{Task: "send an email to the team", HighRiskConfirm: true}); d.Decision != Confirm {
		t.Errorf("with every high-risk action confirmed: %s", d.Decision)
	}
	if d = r.Decide(Request{Task: "use sql-query to delete the customers"}); d.Decision != Confirm || d.HighRisk != "delete" {
		t.Errorf("a skill that does not speak of deleting: %s, %q", d.Decision, d.HighRisk)
	}
	if d = r.Decide(Request{Task: "draft an email, don't send it"}); d.HighRisk != "" {
		t.Errorf("negated: high risk %q", d.HighRisk)
	}
}

func TestSiblingsAreConfirmed(t *testing.T) {
	t.Parallel()
	r := router(t, []skills.Skill{made("pdf-tools", "Work on PDF pages."), made("pdf-extra", "Work on PDF pages, too.")})
	if d := r.Decide(Request{Task: "work on the PDF pages"}); d.Decision != Confirm || !strings.HasPrefix(d.Reason, "[SIBLING]") {
		t.Errorf("%s, %q", d.Decision, d.Reason)
	}
	if d := r.Decide(Request{Task: "use pdf-extra on the PDF pages"}); d.Decision != Auto || d.Chosen.Name != "pdf-extra" {
		t.Errorf("named: %s, %q", d.Decision, d.Reason)
	}
}

func TestANameInsideAWordIsNoName(t *testing.T) {
	t.Parallel()
	r := router(t, []skills.Skill{made("art", "Paint pictures."), made("ai", "Talk about models."), made("deploy-k8s", "Deploy an app to a cluster."), made("mail-server-admin", "Start, stop and watch the mail server.")})
	for task, want := range map[string]string{"start the mail server": "mail-server-admin", "deploy the app": "deploy-k8s"} {
		if d := r.Decide(Request{Task: task}); d.Chosen == nil || d.Chosen.Name != want {
			t.Errorf("%s: %s, %q", task, d.Decision, d.Reason)
		}
	}
}

func TestExplainAddsUp(t *testing.T) {
	t.Parallel()
	for _, c := range router(t, library(t)).Decide(Request{Task: "微信支付退款", Explain: true}).Candidates {
		b := c.Breakdown
		sum := 0.0
		for _, p := range b.Parts {
			sum += p.Points
		}
		if sum-b.Sum > 0.01 || b.Sum-sum > 0.01 {
			t.Errorf("%s: the parts give %.4f, the sum is %.4f", c.Name, sum, b.Sum)
		}
		want := (wholeShare*b.Sum + clauseShare*b.Clause + sentenceShare*b.Sentence) * (1 + nameCover*b.NameCover + ownCover*b.OwnCover) * scale / b.Length * b.Tier
		if b.Refused == "" && !b.Named && (c.Score-want > 0.01 || want-c.Score > 0.01) {
			t.Errorf("%s: the parts give %.4f, the score is %.4f", c.Name, want, c.Score)
		}
	}
}

var tasks = rapid.SampledFrom([]string{"微信", "send an email to the team", "画一张系统架构图", "merge three PDF files", "run a query on the spreadsheet",
	"use email-sender for this", "搜索AI进展并整理成要点", "hack the server", "", "翻译文档", "review my pull request"})

func TestLawsOfDecisions(t *testing.T) {
	t.Parallel()
	r := router(t, library(t))
	names := rapid.SampledFrom([]string{"EMAIL-SENDER", "drawio-diagram", "pdf-tools", "agents:user/sql-query", "workbuddy:user/code-review"})
	rapid.Check(t, func(t *rapid.T) {
		req := Request{Task: tasks.Draw(t, "task"), Exclude: rapid.SliceOfN(names, 0, 3).Draw(t, "exclude"), Mode: rapid.SampledFrom([]string{"", ModeAlways, ModeManual}).Draw(t, "mode")}
		d := r.Decide(req)
		for _, c := range d.Candidates {
			for _, x := range req.Exclude {
				if strings.EqualFold(c.Name, x) {
					t.Fatalf("%s was excluded", x)
				}
			}
		}
		if (d.Decision == Auto) != (d.Chosen != nil) {
			t.Fatalf("%s with chosen %v", d.Decision, d.Chosen)
		}
		req.Top = rapid.IntRange(1, 25).Draw(t, "top")
		other := r.Decide(req)
		if len(other.Candidates) > req.Top {
			t.Fatalf("%d candidates of %d", len(other.Candidates), req.Top)
		}
		d.Candidates, other.Candidates = nil, nil
		if diff := cmp.Diff(d, other); diff != "" {
			t.Fatalf("--top changed the decision:\n%s", diff)
		}
	})
}

func TestAScoreMeansTheSameAmongManySkills(t *testing.T) {
	t.Parallel()
	task := "send an email to the team"
	few := router(t, library(t)[:25]).Decide(Request{Task: task}).Candidates[0].Score
	many := router(t, append(library(t), crowd(5000)...)).Decide(Request{Task: task}).Candidates[0]
	if ratio := many.Score / few; many.Name != "email-sender" || ratio < 0.8 || ratio > 1.35 {
		t.Errorf("%s: %.2f among 25, %.2f among 5,025", many.Name, few, many.Score)
	}
}

// crowd makes skills of many words that nobody asks for.
func crowd(n int) []skills.Skill {
	syllables := []string{"ba", "do", "ku", "li", "mer", "no", "pas", "ru", "ste", "vor", "wex", "zim"}
	word := func(i int) string {
		return syllables[i%12] + syllables[i/12%12] + syllables[i/144%12]
	}
	out := make([]skills.Skill, n)
	for i := range out {
		out[i] = made(fmt.Sprintf("%s-%s-%d", word(i), word(i*7), i), fmt.Sprintf("Handles %s and %s for the %s of a team. Use it to %s the %s. 处理%d号文件的整理与分析。", word(i*3), word(i*5), word(i*11), word(i*13), word(i*17), i))
		out[i].Tags = []string{word(i * 19), word(i * 23)}
	}
	return out
}

func FuzzDecide(f *testing.F) {
	r := router(f, library(f))
	f.Add("画一张 Agent 系统架构图", "auto")
	f.Add("use  to \xff 把给公众号", "always")
	f.Fuzz(func(t *testing.T, task, mode string) {
		one, err := json.Marshal(r.Decide(Request{Task: task, Mode: mode, Guard: true, Explain: true}))
		if err != nil {
			t.Fatal(err)
		}
		two, _ := json.Marshal(r.Decide(Request{Task: task, Mode: mode, Guard: true, Explain: true}))
		if string(one) != string(two) {
			t.Errorf("%q: two answers", task)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{1_000, 20_000} {
		r := router(b, append(library(b), crowd(n)...))
		for name, task := range map[string]string{"english": "send an email with the quarterly report to the team", "chinese": "把调研要点整理成公众号文章正文"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					r.Decide(Request{Task: task})
				}
			})
		}
	}
}
