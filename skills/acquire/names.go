package acquire

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// names are those of a package's entries so far, as any file system would take them.
type names struct {
	exact  map[string]bool
	folded map[string]string // folded name: as it was written
	files  map[string]bool   // folded names that are files
	dirs   map[string]bool   // folded names that have something below them
	fold   cases.Caser
}

func newNames() *names {
	return &names{exact: map[string]bool{}, folded: map[string]string{}, files: map[string]bool{}, dirs: map[string]bool{}, fold: cases.Fold()}
}

// take accepts a name, or refuses it with what is wrong.
func (n *names) take(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	folder := strings.HasSuffix(name, "/")
	clean := path.Clean(name)
	key := n.key(clean)
	switch before, ok := n.folded[key]; {
	case n.exact[clean]:
		return bad("package_duplicate", "%q is in it twice", short(clean))
	case !folder && n.dirs[key]:
		return bad("package_duplicate", "%q is a file and a folder", short(clean))
	case !ok || before == clean:
	case strings.EqualFold(before, clean):
		return bad("package_case", "%q and %q differ in letter case only", short(before), short(clean))
	default:
		return bad("package_unicode", "%q and %q are one name in another spelling", short(before), short(clean))
	}
	n.exact[clean], n.folded[key], n.files[key] = true, clean, !folder
	for dir := path.Dir(clean); dir != "."; dir = path.Dir(dir) {
		above := n.key(dir)
		if n.files[above] {
			return bad("package_duplicate", "%q is a file and a folder", short(dir))
		}
		if before, ok := n.folded[above]; ok && before != dir {
			return bad("package_case", "%q and %q differ in letter case only", short(before), short(dir))
		}
		n.dirs[above], n.folded[above] = true, dir
	}
	return nil
}

func (n *names) key(name string) string {
	return norm.NFKC.String(n.fold.String(norm.NFKC.String(name)))
}

// checkName refuses a name that does not stay below its root on every system, or hides what it is.
func checkName(name string) error {
	clean := strings.TrimSuffix(name, "/")
	switch {
	case name == "" || clean == "":
		return bad("package_odd", "an entry has no name")
	case !utf8.ValidString(name):
		return bad("package_encoding", "the name %q is no UTF-8", short(name))
	case strings.ContainsFunc(name, invisible):
		return bad("package_characters", "the name %q has characters that do not show, or turn it round", short(name))
	case strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\`) || strings.HasPrefix(name, "~"):
		return bad("package_absolute", "%q is absolute", short(name))
	case len(name) > 1 && name[1] == ':' || strings.Contains(name, ":"):
		return bad("package_drive", "%q names a drive or a stream", short(name))
	case strings.Contains(name, `\`):
		return bad("package_backslash", "%q has a backslash", short(name))
	case len(name) > MaxPath:
		return bad("package_path_long", "the name %q has %d bytes, at most %d are taken", short(name), len(name), MaxPath)
	}
	parts := strings.Split(clean, "/")
	if len(parts) > MaxDepth {
		return bad("package_depth", "%q lies %d folders deep, at most %d are taken", short(name), len(parts), MaxDepth)
	}
	for _, part := range parts {
		if err := checkPart(part, name); err != nil {
			return err
		}
	}
	return nil
}

func checkPart(part, name string) error {
	base, _, _ := strings.Cut(strings.ToUpper(part), ".")
	switch {
	case part == "..":
		return bad("package_parent", "%q leads upwards", short(name))
	case part == "" || part == ".":
		return bad("package_odd", "%q has an empty part", short(name))
	case strings.HasSuffix(part, " ") || strings.HasSuffix(part, ".") || strings.HasPrefix(part, " "):
		return bad("package_odd", "a part of %q begins or ends with a blank or a dot", short(name))
	case strings.ContainsAny(part, `<>"|?*`):
		return bad("package_odd", "%q has a character that not every system takes", short(name))
	case devices[base]:
		return bad("package_reserved", "%q is the name of a device on some systems", short(name))
	case len(part) > 200:
		return bad("package_path_long", "a part of %q is longer than 200 bytes", short(name))
	}
	return nil
}

var devices = map[string]bool{
	"CON": true, "PRN": true, "AUX": true, "NUL": true, "CLOCK$": true,
	"COM1": true, "COM2": true, "COM3": true, "COM4": true, "LPT1": true, "LPT2": true, "LPT3": true,
}

// invisible says whether a character has no place in a name: control and formatting characters, those
// that change the direction of text, and blanks other than the usual one.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp) || r != ' ' && unicode.Is(unicode.Zs, r)
}
