package web

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

func TestAdaptersGoByName(t *testing.T) {
	t.Parallel()
	a := adapters(t)
	schema := json.RawMessage(`{"type": "object"}`)
	for _, c := range []struct {
		tool Tool
		want Capability
	}{
		{Tool{Name: "bailian_web_search"}, Discover}, {Tool{Name: "Brave"}, Discover}, {Tool{Name: "bing"}, Discover},
		{Tool{Name: "file_search"}, ""}, {Tool{Name: "code_search"}, ""}, {Tool{Name: "mcp_search"}, Discover},
		{Tool{Name: "computer_use"}, Interact}, {Tool{Name: "Chrome_Devtools"}, Interact}, {Tool{Name: "browser_fetch"}, Interact},
		{Tool{Name: "read_url"}, Retrieve}, {Tool{Name: "rss"}, Retrieve}, {Tool{Name: "firecrawl"}, Retrieve},
		{Tool{Name: "opencli"}, Structure}, {Tool{Name: "gh"}, Structure}, {Tool{Name: "lark-cli"}, Structure}, {Tool{Name: "ghost"}, ""},
		{Tool{Name: "mcp__issues__list"}, ""}, {Tool{Name: "mcp__issues__list", Schema: schema}, Structure}, {Tool{Name: "issues", Schema: schema}, ""},
		{Tool{Name: "browser", Capability: Retrieve}, Retrieve}, {Tool{Name: "calculator"}, ""},
	} {
		if got := a.Capability(c.tool); got != c.want {
			t.Errorf("%s: got %q, want %q", c.tool.Name, got, c.want)
		}
	}
}

func TestTablesAreChecked(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		``, `adapters: []`, `adapters: [{capability: fly, contains: [x]}]`, `adapters: [{capability: discover}]`, `adapters: [{capability: discover, contains: [""]}]`,
		`adapters: [{capability: discover, contains: [Search]}]`, `adapters: [{capability: discover, contain: [x]}]`, `adapters: [{capability: discover, contains: [x]}]` + "\n" + `defaults: [{name: ""}]`,
	} {
		if _, err := ReadAdapters([]byte(file)); !errors.Is(err, ErrTables) {
			t.Errorf("adapters %q: %v", file, err)
		}
	}
	entry := func(fields string) string { return `[{"id": "x", "category": "search", ` + fields + `}]` }
	good := entry(`"url_template": "https://a.example/{query}", "official_domains": ["a.example"]`)
	if _, err := ReadFallbacks([]byte(good)); err != nil {
		t.Errorf("%s: %v", good, err)
	}
	for _, file := range []string{
		``, `{}`, good + "x", `[{"category": "home", "url_template": "https://a.example/", "official_domains": ["a.example"]}]`,
		`[{"id": "x", "category": "shop", "url_template": "https://a.example/", "official_domains": ["a.example"]}]`,
		entry(`"url_template": "https://a.example/{query}", "official_domains": ["example"]`), entry(`"url_template": "https://a.example/{query}", "official_domains": []`),
		entry(`"url_template": "https://a.example/{query}/{query}", "official_domains": ["a.example"]`), entry(`"url_template": "http://a.example/", "official_domains": ["a.example"]`), entry(`"url": "https://a.example/", "official_domains": ["a.example"]`),
	} {
		if _, err := ReadFallbacks([]byte(file)); !errors.Is(err, ErrTables) {
			t.Errorf("fallbacks %q: %v", file, err)
		}
	}
}

func TestTheTablesOfTheBinaryHold(t *testing.T) {
	t.Parallel()
	list, err := DefaultFallbacks()
	if err != nil {
		t.Fatal(err)
	}
	for _, category := range []string{"search", "home", "ranking"} {
		if !slices.ContainsFunc(list, func(f Fallback) bool { return f.Category == category }) {
			t.Errorf("there is no entry of category %s", category)
		}
	}
	if got := len(adapters(t).Tools); got != len(capabilities) {
		t.Errorf("%d default tools, want one of each capability", got)
	}
}

func TestRecover(t *testing.T) {
	t.Parallel()
	seconds := func(s float64) *float64 { return &s }
	codes := func(c ...Code) []Code { return c }
	for name, c := range map[string]struct {
		failure        Failure
		code           Code
		action, reason string
		wait           float64
	}{
		"a timeout":                  {Failure{Codes: codes("timeout")}, "timeout", ActRetry, "timeout", 1},
		"a second timeout":           {Failure{Codes: codes("timeout"), Retried: true}, "timeout", ActSwitch, "timeout", 0},
		"a limit of 30 seconds":      {Failure{Codes: codes("rate_limited"), RetryAfter: seconds(30)}, "rate_limited", ActRetry, "rate_limited", 30},
		"a limit of 31 seconds":      {Failure{Codes: codes("rate_limited"), RetryAfter: seconds(31)}, "rate_limited", ActSwitch, "rate_limited", 0},
		"a captcha served as 503":    {Failure{Codes: codes("http_5xx", "captcha")}, "captcha", ActTakeover, "captcha", 0},
		"a limit behind a login":     {Failure{Codes: codes("rate_limited", "login_required", "empty_shell")}, "login_required", ActTakeover, "login_required", 0},
		"a write that timed out":     {Failure{Codes: codes("timeout"), Write: true}, "timeout", ActBlock, writeUnknown, 0},
		"a write that met a limit":   {Failure{Codes: codes("rate_limited"), RetryAfter: seconds(1), Write: true}, "rate_limited", ActBlock, "rate_limited", 0},
		"a write that met a captcha": {Failure{Codes: codes("captcha"), Write: true}, "captcha", ActTakeover, "captcha", 0},
		"nothing known":              {Failure{Codes: codes("whatever")}, Unknown, ActSwitch, "unknown", 0},
		"nothing said":               {Failure{}, Unknown, ActSwitch, "unknown", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := Recover(c.failure)
			if v.Code != c.code || v.Action != c.action || v.Reason != c.reason || v.WaitS != c.wait {
				t.Errorf("got %+v, want %s, %s, %s, %v", v, c.code, c.action, c.reason, c.wait)
			}
		})
	}
}

func TestEveryFailureHasAWayOut(t *testing.T) {
	t.Parallel()
	for _, code := range Codes() {
		for _, write := range []bool{false, true} {
			v := Recover(Failure{Codes: []Code{code}, Retried: true, Write: write})
			if v.Action == "" || v.Action == ActRetry || write && v.Action == ActSwitch {
				t.Errorf("%s (write %v): %+v", code, write, v)
			}
			if _, ends := endings[v.Action]; ends == (v.Action == ActSwitch) || ends == (v.Status == "") {
				t.Errorf("%s (write %v) neither ends nor goes on: %+v", code, write, v)
			}
		}
	}
}

func TestReadCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Code{
		"401": "login_required", "402": "paywall", "403": "permission_denied", "404": "not_found", "410": "not_found", "429": "rate_limited", "451": "legal_block",
		"http_503": "http_5xx", "http_5xx": "http_5xx", " TIMEOUT ": "timeout", "200": Unknown, "600": Unknown, "": Unknown, "nonsense": Unknown,
	} {
		if got := ReadCode(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
