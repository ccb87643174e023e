package skills

import (
	"strings"
	"unicode"
)

// longestName bounds a name that is used as it stands, whatever the rules say of it.
const longestName = 200

// speakable says that a name can be said on a command line and shown on a terminal without harm: it
// is no path, moves no cursor and changes no reading direction.
func speakable(name string) bool {
	if name == "" || name[0] == '.' || name[0] == '-' || len(name) > longestName {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || r == ':' || r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
	})
}

// folderName makes a name of a folder that is speakable in any case.
func folderName(folder string) string {
	name := strings.Map(func(r rune) rune {
		if speakable("x" + string(r)) {
			return r
		}
		return '_'
	}, folder)
	if !speakable(name) {
		name = "_" + shorten(name, longestName/4)
	}
	return name
}
