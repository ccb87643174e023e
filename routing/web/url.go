package web

import (
	"strconv"
	"strings"
	"unicode"
)

// Normalise gives the one form of an http or https address that is compared and fetched: case, port,
// dot segments, escapes and the order of the query are settled, trackers and the fragment are gone.
// http and https stay apart, and so do www and the bare domain. The error is a [Fault].
func Normalise(raw string) (string, error) {
	a, err := parse(raw)
	if err != nil {
		return "", err
	}
	return a.String(), nil
}

// Place gives the host and port of an address as they are compared, and whether they lie in a network of
// one's own. The error is a [Fault].
func Place(raw string) (authority string, private bool, err error) {
	a, err := parse(raw)
	if err != nil {
		return "", false, err
	}
	authority = a.host.String()
	if a.port != "" {
		authority += ":" + a.port
	}
	return authority, a.host.private(), nil
}

// address is an http or https URL in its parts, each of them normal.
type address struct {
	scheme string
	host   host
	port   string // empty for the scheme's own
	path   string
	query  string
}

func (a address) String() string {
	var s strings.Builder
	s.WriteString(a.scheme + "://" + a.host.String())
	if a.port != "" {
		s.WriteString(":" + a.port)
	}
	s.WriteString(a.path)
	if a.query != "" {
		s.WriteString("?" + a.query)
	}
	return s.String()
}

// parse reads an address by hand: what a general parser forgives or refuses is not what is wanted of
// text that was found on a page.
func parse(raw string) (address, error) {
	scheme, rest, err := splitScheme(raw)
	if err != nil {
		return address{}, err
	}
	if scheme != "http" && scheme != "https" {
		return address{}, ErrURLScheme
	}
	authority, rest := splitAuthority(rest)
	if strings.Contains(authority, "@") {
		return address{}, ErrURLUserinfo
	}
	name, digits := splitPort(authority)
	port, err := readPort(digits, scheme)
	if err != nil {
		return address{}, err
	}
	h, err := readHost(name)
	if err != nil {
		return address{}, err
	}
	rest, _, _ = strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	return address{scheme: scheme, host: h, port: port, path: normalPath(path), query: normalQuery(query)}, nil
}

// splitScheme takes the scheme off, in lower case.
func splitScheme(raw string) (scheme, rest string, err error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return "", "", ErrURLEmpty
	}
	if strings.ContainsFunc(raw, unicode.IsControl) {
		return "", "", ErrURLControl
	}
	scheme, rest, found := strings.Cut(raw, ":")
	if !found || !isScheme(scheme) {
		return "", "", ErrURLRelative
	}
	return strings.ToLower(scheme), rest, nil
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		switch {
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != ""
}

// splitAuthority takes off what stands between // and the path; without // there is none.
func splitAuthority(rest string) (authority, after string) {
	rest, found := strings.CutPrefix(rest, "//")
	if !found {
		return "", rest
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		return rest[:end], rest[end:]
	}
	return rest, ""
}

// splitPort takes the port off a host, and leaves the colons of a bracketed one alone.
func splitPort(authority string) (name, port string) {
	colon := strings.LastIndexByte(authority, ':')
	if colon < 0 || colon < strings.LastIndexByte(authority, ']') {
		return authority, ""
	}
	return authority[:colon], authority[colon+1:]
}

func readPort(digits, scheme string) (string, error) {
	if digits == "" {
		return "", nil
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || n == 0 {
		return "", ErrURLPort
	}
	if scheme == "http" && n == 80 || scheme == "https" && n == 443 {
		return "", nil
	}
	return strconv.FormatUint(n, 10), nil
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
