package web

import "strings"

// Official says which of a site's official domains an address belongs to: over https, at its own
// port, with no user in it, equal to the domain or below it. Whoever follows redirects asks it for
// each hop. The error is a [Fault].
func Official(raw string, domains []string) (string, error) {
	scheme, rest, err := splitScheme(raw)
	switch {
	case err == ErrURLControl:
		return "", err
	case scheme != "https":
		return "", ErrNotHTTPS
	}
	authority, _ := splitAuthority(rest)
	name, digits := splitPort(authority[strings.LastIndexByte(authority, '@')+1:])
	if port, err := readPort(digits, scheme); err != nil || port != "" {
		return "", ErrPort
	}
	if strings.Contains(authority, "@") {
		return "", ErrURLUserinfo
	}
	h, err := readHost(name)
	if err != nil {
		return "", err
	}
	if h.addr.IsValid() {
		return "", ErrIPHost
	}
	for _, d := range domains {
		domain, err := asciiName(d)
		if err == nil && (h.name == domain || strings.HasSuffix(h.name, "."+domain)) {
			return domain, nil
		}
	}
	return "", ErrDomain
}
