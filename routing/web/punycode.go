package web

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The parameters of punycode (RFC 3492, section 5).
const (
	punyBase    = 36
	punyMin     = 1
	punyMax     = 26
	punySkew    = 38
	punyDamp    = 700
	punyBias    = 72
	punyInitial = utf8.RuneSelf
)

// punycode writes a label in ASCII (RFC 3492): its ASCII characters first, then where the others go.
func punycode(label string) string {
	var out strings.Builder
	runes := []rune(label)
	for _, r := range runes {
		if r < punyInitial {
			out.WriteRune(r)
		}
	}
	basic := out.Len()
	if basic > 0 {
		out.WriteByte('-')
	}
	code, delta, bias := rune(punyInitial), 0, punyBias
	for done := basic; done < len(runes); {
		next := nextRune(runes, code)
		delta += int(next-code) * (done + 1)
		for _, r := range runes {
			if r < next {
				delta++
			}
			if r == next {
				writeDelta(&out, delta, bias)
				bias = adapt(delta, done+1, done == basic)
				delta = 0
				done++
			}
		}
		code = next + 1
		delta++
	}
	return out.String()
}

// nextRune is the smallest character that is not below code.
func nextRune(runes []rune, code rune) rune {
	rest := slices.DeleteFunc(slices.Clone(runes), func(r rune) bool { return r < code })
	return slices.Min(rest)
}

func writeDelta(out *strings.Builder, delta, bias int) {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for k := punyBase; ; k += punyBase {
		threshold := min(max(k-bias, punyMin), punyMax)
		if delta < threshold {
			out.WriteByte(digits[delta])
			return
		}
		over := delta - threshold
		out.WriteByte(digits[threshold+over%(punyBase-threshold)])
		delta = over / (punyBase - threshold)
	}
}

func adapt(delta, points int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > (punyBase-punyMin)*punyMax/2; k += punyBase {
		delta /= punyBase - punyMin
	}
	return k + (punyBase-punyMin+1)*delta/(delta+punySkew)
}
