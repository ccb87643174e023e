package audit

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + "9fK2mQ7xLr4TzB8nWc1VdY6sHj3PgAe5Xq0u"
	for _, c := range []struct{ text, want string }{
		{"nothing here", "nothing here"},
		{"token " + secret + " and on", "token ghp_… and on"},
		{secret + " " + secret, "ghp_… ghp_…"},
		{"ghp_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE0", "ghp_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE0"},
	} {
		if got := Mask(c.text); got != c.want {
			t.Errorf("Mask(%q) = %q, want %q", c.text, got, c.want)
		}
	}
	if got := Mask(strings.Repeat("word ", 100_000)); len(got) != 500_000 {
		t.Errorf("a harmless text has %d bytes afterwards", len(got))
	}
}
