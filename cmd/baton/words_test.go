package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		env, args []string
		want      string
	}{
		{nil, nil, "en"},
		{[]string{"LANG=zh_CN.UTF-8"}, nil, "zh"},
		{[]string{"LANG=zh_CN.UTF-8", "LC_ALL=C"}, nil, "en"},
		{[]string{"LC_ALL=zh_TW"}, nil, "zh"},
		{[]string{"LC_ALL=zh_TW"}, []string{"status", "--lang", "en"}, "en"},
		{nil, []string{"--lang=zh", "status"}, "zh"},
		{nil, []string{"--", "--lang=zh"}, "en"},
	} {
		a, _, _ := testApp(t, tc.env...)
		a.args = tc.args
		if got := a.language(); got != tc.want {
			t.Errorf("language of %v %v is %s, want %s", tc.env, tc.args, got, tc.want)
		}
	}
}

var verbs = regexp.MustCompile("%[-+0-9.]*[a-z%]|`[^`]*`")

func TestChineseTextsTakeTheSameValues(t *testing.T) {
	t.Parallel()
	for _, table := range []map[string]string{chineseTexts, chineseAcquire, chineseDoors} {
		for english, chinese := range table {
			if diff := cmp.Diff(verbs.FindAllString(english, -1), verbs.FindAllString(chinese, -1)); diff != "" {
				t.Errorf("%q and %q differ (-english +chinese):\n%s", english, chinese, diff)
			}
		}
	}
}

// TestChineseTextsAreInUse finds texts of the table that no file of the command says any more.
func TestChineseTextsAreInUse(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, f := range files {
		if f == "chinese.go" || strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	for english := range chineseTexts {
		if !strings.Contains(code.String(), strconv.Quote(english)) {
			t.Errorf("nobody says %q", english)
		}
	}
}

func TestEveryCommandBeginsItsHelpWithAnExample(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "zh"} {
		a, _, _ := testApp(t)
		a.lang = lang
		walk(a.root(), func(c *cobra.Command) {
			text := string(a.help(c))
			if c.Hidden {
				return
			}
			if !strings.HasPrefix(text, a.say("Example:")+"\n  ") || !strings.Contains(c.Example, "baton") {
				t.Errorf("help of %s begins with %.40q", c.CommandPath(), text)
			}
			if c.Short == "" {
				t.Errorf("%s does not say what it does", c.CommandPath())
			}
			if lang == "zh" && c.HasParent() && regexp.MustCompile(`^[ -~]*$`).MatchString(c.Short) {
				t.Errorf("%s says what it does in English only: %s", c.CommandPath(), c.Short)
			}
		})
	}
}

func walk(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		walk(sub, f)
	}
}
