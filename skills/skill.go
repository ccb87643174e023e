// Package skills reads SKILL.md files and keeps the index of the skills that a machine has.
//
// A router can only choose what it can read, and a third of the SKILL.md files in the wild break
// the strict rules. So [Parse] is lenient: it repairs what has one sensible reading, says what it
// did as a [Finding], and gives a skill that cannot be used together with the reason, never
// silence. [Index] is the list of skills with one digest; a decision names that digest and can be
// made again from the stored index years later.
//
// The package is pure: bytes in, values out. Finding the files is the work of skills/disk. Text of
// a skill is data by strangers; what tries to instruct its reader is marked [Skill.Flagged].
package skills

// Skill is what the front matter of one SKILL.md says, and what was found out about the file.
// It holds no body: a body is read on activation.
type Skill struct {
	Name         string     `json:"name"`
	Description  string     `json:"description"`
	Version      string     `json:"version,omitempty"`
	License      string     `json:"license,omitempty"`
	Tags         []string   `json:"tags,omitempty"`         // tags, keywords, triggers and category, as written
	Headings     []string   `json:"headings,omitempty"`     // of the body, the first few
	Parameters   []string   `json:"parameters,omitempty"`   // names of what it takes, as declared
	AllowedTools []string   `json:"allowed_tools,omitzero"` // empty: none but the framework's; nil: not declared
	Entrypoint   Entrypoint `json:"entrypoint,omitzero"`
	Redirect     string     `json:"redirect,omitempty"`    // the skill that does its work; it is a stub itself
	ManualOnly   bool       `json:"manual_only,omitempty"` // its author wants it started by name only

	Tier    string `json:"tier,omitempty"` // one of the Tier constants
	Host    string `json:"host,omitempty"` // the agent whose folder it is in
	Path    string `json:"path"`           // folder of the skill
	File    string `json:"file"`           // its SKILL.md
	Trusted bool   `json:"trusted"`        // false in a project folder nobody has vouched for

	Hash     string `json:"hash,omitempty"` // SHA-256 of the file, line ends as LF, no byte order mark
	BodySize int    `json:"body_size,omitempty"`

	Flagged []string `json:"flagged,omitempty"` // phrases that try to instruct the reader
	Usable  bool     `json:"usable"`
	Reason  string   `json:"reason,omitempty"` // why it is not usable
}

// Entrypoint says how a skill is run without a reasoning agent, if it can be.
type Entrypoint struct {
	Type string `json:"type,omitempty"` // exec or cognitive; empty when the skill declares none; else as written, and refused
	Cmd  string `json:"cmd,omitempty"`  // command line or brief, before substitution
}

// The kinds of [Entrypoint].
const (
	EntrypointExec      = "exec"
	EntrypointCognitive = "cognitive"
)

// Tiers say where a skill comes from, and so how far it is preferred.
const (
	TierProject   = "project"
	TierUser      = "user"
	TierPlugin    = "plugin"
	TierAdmin     = "admin"
	TierBuiltin   = "builtin"
	TierConnector = "connector"
	TierRemote    = "remote"
)

// Tiers lists them, the most preferred first.
var Tiers = []string{TierProject, TierUser, TierPlugin, TierAdmin, TierBuiltin, TierConnector, TierRemote}

// TierWeight is the factor by which a tier multiplies a score; an unknown tier weighs 0.8.
func TierWeight(tier string) float64 {
	switch tier {
	case TierProject:
		return 1.00
	case TierUser:
		return 0.96
	case TierPlugin, TierAdmin:
		return 0.92
	case TierBuiltin:
		return 0.90
	case TierRemote:
		return 0.60
	default:
		return 0.80
	}
}

// FullName tells a skill apart from others of the same name: host:tier/name.
func (s Skill) FullName() string { return s.Host + ":" + s.Tier + "/" + s.Name }

// Selectable says whether a router may choose the skill by itself.
func (s Skill) Selectable() bool { return s.Usable && s.Trusted && len(s.Flagged) == 0 }
