package skills

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The Agent Skills specification's limits.
const (
	maxName        = 64
	maxDescription = 1024
)

var (
	kebab     = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lo}\p{N}]+)*$`)
	zeroWidth = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "")
)

// reader takes the fields of a skill out of a mapping and notes what is wrong with them.
type reader struct {
	mapping
	skill Skill
	found []Finding
}

func (r *reader) fields() {
	r.name()
	r.description()
	r.version()
	r.skill.License = r.text("license")
	r.skill.Tags = r.tags()
	r.skill.Parameters = r.parameters()
	r.skill.AllowedTools = tools(r.values["allowed-tools"])
	r.skill.ManualOnly = r.text("disable-model-invocation") == "true"
	r.entrypoint()
	if r.skill.Redirect = r.text("redirect"); r.skill.Redirect == "" {
		r.skill.Redirect = strings.TrimSpace(scalar(child(r.values["metadata"], "redirect")))
	}
}

func (r *reader) fault(code string, n *yaml.Node, message string) {
	line := 0
	if n != nil {
		line = r.line(n)
	}
	r.found = append(r.found, fault(code, line, message))
}

func (r *reader) warn(code string, n *yaml.Node, message string) {
	r.found = append(r.found, warning(code, r.line(n), message))
}

// text is a scalar field that belongs on one line; what continues it is not part of it.
func (r *reader) text(key string) string {
	n := r.values[key]
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	first, continued := r.firstLine(n)
	if continued {
		r.warn(CodeScalarContinued, n, "the value of "+key+" goes on over the next line, which is not read as part of it")
	}
	return strings.TrimSpace(first)
}

// name falls back to the folder's name, since a skill without a name can still be called by one.
func (r *reader) name() {
	folder := r.skill.Name
	n := r.values["name"]
	name := r.text("name")
	if name == "" {
		r.fault(CodeNameMissing, n, "there is no name; the folder's is used")
		return
	}
	if n.Tag != "!!str" {
		r.fault(CodeNameType, n, "the name is not text; put it in quotes")
	}
	written := name
	if name = zeroWidth.Replace(name); name != written {
		r.warn(CodeZeroWidth, n, "the name holds invisible characters, which are left out")
	}
	if !kebab.MatchString(written) {
		r.fault(CodeNameFormat, n, "a name is lower-case letters, digits and single hyphens")
	}
	if len([]rune(name)) > maxName {
		r.fault(CodeNameLength, n, "a name has at most 64 characters")
	}
	if !speakable(name) { // the folder's stays: a name goes into paths, commands and terminals
		return
	}
	if mixed(name) {
		r.warn(CodeNameLookalike, n, "the name mixes letters of scripts that look alike, so it is never chosen by itself")
		r.skill.Flagged = append(r.skill.Flagged, "its name mixes scripts that look alike")
	}
	r.skill.Name = name
	if name != folder && n.Tag == "!!str" {
		r.warn(CodeNameFolder, n, "the name differs from the folder's, "+folder)
	}
}

func (r *reader) description() {
	n := r.values["description"]
	text := ""
	if n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		text = n.Value
	}
	if n != nil && n.Kind == yaml.SequenceNode {
		r.fault(CodeDescType, n, "the description is a list; its lines are joined")
		text = strings.Join(list(n), " ")
	}
	if text == "" {
		text = scalar(r.values["description_zh"])
	}
	text = strings.TrimSpace(text)
	if clean := zeroWidth.Replace(text); clean != text {
		r.warn(CodeZeroWidth, n, "the description holds invisible characters, which are left out")
		text = clean
	}
	if text == "" {
		r.fault(CodeDescMissing, n, "there is no description; say what the skill does and when to use it")
	}
	if len([]rune(text)) > maxDescription {
		r.fault(CodeDescLength, n, "a description has at most 1,024 characters")
	}
	r.skill.Description = text
}

// version keeps the characters as written: 1.10 is not 1.1.
func (r *reader) version() {
	r.skill.Version = r.text("version")
	n := r.values["version"]
	if n == nil {
		r.skill.Version = scalar(child(r.values["metadata"], "version"))
		return
	}
	if n.Tag == "!!float" || n.Tag == "!!int" {
		r.warn(CodeVersionNumber, n, "the version is a number to YAML; put it in quotes")
	}
}

// tagKeys are the fields that hold words a skill wants to be found by.
var tagKeys = []string{"tags", "keywords", "triggers", "trigger", "category", "xiaping_trigger", "xiaping_tags", "xiaping_category"}

func (r *reader) tags() []string {
	var out []string
	for _, from := range []*yaml.Node{nil, r.values["metadata"]} {
		for _, key := range tagKeys {
			n := r.values[key]
			if from != nil {
				n = child(from, key)
			}
			for _, tag := range list(n) {
				if !slices.Contains(out, tag) {
					out = append(out, tag)
				}
			}
		}
	}
	return out
}

func (r *reader) entrypoint() {
	field := func(key string) *yaml.Node {
		if n := r.values[key]; n != nil {
			return n
		}
		return child(r.values["metadata"], key)
	}
	kind, cmd := field("entrypoint_type"), strings.TrimSpace(scalar(field("entrypoint_cmd")))
	switch scalar(kind) {
	case "":
		if bare := field("entrypoint"); bare != nil {
			r.warn(CodeEntrypointUntyped, bare, "an entrypoint without entrypoint_type is not run")
		}
	case "exec":
		if cmd == "" {
			r.fault(CodeEntrypointCmd, kind, "an entrypoint of type exec needs entrypoint_cmd")
		}
		r.skill.Entrypoint = Entrypoint{Type: EntrypointExec, Cmd: cmd}
	case "cognitive", "cognitive-atom":
		r.skill.Entrypoint = Entrypoint{Type: EntrypointCognitive, Cmd: cmd}
	default:
		r.fault(CodeEntrypointType, kind, "entrypoint_type is exec or cognitive")
		r.skill.Entrypoint = Entrypoint{Type: scalar(kind), Cmd: cmd} // a call of it says so
	}
}

func scalar(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// list reads a list of words however it was written: a YAML list, or text with commas between.
func list(n *yaml.Node) []string {
	out := []string(nil)
	if n == nil {
		return nil
	}
	if n.Kind == yaml.SequenceNode {
		out = []string{}
		for _, item := range n.Content {
			if text := strings.TrimSpace(scalar(item)); text != "" {
				out = append(out, text)
			}
		}
		return out
	}
	for part := range strings.FieldsFuncSeq(scalar(n), func(c rune) bool { return strings.ContainsRune(",，、;；\n", c) }) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
