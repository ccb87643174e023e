package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/batonflow/baton/skills"
)

var update = flag.Bool("update", false, "record the version and the digest of its decisions")

// TestOtherDecisionsAreAnotherVersion: a recorded decision names the version of the router, so whoever
// changes what is decided must count it up, or replays would differ.
func TestOtherDecisionsAreAnotherVersion(t *testing.T) {
	t.Parallel()
	const file = "testdata/version.json"
	type versioned struct {
		Version int    `json:"version"`
		SHA256  string `json:"sha256"`
	}
	var cases []routeCase
	readJSON(t, "testdata/routes.json", &cases)
	book, err := DefaultRules().Open()
	if err != nil {
		t.Fatal(err)
	}
	r := book.Over(skills.NewIndex(library(t)))
	h := sha256.New()
	for _, c := range cases {
		raw, err := json.Marshal(r.Decide(Request{Task: c.Task, Mode: c.Mode, Exclude: c.Exclude, Top: c.Top, Explain: true}))
		if err != nil {
			t.Fatal(err)
		}
		h.Write(raw)
	}
	now := versioned{Version, hex.EncodeToString(h.Sum(nil))}
	if *update {
		raw, _ := json.Marshal(now)
		if err := os.WriteFile(file, append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var before versioned
	readJSON(t, file, &before)
	if now != before {
		t.Errorf("decisions have the digest %.12s at version %d; recorded is %.12s at version %d: if they should differ, count Version up and run with -update",
			now.SHA256, now.Version, before.SHA256, before.Version)
	}
}

func TestRulesMakeTheSameDecisionsAgain(t *testing.T) {
	t.Parallel()
	rules := DefaultRules()
	rules.Lexicon = append(rules.Lexicon, "groups: [[frobnicate, 搗鼓, send]]")
	rules.ConfirmHighRisk = true
	book, err := rules.Open()
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeRules(book.Encode())
	if err != nil {
		t.Fatal(err)
	}
	second, err := again.Open()
	if err != nil || second.Digest() != book.Digest() {
		t.Fatalf("digest %s, %s again (%v)", book.Digest(), second.Digest(), err)
	}
	index := skills.NewIndex(library(t))
	for _, task := range []string{"frobnicate an email to the team", "捣鼓一封邮件", "send an email"} {
		a, _ := json.Marshal(book.Over(index).Decide(Request{Task: task}))
		b, _ := json.Marshal(second.Over(index).Decide(Request{Task: task}))
		if string(a) != string(b) {
			t.Errorf("%s: decided differently", task)
		}
	}
	if d := book.Over(index).Decide(Request{Task: "frobnicate an email"}); len(d.Candidates) == 0 || d.Candidates[0].Name != "email-sender" {
		t.Errorf("the added word finds %+v", d.Candidates)
	}
	if d := book.Over(index).Decide(Request{Task: "send an email to the team"}); d.Decision != Confirm {
		t.Errorf("every high-risk action is to be confirmed: %s", d.Decision)
	}
}

func TestBrokenRulesOfRoutingAreAnError(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Rules){
		"version":         func(r *Rules) { r.Version++ },
		"lexicon":         func(r *Rules) { r.Lexicon = append(r.Lexicon, "groups: [[one]]") },
		"key of lexicon":  func(r *Rules) { r.Lexicon = append(r.Lexicon, "grups: []") },
		"intent":          func(r *Rules) { r.Intent = append(r.Intent, "verbs: {dance: [dance]}") },
		"sentinel":        func(r *Rules) { r.Sentinel = append(r.Sentinel, "attacks: []") },
		"text, not lists": func(r *Rules) { r.Sentinel = append(r.Sentinel, "hack") },
	} {
		rules := DefaultRules()
		change(&rules)
		if _, err := rules.Open(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzLexicon(f *testing.F) {
	f.Add("groups: [[a, b]]", "a b")
	f.Add("fields: [[画, draw]]\nfiller: [x]", "画 x")
	f.Fuzz(func(t *testing.T, lexicon, task string) {
		rules := DefaultRules()
		rules.Lexicon = []string{lexicon}
		book, err := rules.Open()
		if err != nil {
			return
		}
		book.Over(skills.NewIndex([]skills.Skill{made("a", task)})).Decide(Request{Task: task})
	})
}
