package exec

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestAllowedEnv(t *testing.T) {
	t.Parallel()
	got := AllowedEnv([]string{
		"PATH=/bin", "HOME=/home/a", "LANG=C.UTF-8", "LC_ALL=", "TZ=UTC", "XDG_CONFIG_HOME=/c=d", "TERM=xterm",
		"API_KEY=1", "LC_SECRET=2", "XDG_ACCESS_TOKEN=3", "XDG_dsn=4", "LC_Password=5",
		"LD_PRELOAD=/lib/evil.so", "BATON_HOME=/b", "EDITOR=vi", "path=/lower", "no-equals", "=empty",
	})
	want := map[string]string{
		"PATH": "/bin", "HOME": "/home/a", "LANG": "C.UTF-8", "LC_ALL": "", "TZ": "UTC",
		"XDG_CONFIG_HOME": "/c=d", "TERM": "xterm",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzValue: whatever a program prints becomes one JSON value in valid UTF-8, and a value stays one.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{"", "\n", "{}", "[1,\n2]", "text\r\n", "\xff", "\"\xff\"", `"\ud83d"`, "\u2028", "nul", "1e999", "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stdout []byte) {
		got := Value(stdout)
		if !json.Valid(got) || !utf8.Valid(got) {
			t.Fatalf("Value(%q) = %q", stdout, got)
		}
		if again := Value(got); string(again) != string(got) {
			t.Fatalf("Value(%q) = %q, and of that %q", stdout, got, again)
		}
	})
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("ein é"), 3, 4000)
	f.Add([]byte("\xc3"), 1, 20000)
	f.Fuzz(func(t *testing.T, piece []byte, size, times int) {
		l := new(logged)
		for range min(max(times, 0), 1<<15) {
			if n, err := l.Write(piece[:min(max(size, 0), len(piece))]); err != nil || n > len(piece) {
				t.Fatal(n, err)
			}
		}
		if tail := l.tail(); !utf8.ValidString(tail) || len(tail) > 3*tailBytes {
			t.Fatalf("tail of %d bytes, valid: %v", len(tail), utf8.ValidString(tail))
		}
	})
}
