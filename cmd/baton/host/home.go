// Package host is what a machine keeps running for Baton: the home folder, the background server and
// its start, the workers. It puts the adapters together; no rule lives here.
//
// Promises: one server a home, however many commands start at once; a token that only its owner can
// read guards it; it stops without losing what it acknowledged.
package host

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream/file"
)

// Home is the folder in which everything of one installation lives.
type Home struct{ Dir string }

// path names a file of the home.
func (h Home) path(parts ...string) string {
	return filepath.Join(append([]string{h.Dir}, parts...)...)
}

// Store is the embedded server's folder.
func (h Home) Store() string { return h.path("store") }

// Anchor is the folder of what the store must still hold.
func (h Home) Anchor() string { return h.path("anchor") }

// Config is the file of what a person has set.
func (h Home) Config() string { return h.path("config.yaml") }

// LogFile takes what a background server says.
func (h Home) LogFile() string { return h.path("server.log") }

// Open makes the folder, for its owner alone.
func (h Home) Open() error {
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return h.unwritable(err)
	}
	probe, err := os.CreateTemp(h.Dir, ".probe-*")
	if err != nil {
		return h.unwritable(err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func (h Home) unwritable(err error) error {
	return sessions.Refuse(sessions.Damaged, "home_unwritable", "make it writable, or name another with --home or BATON_HOME",
		"the home folder %s cannot be written: %v", h.Dir, err)
}

// Endpoint is where a running server is found.
type Endpoint struct {
	PID     int       `json:"pid"`
	Process string    `json:"process"`
	URL     string    `json:"url"`  // of NATS
	HTTP    string    `json:"http"` // of the HTTP API; "" when it has none
	Version string    `json:"version"`
	Started time.Time `json:"started"`
}

// Endpoint reads where the server is. fs.ErrNotExist: none has written it.
func (h Home) Endpoint() (Endpoint, error) {
	var e Endpoint
	raw, err := os.ReadFile(h.path("server.json"))
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, fmt.Errorf("read %s: %w", h.path("server.json"), err)
	}
	return e, nil
}

func (h Home) announce(e Endpoint) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return h.write("server.json", raw)
}

func (h Home) withdraw() error { return os.Remove(h.path("server.json")) }

// write puts a file in place as a whole, for its owner alone.
func (h Home) write(name string, data []byte) error {
	if err := file.Keep(h.path(name), data, 0o600); err != nil {
		return h.unwritable(err)
	}
	return nil
}

// Token is what every connection to the embedded server must show.
func (h Home) Token() (string, error) { return h.token("token") }

// OutsideToken lets a program outside ask for work, and nothing else.
func (h Home) OutsideToken() (string, error) { return h.token(outsideToken) }

const outsideToken = "outside-token"

// HTTPToken is what every request over HTTP must show.
func (h Home) HTTPToken() (string, error) { return h.token("http-token") }

// token reads the secret in a file, which is made once.
func (h Home) token(file string) (string, error) {
	raw, err := os.ReadFile(h.path(file))
	if err == nil && len(raw) >= 32 {
		return strings.TrimSpace(string(raw)), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", h.unwritable(err)
	}
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return "", err
	}
	token := hex.EncodeToString(secret)
	return token, h.write(file, []byte(token+"\n"))
}

// installation is the id of the log that this home made; "" before it made one.
func (h Home) installation() (string, error) {
	raw, err := os.ReadFile(h.path("installation"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(raw)), err
}

// Trusted lists the folders whose project skills a person has vouched for.
func (h Home) Trusted() []string {
	raw, err := os.ReadFile(h.path("trusted"))
	if err != nil {
		return nil // nobody has yet
	}
	return strings.FieldsFunc(string(raw), func(r rune) bool { return r == '\n' })
}

// Declined lists the folders that a person was asked about and did not vouch for.
func (h Home) Declined() []string {
	raw, err := os.ReadFile(h.path("declined"))
	if err != nil {
		return nil // nobody has yet
	}
	return strings.FieldsFunc(string(raw), func(r rune) bool { return r == '\n' })
}

// Decline remembers that a person did not vouch for a folder, so that he is asked once only.
func (h Home) Decline(dir string) error {
	return h.write("declined", []byte(strings.Join(append(h.Declined(), dir), "\n")+"\n"))
}

// Trust vouches for the project skills of a folder and of all below it.
func (h Home) Trust(dir string) error {
	if err := h.Open(); err != nil {
		return err
	}
	known := h.Trusted()
	if slices.Contains(known, dir) {
		return nil
	}
	return h.write("trusted", []byte(strings.Join(append(known, dir), "\n")+"\n"))
}

// lastPort is the port of the server before, which workers outside still know; 0 when there was none.
func (h Home) lastPort() int {
	raw, err := os.ReadFile(h.path("port"))
	if err != nil {
		return 0
	}
	var port int
	if _, err := fmt.Sscanf(string(raw), "%d", &port); err != nil || port < 1 || port > 65535 {
		return 0
	}
	return port
}
