package projections

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain 中文 👨‍👩‍👧": "plain 中文 👨‍👩‍👧", "a\nb\r\tc": `a\nb\r\tc`, "\x1b[2J\x7f": `\x1b[2J\x7f`, "\u0085\u200b": `\u0085\u200b`,
		"\u202eabc\u2028": `\u202eabc\u2028`, "\U000e0041": `\U000e0041`, "a\xffb": `a\xffb`, "": "", `\n`: `\n`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\nb\xff\u202e")
	f.Fuzz(func(t *testing.T, in string) {
		got := Escape(in)
		if !utf8.ValidString(got) || strings.IndexFunc(got, unseen) >= 0 {
			t.Errorf("Escape(%q) = %q", in, got)
		}
		if again := Escape(got); again != got {
			t.Errorf("escaped twice: %q, %q", got, again)
		}
	})
}
