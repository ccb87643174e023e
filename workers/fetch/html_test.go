package fetch

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestHostilePagesCostLittle: whoever wrote the page does not decide how long it takes to read.
func TestHostilePagesCostLittle(t *testing.T) {
	t.Parallel()
	base := &url.URL{Scheme: "https", Host: "a.example"}
	for name, page := range map[string]string{
		"deep":         strings.Repeat("<div id=x>", 100_000),
		"wrapped":      strings.Repeat("<div id=x>", 400) + strings.Repeat("word ", 200_000),
		"headings":     strings.Repeat("<h1>x", 50_000),
		"links":        strings.Repeat(`<a href="/x">y</a>`, 50_000),
		"lists":        strings.Repeat("<ul><li>x", 200) + strings.Repeat("<li>y", 100_000),
		"flat lists":   strings.Repeat("<ul><li>x", 9) + strings.Repeat("<li>y", 40_000),
		"quotes":       strings.Repeat("<blockquote>x", 400) + strings.Repeat("<p>y", 50_000),
		"tables":       "<table>" + strings.Repeat("<tr><td>x<td>y", 20_000),
		"open bold":    strings.Repeat("<b>x<p>", 300) + strings.Repeat("<p>y", 30_000),
		"emphasis":     "<p>" + strings.Repeat("<em>x</em><strong>y</strong>", 30_000),
		"only scripts": strings.Repeat("<script>var x = 1</script>", 20_000),
	} {
		began := time.Now()
		d, err := readHTML(page, base)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: %d bytes took %s", name, len(page), took)
		}
		if err == nil && len(d.links) > mostLinks {
			t.Errorf("%s: %d links", name, len(d.links))
		}
	}
}

// FuzzReadHTML: whatever a server sends is a document or an error.
func FuzzReadHTML(f *testing.F) {
	for _, page := range []string{"", "<p>x", "<a href='//b.example/\x00'>y", "<div id=root></div><script src=x></script>", "<svg><title>x</title>"} {
		f.Add(page)
	}
	base := &url.URL{Scheme: "https", Host: "a.example"}
	f.Fuzz(func(t *testing.T, page string) {
		d, err := readHTML(page, base)
		if err != nil {
			return
		}
		_ = seen(&Page{Title: d.title}, d)
		if d.shell() && len(d.words) > 4*ofShell {
			t.Fatalf("a page with words is a shell: %q", d.words)
		}
	})
}
