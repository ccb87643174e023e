package rest

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/batonflow/baton/sessions"
)

const (
	linkPath  = "/open"
	linkLasts = 2 * time.Minute
	mostLinks = 32 // that nobody has used yet
	passLasts = 30 * 24 * time.Hour
)

// links are one-time codes: each opens the door once, soon.
type links struct {
	mu    sync.Mutex
	codes []code
}

type code struct {
	sum   [sha256.Size]byte
	until time.Time
}

// Link gives the path of a link that lets one browser in, once, and until when.
func (s *Server) Link() (path string, until time.Time) {
	secret := rand.Text()
	until = time.Now().Add(linkLasts)
	s.guard.links.add(code{sha256.Sum256([]byte(secret)), until})
	return linkPath + "?code=" + secret, until
}

func (l *links) add(c code) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.codes = append(l.codes, c)
	l.codes = l.codes[max(0, len(l.codes)-mostLinks):]
}

// use says whether a code opens the door, and makes it open nothing any more.
func (l *links) use(secret string, now time.Time) bool {
	sum := sha256.Sum256([]byte(secret))
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, c := range l.codes {
		if hmac.Equal(c.sum[:], sum[:]) {
			l.codes = append(l.codes[:i:i], l.codes[i+1:]...)
			return now.Before(c.until)
		}
	}
	return false
}

// entered leads on to the page by itself: a redirect from a link in another program would come without
// the cookie.
const entered = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>Baton</title><p><a href="/">Baton</a></p>
`

// enter takes a one-time link and gives the browser its cookie.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		refuse(w, r, refusal(http.StatusMethodNotAllowed, sessions.Refuse(sessions.Usage, "method_refused", "follow the link", "a link is followed, nothing is sent to it")))
		return
	}
	if strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") || !s.guard.links.use(r.URL.Query().Get("code"), time.Now()) {
		refuse(w, r, refusal(http.StatusUnauthorized, sessions.Refuse(sessions.Refused, "link_used", "make another one with `baton open`", "the link was used already, or is too old")))
		return
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.SetCookie(w, s.guard.pass.cookie(time.Now().Add(passLasts)))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, entered)
}

// pass makes and knows cookies. They are signed with a key that follows from the token, so that they
// outlive the server, end with the token, and do not give it away.
type pass struct {
	name   string
	key    []byte
	secure bool
}

func newPass(token string, secure bool) pass {
	derive := func(what string) []byte {
		mac := hmac.New(sha256.New, []byte(token))
		mac.Write([]byte(what))
		return mac.Sum(nil)
	}
	return pass{name: "baton_" + hex.EncodeToString(derive("name"))[:12], key: derive("cookie"), secure: secure}
}

func (p pass) cookie(until time.Time) *http.Cookie {
	stamp := binary.BigEndian.AppendUint64(nil, uint64(until.Unix()))
	return &http.Cookie{
		Name: p.name, Value: base64.RawURLEncoding.EncodeToString(append(stamp, p.sign(stamp)...)), Path: "/",
		Expires: until, HttpOnly: true, Secure: p.secure, SameSite: http.SameSiteStrictMode,
	}
}

func (p pass) sign(stamp []byte) []byte {
	mac := hmac.New(sha256.New, p.key)
	mac.Write(stamp)
	return mac.Sum(nil)
}

// shown says whether a request brings a cookie of this installation that still counts.
func (p pass) shown(r *http.Request) bool {
	for _, c := range r.CookiesNamed(p.name) {
		raw, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(c.Value))
		if err != nil || len(raw) != 8+sha256.Size {
			continue
		}
		until := time.Unix(int64(binary.BigEndian.Uint64(raw)), 0)
		if hmac.Equal(p.sign(raw[:8]), raw[8:]) && time.Now().Before(until) {
			return true
		}
	}
	return false
}
