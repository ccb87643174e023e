package operation

import (
	"net/http"

	"github.com/batonflow/baton/sessions"
)

// statuses give each kind of refusal its status over HTTP, and a title.
var statuses = map[sessions.Kind]struct {
	code  int
	title string
}{
	sessions.Usage:       {http.StatusBadRequest, "a value is not right"},
	sessions.NotFound:    {http.StatusNotFound, "there is no such thing"},
	sessions.Conflict:    {http.StatusConflict, "it is closed or decided already, or was changed meanwhile"},
	sessions.Waits:       {http.StatusConflict, "a person must confirm"},
	sessions.Refused:     {http.StatusForbidden, "refused"},
	sessions.Unreachable: {http.StatusServiceUnavailable, "the store is out of reach"},
	sessions.Damaged:     {http.StatusInternalServerError, "the store is full or damaged"},
	sessions.Unverified:  {http.StatusUnprocessableEntity, "a replay or an audit differs"},
	sessions.Failed:      {http.StatusUnprocessableEntity, "it did not work"},
}

// Status is how a refusal is told over HTTP; an "internal" one has nobody to blame but Baton.
func Status(r *sessions.Refusal) (code int, title string) {
	of, known := statuses[r.Kind]
	if !known || r.Code == "internal" {
		return http.StatusInternalServerError, statuses[sessions.Failed].title
	}
	return of.code, of.title
}
