package config

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/batonflow/baton/sessions"
)

var (
	// confidential are names of headers whose value nobody else may know.
	confidential = regexp.MustCompile(`(?i)auth|cookie|key|token|secret|password|credential`)
	// reference is what names a secret in place of it.
	reference = regexp.MustCompile(`\$\{(env|file):[^}]+\}`)
)

// checkHeaders refuses a secret that stands in the settings itself, where everybody reads it who is
// shown them.
func checkHeaders(headers map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if confidential.MatchString(name) && !reference.MatchString(headers[name]) {
			return sessions.Refuse(sessions.Usage, "secret_by_value", "name it: ${env:NAME}, or ${file:PATH}", "telemetry.headers.%s holds its secret itself", name)
		}
	}
	return nil
}

// shown is a setting as people may see it: passwords in addresses are left out.
func shown(value any) any {
	if text, ok := value.(string); ok {
		return Redacted(text)
	}
	return value
}

// Redacted takes names and passwords out of the addresses in a list with commas; other text stays.
func Redacted(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	list := strings.Split(text, ",")
	for i, one := range list {
		if u, err := url.Parse(one); err == nil && u.User != nil {
			u.User = url.User("…")
			list[i] = strings.Replace(u.String(), url.PathEscape("…")+"@", "…@", 1)
		}
	}
	return strings.Join(list, ",")
}
