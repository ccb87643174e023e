package acquire

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// Shop is where one acquisition does its work: an installation's folder and what it trusts.
type Shop struct {
	Home    string            // the installation's folder
	Run     string            // the acquisition; its folder is named for it
	Env     map[string]string // GITHUB_PROXY
	Trust   Trust
	Mirrors []string
	// Consent says what a person answered about the acquisition, as the log has it; nil: nobody answers.
	Consent func(ctx context.Context) (Consent, error)
	Now     func() time.Time
}

// Consent is a person's answer to the question of an acquisition.
type Consent struct {
	Yes      bool      `json:"yes"`
	By       string    `json:"by"`
	Note     string    `json:"note,omitempty"`
	Question string    `json:"question"` // names the digest of what was asked about
	At       time.Time `json:"at,omitzero"`
}

// Open makes the shop of an acquisition, with the table of trust as it is now.
func Open(home, run string, env map[string]string) (Shop, error) {
	if !filepath.IsLocal(run) || filepath.Base(run) != run {
		return Shop{}, fmt.Errorf("%q names no acquisition", run)
	}
	t, err := LoadTrust(home)
	return Shop{Home: home, Run: run, Env: env, Trust: t, Mirrors: t.Mirrors, Now: time.Now}, err
}

// work is the acquisition's own folder.
func (s Shop) work() string { return filepath.Join(s.Home, "acquire", s.Run) }

// Skills is where an installation keeps the skills it brought in.
func Skills(home string) string { return filepath.Join(home, "skills") }

func diskFault(what string, err error) error {
	return refuse(CodeDisk, "look at the disk, then `baton acquire resume`", "%s: %v", what, err)
}
