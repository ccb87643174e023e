package task

import "fmt"

// Refusal says no to a request, a file of rules or an event of a run. Code is stable; Message says
// what and where, Hint what to do.
type Refusal struct {
	Code    string
	Message string
	Hint    string
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Message + "; " + r.Hint }

// The codes of refusals.
const (
	codeEmptyQuery    = "E_EMPTY_QUERY"
	codeQueryEncoding = "E_QUERY_ENCODING"
	codeModeHint      = "E_MODE_HINT"
	codeContext       = "E_CONTEXT"
	codeData          = "E_TASK_DATA"
	codeAtom          = "E_ATOM_UNKNOWN"
	codeChainOrder    = "E_CHAIN_ORDER"
)

func refuse(code, hint, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// badData refuses a file of rules, atoms or genes.
func badData(file, format string, args ...any) error {
	return refuse(codeData, "mend the file, or remove it", file+": "+format, args...)
}
