package web

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTypedURLs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"no address":                        nil,
		"read https://a.example/x, please.": {"https://a.example/x"},
		"读取https://a.example/x。再读《http://b.example》": {"https://a.example/x", "http://b.example"},
		"(see HTTPS://a.example/x).":                 {"HTTPS://a.example/x"},
		"https://a.example/x_(y) and http://b/?q":    {"https://a.example/x_(y)", "http://b/?q"},
		"https://":        nil,
		"ftp://a.example": nil,
	} {
		if diff := cmp.Diff(want, TypedURLs(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
