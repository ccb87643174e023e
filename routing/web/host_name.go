package web

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Longest that the name system takes, in bytes.
const (
	maxName  = 253
	maxLabel = 63
)

// host is a name in its ASCII form, or an address if the name is one.
type host struct {
	name string
	addr netip.Addr
}

func (h host) String() string {
	switch {
	case !h.addr.IsValid():
		return h.name
	case h.addr.Is6():
		return "[" + h.addr.String() + "]"
	}
	return h.addr.String()
}

// private says whether the host is this machine or lies in a network that is not the public one.
func (h host) private() bool {
	if h.addr.IsValid() {
		return PrivateAddr(h.addr)
	}
	for _, own := range []string{"localhost", "local", "internal", "home.arpa"} {
		if h.name == own || strings.HasSuffix(h.name, "."+own) {
			return true
		}
	}
	return false
}

// PrivateAddr says whether an address is no public one: of this machine, of a private network or
// link, of a carrier's own network, or of nobody. Whoever connects asks it again for the address that
// a name led to.
func PrivateAddr(addr netip.Addr) bool {
	addr = addr.Unmap()
	return !addr.IsGlobalUnicast() || addr.IsPrivate() || carriers.Contains(addr) || thisNetwork.Contains(addr) || isMapped(addr)
}

var (
	carriers    = netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10)
	thisNetwork = netip.PrefixFrom(netip.AddrFrom4([4]byte{}), 8)
	translated  = netip.PrefixFrom(netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b}), 96)
)

// isMapped says whether an IPv6 address is a way of writing a private IPv4 one.
func isMapped(addr netip.Addr) bool {
	if !translated.Contains(addr) {
		return false
	}
	b := addr.As16()
	return PrivateAddr(netip.AddrFrom4([4]byte(b[12:])))
}

// readHost gives a host its one form: lower case, ASCII, no trailing dot; addresses in their usual
// spelling, however they were written.
func readHost(text string) (host, error) {
	if inner, ok := strings.CutPrefix(text, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if !closed || err != nil || !addr.Is6() || addr.Zone() != "" {
			return host{}, ErrURLHost
		}
		return host{addr: addr}, nil
	}
	name, err := asciiName(text)
	if err != nil {
		return host{}, err
	}
	if !endsInNumber(name) {
		return host{name: name}, nil
	}
	addr, ok := readIPv4(name)
	if !ok {
		return host{}, ErrURLHost
	}
	return host{addr: addr}, nil
}

// asciiName gives the form in which a domain is looked up: mapped as browsers do (case, width,
// compatibility; invisible characters dropped), each foreign label as punycode.
func asciiName(text string) (string, error) {
	if len(text) > 4*maxName {
		return "", ErrURLHost
	}
	mapped := mapName(text)
	mapped = strings.TrimSuffix(mapped, ".")
	labels := strings.Split(mapped, ".")
	for i, label := range labels {
		ascii, ok := asciiLabel(label)
		if !ok {
			return "", ErrURLHost
		}
		labels[i] = ascii
	}
	name := strings.Join(labels, ".")
	if len(name) > maxName {
		return "", ErrURLHost
	}
	return name, nil
}

func mapName(text string) string {
	lower := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "İ", "i\u0307")) }
	text = lower(norm.NFKC.String(lower(text)))
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '。':
			return '.'
		case r == '\u00ad', r == '\u200b', r == '\u2060', r == '\ufeff', '\ufe00' <= r && r <= '\ufe0f':
			return -1
		}
		return r
	}, text)
	return norm.NFC.String(text)
}

// asciiLabel encodes one label; false when it has a character that no name has.
func asciiLabel(label string) (string, bool) {
	foreign := false
	for i, r := range label {
		switch {
		case r < utf8.RuneSelf:
			if c := byte(r); !isLetter(c) && !isDigit(c) && c != '-' && c != '_' {
				return "", false
			}
		case r == unicode.ReplacementChar, i == 0 && unicode.IsMark(r):
			return "", false
		case unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S):
			foreign = true
		default:
			return "", false
		}
	}
	if foreign {
		if strings.HasPrefix(label, "xn--") {
			return "", false
		}
		label = "xn--" + punycode(label)
	}
	return label, label != "" && len(label) <= maxLabel
}

// endsInNumber says whether a name is to be read as an address: its last label is a number.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	_, ok := readNumber(last)
	return ok || strings.Trim(last, "0123456789") == ""
}

// readIPv4 reads an address in any of the spellings that reach one: fewer than four parts, octal and
// hexadecimal parts.
func readIPv4(name string) (netip.Addr, bool) {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, ok := readNumber(part)
		if !ok {
			return netip.Addr{}, false
		}
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts)) // the last part fills what is left
		}
		if n >= 1<<bits {
			return netip.Addr{}, false
		}
		value = value<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

func readNumber(part string) (uint64, bool) {
	base, digits := 10, part
	switch {
	case strings.HasPrefix(part, "0x"):
		base, digits = 16, part[2:]
	case len(part) > 1 && part[0] == '0':
		base, digits = 8, part[1:]
	}
	if base == 16 && digits == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(digits, base, 40)
	return n, err == nil
}
