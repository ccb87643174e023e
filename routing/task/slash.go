package task

import (
	"slices"
	"strings"
	"unicode"
)

// Activated is a skill called by its slash name. Goal is the text behind the name.
type Activated struct {
	Skill string `json:"skill"`
	Goal  string `json:"goal"`
}

// slash reads /name at the very first byte: lower case, digits and single hyphens, then a blank or
// the end. Whether there is such a skill, and whether it is enabled, is for the caller to see.
func slash(query string, reserved []string) (Activated, bool) {
	rest, ok := strings.CutPrefix(query, "/")
	if !ok {
		return Activated{}, false
	}
	name, goal := rest, ""
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		name, goal = rest[:i], strings.TrimSpace(rest[i:])
	}
	for part := range strings.SplitSeq(name, "-") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return Activated{}, false
		}
	}
	return Activated{name, goal}, !slices.Contains(reserved, name)
}
