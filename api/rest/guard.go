package rest

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/batonflow/baton/sessions"
)

// policy lets a page load and reach nothing but this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// shield sets the headers of every answer.
func shield(h http.Header) {
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy": "camera=(), microphone=(), geolocation=()", "Cache-Control": "no-store",
	} {
		h.Set(name, value)
	}
}

// guard knows who may come in.
type guard struct {
	token  secret
	others secret // of workers outside
	names  []string
	remote bool
	scheme string
	links  *links
	pass   pass
}

func newGuard(c Config) guard {
	g := guard{token: secretOf(c.Token), others: secretOf(c.Outside), remote: c.Remote, scheme: "http", links: &links{}, pass: newPass(c.Token, c.TLS)}
	if c.TLS {
		g.scheme = "https"
	}
	for _, name := range c.Names {
		g.names = append(g.names, strings.ToLower(name))
	}
	return g
}

// check refuses names and origins that are not this server's: what another page, or a name that was
// bound to this address, makes a browser send.
func (g guard) check(r *http.Request) error {
	if !g.known(r.Host) {
		return refusal(http.StatusMisdirectedRequest, sessions.Refuse(sessions.Refused, "host_refused", "use the address that `baton status` shows, or name the host in http_names",
			"%q is no name of this server", cut(r.Host)))
	}
	if origin := r.Header.Get("Origin"); origin != "" && !g.own(origin, r.Host) {
		return foreign(origin)
	}
	if site := r.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") && !followed(r) {
		return foreign("another origin")
	}
	return nil
}

// followed says whether somebody followed a link to here, which shows the page and nothing to the other.
func followed(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

func foreign(origin string) error {
	return refusal(http.StatusForbidden, sessions.Refuse(sessions.Refused, "origin_refused", "ask from the page that `baton open` shows, or from a program",
		"a page of %s may not ask this server", cut(origin)))
}

// known says whether a Host is this server's: localhost, a loopback address, a name that was given, or
// on more than loopback any address, for an address cannot be bound to another.
func (g guard) known(host string) bool {
	name := strings.ToLower(hostname(host))
	if name == "localhost" || slices.Contains(g.names, name) {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && (g.remote || ip.IsLoopback())
}

func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// own says whether an origin is the one that was asked: a page of this server, under the same name.
func (g guard) own(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == g.scheme && strings.EqualFold(u.Host, host)
}

// admit refuses who shows neither the token nor the cookie, and a cookie alone where something might be
// changed by a page that is not this server's.
func (g guard) admit(r *http.Request) error {
	if text, ok := bearer(r); ok {
		if g.token.is(text) {
			return nil
		}
		return unknown("the token is another one, or opens other doors")
	}
	if !g.pass.shown(r) {
		return unknown("there is no token")
	}
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	if safe || r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") == "same-origin" {
		return nil // a foreign origin was refused before
	}
	return refusal(http.StatusForbidden, sessions.Refuse(sessions.Refused, "origin_missing", "show the token in the Authorization header, or ask from the page",
		"a cookie alone changes nothing: the request does not say which page it comes from"))
}

func bearer(r *http.Request) (string, bool) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return strings.TrimSpace(text), ok
}

// secret is the digest of a token, so that comparing takes the same time whatever is shown.
type secret struct {
	sum [sha256.Size]byte
	set bool
}

func secretOf(token string) secret { return secret{sha256.Sum256([]byte(token)), token != ""} }

func (s secret) is(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], s.sum[:]) == 1 && s.set
}

func unknown(why string) error {
	return refusal(http.StatusUnauthorized, sessions.Refuse(sessions.Refused, "token_missing", "show it as `Authorization: Bearer …`, from the file http-token of the home; for a browser run `baton open`",
		"this server answers nobody it does not know: %s", why))
}

// cut keeps what a stranger sent short.
func cut(text string) string {
	const most = 80
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
