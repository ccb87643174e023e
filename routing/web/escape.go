package web

import (
	"cmp"
	"slices"
	"strings"
)

// trackers are the keys of a query that say how somebody came to a page, not which page it is; keys
// that begin with utm_ in any case are too.
var trackers = []string{
	"gclid", "fbclid", "msclkid", "dclid", "yclid", "mc_cid", "mc_eid", "igshid", "spm", "ref_src", "_hsenc", "_hsmi",
}

func isTracker(key string) bool {
	return len(key) >= 4 && strings.EqualFold(key[:4], "utm_") || slices.Contains(trackers, key)
}

const (
	marks      = "-._~"
	pathMarks  = "/!$&'()*+,;=:@"
	queryMarks = pathMarks + "?"
)

func isUnreserved(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte(marks, c) >= 0 }

// normalPath settles the escapes of a path and takes its dot segments away. Double and trailing
// slashes mean something to some servers and stay.
func normalPath(path string) string {
	var out []string
	segments := strings.Split(normalEscapes(strings.TrimPrefix(path, "/"), pathMarks), "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case ".", "..":
			if s == ".." && len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

// normalQuery drops trackers and empty parts and sorts the rest by key; equal keys keep their order.
func normalQuery(query string) string {
	type part struct{ key, text string }
	var parts []part
	for text := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(text, "=")
		if key := unescape(name); text != "" && !isTracker(key) {
			parts = append(parts, part{key, normalEscapes(text, queryMarks)})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.key, b.key) })
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Join(texts, "&")
}

// normalEscapes writes each byte in its one form: bare where it needs no escape or is one of the
// bare marks, else as %XX. An escape of a byte that needs none is undone; a stray % is escaped.
func normalEscapes(s, bare string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if escaped, ok := hexByte(s[i+1:]); ok {
				writeByte(&out, escaped, "")
				i += 2
				continue
			}
		}
		writeByte(&out, c, bare)
	}
	return out.String()
}

// encode escapes everything but letters, digits and the four marks that are never special.
func encode(s string) string {
	var out strings.Builder
	for _, c := range []byte(s) {
		writeByte(&out, c, "")
	}
	return out.String()
}

func writeByte(out *strings.Builder, c byte, bare string) {
	if isUnreserved(c) || strings.IndexByte(bare, c) >= 0 {
		out.WriteByte(c)
		return
	}
	const digits = "0123456789ABCDEF"
	out.Write([]byte{'%', digits[c>>4], digits[c&15]})
}

func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			if c, ok := hexByte(s[i+1:]); ok {
				out.WriteByte(c)
				i += 2
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// hexByte reads the two digits that begin a text.
func hexByte(s string) (byte, bool) {
	if len(s) < 2 {
		return 0, false
	}
	high, ok1 := hexDigit(s[0])
	low, ok2 := hexDigit(s[1])
	return high<<4 | low, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
