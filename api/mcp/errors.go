package mcp

import "github.com/batonflow/baton/sessions"

// errNobody says that a question was left open.
func errNobody(run string) error {
	return sessions.Refuse(sessions.Waits, "nobody_answered", "ask the person again, or leave it to `baton workflow approve`", "nobody has answered what run %s asks", run)
}
