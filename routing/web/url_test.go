package web

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestNormalise(t *testing.T) {
	t.Parallel()
	var cases []struct{ Input, URL, Error string }
	load(t, "urls.json", &cases)
	for _, c := range cases {
		t.Run(c.Input, func(t *testing.T) {
			t.Parallel()
			got, err := Normalise(c.Input)
			var fault Fault
			if errors.As(err, &fault); got != c.URL || string(fault) != c.Error {
				t.Errorf("got %q, %v; want %q, %s", got, err, c.URL, c.Error)
			}
		})
	}
}

func TestPrivateAddr(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"127.0.0.1": true, "10.1.2.3": true, "172.16.0.1": true, "192.168.1.1": true, "169.254.169.254": true, "100.64.0.1": true,
		"0.0.0.0": true, "0.1.2.3": true, "255.255.255.255": true, "224.0.0.1": true, "::1": true, "::": true, "fe80::1": true, "fd00::1": true, "ff02::1": true,
		"::ffff:127.0.0.1": true, "64:ff9b::10.0.0.1": true, "64:ff9b::9.9.9.9": false,
		"9.9.9.9": false, "172.32.0.1": false, "100.128.0.1": false, "2620:fe::fe": false, "::ffff:9.9.9.9": false,
	} {
		if got := PrivateAddr(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	if !PrivateAddr(netip.Addr{}) {
		t.Error("no address at all is taken for a public one")
	}
}

func TestOfficial(t *testing.T) {
	t.Parallel()
	var cases []struct {
		URL, Domain, Error string
		Domains            []string
	}
	load(t, "official.json", &cases)
	for _, c := range cases {
		got, err := Official(c.URL, c.Domains)
		var fault Fault
		if errors.As(err, &fault); got != c.Domain || string(fault) != c.Error {
			t.Errorf("%s: got %q, %v; want %q, %s", c.URL, got, err, c.Domain, c.Error)
		}
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	var cases []struct{ Template, Query, URL, Final, Error string }
	load(t, "entries.json", &cases)
	for _, c := range cases {
		got, err := Fill(c.Template, c.Query)
		var fault Fault
		if errors.As(err, &fault); got != c.URL || string(fault) != c.Error {
			t.Errorf("%s with %q: got %q, %v; want %q, %s", c.Template, c.Query, got, err, c.URL, c.Error)
		}
		if err != nil {
			continue
		}
		if final, err := Normalise(got); err != nil || final != c.Final {
			t.Errorf("%s with %q: opens %q, %v; want %q", c.Template, c.Query, final, err, c.Final)
		}
	}
}

// FuzzNormalise: an address that is accepted is settled, reads the same to the library's parser, and
// has a host that nothing can misread.
func FuzzNormalise(f *testing.F) {
	var cases []struct{ Input string }
	load(f, "urls.json", &cases)
	for _, c := range cases {
		f.Add(c.Input)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := Normalise(raw)
		if err != nil {
			var fault Fault
			if !errors.As(err, &fault) || got != "" {
				t.Fatalf("%q: got %q and %v, which is no fault", raw, got, err)
			}
			return
		}
		if again, err := Normalise(got); err != nil || again != got {
			t.Fatalf("%q: %q becomes %q, %v", raw, got, again, err)
		}
		u, err := url.Parse(got)
		if err != nil || u.User != nil || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q: %q reads as %+v, %v", raw, got, u, err)
		}
		a, err := parse(raw)
		if err != nil || u.Host != strings.TrimSuffix(a.host.String()+":"+a.port, ":") {
			t.Fatalf("%q: the host of %q is %q, not %q", raw, got, u.Host, a.host)
		}
		if strings.Trim(u.Host, "abcdefghijklmnopqrstuvwxyz0123456789-._:[]") != "" || strings.Contains(u.EscapedPath()+"/", "/../") {
			t.Fatalf("%q: %q has an odd host or path", raw, got)
		}
	})
}

// FuzzFill: whatever the query is, the address stays official and the query is one value.
func FuzzFill(f *testing.F) {
	var cases []struct{ Query string }
	load(f, "entries.json", &cases)
	for _, c := range cases {
		f.Add(c.Query)
	}
	entry := Fallback{URLTemplate: "https://www.npmjs.com/search?q={query}&page=1", OfficialDomains: []string{"npmjs.com"}}
	f.Fuzz(func(t *testing.T, query string) {
		got, err := entry.Entry(query)
		if strings.TrimSpace(query) == "" {
			if err != ErrQueryEmpty {
				t.Fatalf("%q: %v", query, err)
			}
			return
		}
		u, parsed := url.Parse(got)
		if err != nil || parsed != nil {
			t.Fatalf("%q: %q, %v, %v", query, got, err, parsed)
		}
		values := u.Query()
		if u.Host != "www.npmjs.com" || u.Fragment != "" || len(values) != 2 || values.Get("q") != strings.TrimSpace(query) || values.Get("page") != "1" {
			t.Fatalf("%q: %q reads as %+v", query, got, values)
		}
	})
}
