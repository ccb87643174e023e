package words

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		tokens map[string]float64
		mass   float64
	}{
		"帮我遛狗":                  {map[string]float64{"遛": 0.3, "狗": 0.3, "我遛": 1, "遛狗": 1, "帮我遛": 1.2, "我遛狗": 1.2}, 2},
		"Search the WEB, v2.0!": {map[string]float64{"search": 1, "web": 1, "v2": 1}, 3},
		"Résumé":                {map[string]float64{"résumé": 1}, 1},
		"ｓｅａｒｃｈ":                {map[string]float64{"search": 1}, 1},
		"use AI to 写文章":         {map[string]float64{"ai": 1, "写": .3, "文": .3, "章": .3, "写文": 1, "文章": 1, "写文章": 1.2}, 2.5},
		"C++ and Go":            {map[string]float64{"c++": 1, "go": 1}, 2},
		"":                      {map[string]float64{}, 0},
		"ha\u200bck":            {map[string]float64{"hack": 1}, 1},
		"neighbour's":           {map[string]float64{"neighbour": 1}, 1},
	}
	for text, want := range cases {
		tokens, mass := Tokens(text)
		if diff := cmp.Diff(want.tokens, tokens); diff != "" || mass != want.mass {
			t.Errorf("%q: mass %v, want %v; tokens (-want +got):\n%s", text, mass, want.mass, diff)
		}
	}
	traditional, _ := Tokens("架構圖")
	simple, _ := Tokens("架构图")
	if diff := cmp.Diff(simple, traditional); diff != "" {
		t.Errorf("Traditional differs from Simplified:\n%s", diff)
	}
	if kana, _ := Tokens("日本語のテスト"); kana["テスト"] == 0 {
		t.Errorf("kana gives no tokens: %v", kana)
	}
}

func TestStemJoinsForms(t *testing.T) {
	t.Parallel()
	for _, forms := range [][]string{
		{"meeting", "meetings"}, {"write", "writing", "writes", "writer", "written"},
		{"summarize", "summarise", "summarizes", "summarizing", "summarization", "summarisation", "summary"},
		{"analyze", "analyse", "analysis", "analyzing"}, {"query", "queries"}, {"plan", "planning", "planned"},
		{"translate", "translation", "translating"}, {"test", "tests", "testing"}, {"box", "boxes"}, {"deploy", "deployed"},
	} {
		for _, form := range forms[1:] {
			if Stem(form) != Stem(forms[0]) {
				t.Errorf("Stem(%s) = %s, Stem(%s) = %s", form, Stem(form), forms[0], Stem(forms[0]))
			}
		}
	}
	for _, pair := range [][2]string{{"poster", "post"}, {"paper", "pap"}, {"class", "clas"}} {
		if Stem(pair[0]) == Stem(pair[1]) {
			t.Errorf("Stem makes %s and %s one", pair[0], pair[1])
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add("ｈａｃｋ 駭入 Résumé ﬁ")
	f.Add("\xff\u200b")
	f.Fuzz(func(t *testing.T, text string) {
		folded := FoldMap(text)
		if !utf8.ValidString(folded.Text) {
			t.Errorf("folding %q is not UTF-8", text)
		}
		_ = folded.Original(0, len(folded.Text))
		for run := range Runs(folded.Text) {
			if got := folded.Text[run.Start : run.Start+len(run.Text)]; got != run.Text {
				t.Errorf("run at %d is %q, the text has %q", run.Start, run.Text, got)
			}
		}
	})
}

func TestApart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"getHVACData": "get HVAC Data", "namesLikeThis": "names Like This", "Résumé": "Résumé", "PDF": "PDF", "pdf-tools": "pdf-tools", "": ""} {
		if got := Apart(name); got != want {
			t.Errorf("Apart(%q) = %q, want %q", name, got, want)
		}
	}
}
