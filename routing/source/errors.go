package source

import "strings"

// The codes of what is wrong with a field.
const (
	notJSON      = "E_JSON"
	required     = "E_REQUIRED"
	wrongType    = "E_TYPE"
	notListed    = "E_ENUM"
	goalAsTask   = "E_ENUM_GOAL_MODE_AS_TASK_TYPE"
	emptyText    = "E_EMPTY"
	tooLong      = "E_TOO_LONG"
	outOfRange   = "E_RANGE"
	notADomain   = "E_DOMAIN"
	unknownField = "E_UNKNOWN_FIELD"
)

// Error is one thing that is wrong with a description of a task.
type Error struct {
	Code  string `json:"code"`
	Field string `json:"field"` // with the place in a list: available_sources[2]; "" is the whole
	Want  string `json:"-"`     // what is taken there, in English
}

// Errors are all that is wrong with a description, in the order of the fields.
type Errors []Error

func (e Errors) Error() string {
	var b strings.Builder
	for i, one := range e {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(strings.TrimSpace(one.Code + " " + one.Field))
		b.WriteString(": want " + one.Want)
	}
	return b.String()
}
