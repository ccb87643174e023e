package audit

import (
	"regexp"
	"sync"
)

// lazy is a pattern that is compiled when it is first used, since most commands audit nothing and there
// are dozens of them.
type lazy struct{ regex func() *regexp.Regexp }

func lazily(pattern string) *lazy {
	return &lazy{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
}

func (l *lazy) MatchString(s string) bool { return l.regex().MatchString(s) }

func (l *lazy) FindStringIndex(s string) []int { return l.regex().FindStringIndex(s) }

func (l *lazy) FindStringSubmatch(s string) []string { return l.regex().FindStringSubmatch(s) }

func (l *lazy) FindAllString(s string, n int) []string { return l.regex().FindAllString(s, n) }

func (l *lazy) FindAllStringIndex(s string, n int) [][]int { return l.regex().FindAllStringIndex(s, n) }

func (l *lazy) FindAllStringSubmatch(s string, n int) [][]string {
	return l.regex().FindAllStringSubmatch(s, n)
}

func (l *lazy) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return l.regex().FindAllStringSubmatchIndex(s, n)
}

func (l *lazy) ReplaceAllString(s, with string) string { return l.regex().ReplaceAllString(s, with) }

func (l *lazy) ReplaceAllStringFunc(s string, with func(string) string) string {
	return l.regex().ReplaceAllStringFunc(s, with)
}
