package disk

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/batonflow/baton/routing/table"
	"github.com/batonflow/baton/skills"
)

//go:embed hosts.yaml
var hostsFile []byte

// Host says where one agent keeps skills, by level. Paths are patterns as hosts.yaml explains.
type Host struct {
	Host      string   `yaml:"host"`
	User      []string `yaml:"user"`
	Project   []string `yaml:"project"`
	Plugin    []string `yaml:"plugin"`
	Connector []string `yaml:"connector"`
	Builtin   []string `yaml:"builtin"`
	Admin     []string `yaml:"admin"`

	Reads     []string         `yaml:"reads"` // hosts whose folders it reads too
	Catalogue skills.Catalogue `yaml:"catalogue"`
}

// Hosts is the embedded table of hosts.
func Hosts() ([]Host, error) { return ReadHosts(hostsFile) }

// ReadHosts reads a table of hosts in YAML; an unknown field is an error.
func ReadHosts(file []byte) ([]Host, error) {
	hosts, err := table.Strict[[]Host](file)
	if err != nil {
		return nil, fmt.Errorf("read the table of hosts: %w", err)
	}
	return hosts, nil
}

// Budgets says for every host that sees skills how many of them fit its catalogue; window is its model's
// context in tokens. Skills that a person added or named by BATON_SKILLS_PATH are seen by Baton alone.
func Budgets(x skills.Index, window int) ([]skills.Budget, error) {
	hosts, err := Hosts()
	if err != nil {
		return nil, err
	}
	out := []skills.Budget{}
	for _, h := range hosts {
		if b := skills.Weigh(x, h.Host, append([]string{h.Host}, h.Reads...), h.Catalogue, window); b.Skills > 0 {
			out = append(out, b)
		}
	}
	return out, nil
}

// expand turns a pattern into a path pattern of this machine; false when it needs a variable that
// is not set, or a home that is not known.
func (p Places) expand(pattern string) (string, bool) {
	if rest, ok := strings.CutPrefix(pattern, "${"); ok {
		inner, tail, _ := strings.Cut(rest, "}")
		name, fallback, _ := strings.Cut(inner, ":-")
		if value := p.Env[name]; value != "" {
			return filepath.Join(value, tail), filepath.IsAbs(value)
		}
		if fallback == "" {
			return "", false
		}
		pattern = fallback + tail
	}
	if rest, ok := strings.CutPrefix(pattern, "~"); ok {
		return filepath.Join(p.Home, rest), p.Home != ""
	}
	return filepath.Join(p.Machine, pattern), p.Machine != "" || filepath.IsAbs(pattern)
}

// UserFolder is the first folder in which a host keeps a person's own skills; false for a host that is
// not in the table, or needs what is not set.
func (p Places) UserFolder(host string) (string, bool) {
	hosts, err := Hosts()
	if err != nil {
		return "", false
	}
	for _, h := range hosts {
		if h.Host == host && len(h.User) > 0 {
			return p.expand(h.User[0])
		}
	}
	return "", false
}
