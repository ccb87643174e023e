package page

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// base is what every page knows: the language, the theme, the address.
type base struct {
	Lang    string
	Theme   string // light, dark; empty: as the system is
	User    string
	Path    string
	Version string
	Assets  string // changes with them, so that browsers may keep them
	Page    string // which entry of the navigation is lit
	Waiting int    // approvals and dead letters that wait for somebody
	query   url.Values
}

const (
	langCookie  = "baton_lang"
	themeCookie = "baton_theme"
	nameCookie  = "baton_name"
)

func (p *page) baseOf(r *http.Request) base {
	b := base{Lang: language(r), User: p.User, Path: r.URL.Path, Version: p.Version, Assets: fingerprint(), query: r.URL.Query()}
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == "dark" || c.Value == "light") {
		b.Theme = c.Value
	}
	if c, err := r.Cookie(nameCookie); err == nil {
		if name, err := url.QueryUnescape(c.Value); err == nil && name != "" {
			b.User = name
		}
	}
	return b
}

// language is the one that was chosen, else the browser's.
func language(r *http.Request) string {
	if c, err := r.Cookie(langCookie); err == nil {
		if _, ok := tongues[c.Value]; ok {
			return c.Value
		}
	}
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(r.Header.Get("Accept-Language"))), "zh") {
		return "zh"
	}
	return "en"
}

// With is this page's address with parameters changed: pairs of name and value, an empty value takes one
// out.
func (b base) With(pairs ...string) string {
	q := url.Values{}
	for name, values := range b.query {
		q[name] = values
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if q.Del(pairs[i]); pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return b.Path
	}
	return b.Path + "?" + q.Encode()
}

// Toggle is this page's address with a value put into a repeated parameter, or taken out.
func (b base) Toggle(name, value string) string {
	var kept []string
	for _, v := range b.query[name] {
		if v != value {
			kept = append(kept, v)
		}
	}
	q := url.Values{}
	for n, values := range b.query {
		q[n] = values
	}
	if len(kept) == len(b.query[name]) {
		kept = append(kept, value)
	}
	if q[name] = kept; len(kept) == 0 {
		q.Del(name)
	}
	if len(q) == 0 {
		return b.Path
	}
	return b.Path + "?" + q.Encode()
}

// Here is this page's address.
func (b base) Here() string { return b.With() }

// Query is a parameter of this page's address.
func (b base) Query(name string) string { return b.query.Get(name) }

// Chinese says whether the page speaks it.
func (b base) Chinese() bool { return b.Lang == "zh" }

// local keeps to addresses of this page: anything else could lead away.
func local(to, otherwise string) string {
	u, err := url.Parse(to)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return otherwise
	}
	return to
}

// back is where a person came from.
func (r *request) back(otherwise string) string {
	if r.Method == http.MethodPost {
		return local(r.PostFormValue("back"), otherwise)
	}
	return local(r.URL.Query().Get("back"), otherwise)
}

// prefs keeps the language and the theme, and goes back.
func (p *page) prefs(r *request) error {
	for name, allowed := range map[string][]string{langCookie: {"en", "zh"}, themeCookie: {"light", "dark", "auto"}} {
		value := r.URL.Query().Get(strings.TrimPrefix(name, "baton_"))
		for _, a := range allowed {
			if value == a {
				http.SetCookie(r.w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: 365 * 24 * 3600, SameSite: http.SameSiteStrictMode, HttpOnly: true})
			}
		}
	}
	return r.redirect(r.back("/runs"))
}

// fingerprint changes whenever an asset does.
var fingerprint = sync.OnceValue(func() string {
	sum := sha256.New()
	_ = fs.WalkDir(files, "assets", func(path string, d fs.DirEntry, err error) error { // embedded files can be read
		if err == nil && !d.IsDir() {
			raw, _ := files.ReadFile(path)
			sum.Write(raw)
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))[:10]
})

// types says what assets are.
var types = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	raw, err := files.ReadFile("assets/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", types[name[strings.LastIndexByte(name, '.'):]])
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(raw) // who went away misses it
}
