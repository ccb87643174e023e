package host

import (
	"fmt"
	"os"
	"strings"

	"github.com/batonflow/baton/workflows/template"
)

// maxSecret bounds what is read of a file that a reference names.
const maxSecret = 64 << 10

// secret looks up what a template names by reference: a variable of this process, or a file.
func (o Options) secret(kind, name string) (string, error) {
	if kind == template.FromEnv {
		value, ok := o.Env[name]
		if !ok {
			return "", fmt.Errorf("the worker has no variable %s; start it with one", name)
		}
		return value, nil
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("secret in %s: %w", name, err)
	}
	if len(raw) > maxSecret {
		return "", fmt.Errorf("secret in %s has %d bytes, the limit is %d", name, len(raw), maxSecret)
	}
	return strings.TrimRight(string(raw), "\n"), nil
}
