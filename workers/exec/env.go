package exec

import (
	"slices"
	"strings"
)

// allowed names the variables that programs are given from where a run was typed, and allowedPrefixes
// the families of such.
var (
	allowed = []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "NO_COLOR",
		"LANG", "LANGUAGE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
		"CLAUDE_CONFIG_DIR", "CODEX_HOME",
	}
	allowedPrefixes = []string{"LC_", "XDG_"}
	secretWords     = []string{"KEY", "SECRET", "TOKEN", "PASS", "CREDENTIAL", "DSN"}
)

// AllowedEnv picks from an environment ("name=value" each) what a program may see without being
// asked for: where things are, who the user is, language and time zone. Names that speak of a secret
// are left out whatever their family; a template that needs one names it.
func AllowedEnv(environ []string) map[string]string {
	env := make(map[string]string)
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		if ok && isAllowed(name) {
			env[name] = value
		}
	}
	return env
}

func isAllowed(name string) bool {
	contains := func(word string) bool { return strings.Contains(strings.ToUpper(name), word) }
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return !slices.ContainsFunc(secretWords, contains) &&
		(slices.Contains(allowed, name) || slices.ContainsFunc(allowedPrefixes, begins))
}

// list writes an environment as the system wants it, in a steady order.
func list(env map[string]string) []string {
	entries := make([]string, 0, len(env))
	for name, value := range env {
		entries = append(entries, name+"="+value)
	}
	slices.Sort(entries)
	return entries
}
