package jetstream

import (
	"crypto/subtle"
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
)

// outsideAccount is the account of programs outside. It holds nothing of its own: no stream, no
// subject of Baton's but those of the service. A reply crosses over to it under a name that the server
// makes up, so that no request can have anything written elsewhere.
const outsideAccount = "BATON_OUTSIDE"

// OfferedSubjects is what programs outside may ask on.
const OfferedSubjects = "call.*"

// guard lets in who shows one of the two tokens: Baton's own processes to everything, programs
// outside to the service alone.
type guard struct {
	own, outside string
	server       *server.Server
}

var _ server.Authentication = (*guard)(nil)

// Check is asked for every connection.
func (g *guard) Check(c server.ClientAuthentication) bool {
	token := c.GetOpts().Token
	switch {
	case same(token, g.own):
		return true
	case g.outside == "" || !same(token, g.outside):
		return false
	}
	account, err := g.server.LookupAccount(outsideAccount)
	if err != nil {
		return false // the server is only starting
	}
	c.RegisterUser(&server.User{Username: "outside", Account: account, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{OfferedSubjects}},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
	}})
	return true
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// open makes the account of programs outside. Only once the server runs: one that has several
// accounts when it starts gives JetStream to none of them unasked.
func (g *guard) open() error {
	if g.outside == "" {
		return nil
	}
	account, _ := g.server.LookupOrRegisterAccount(outsideAccount)
	all := g.server.GlobalAccount()
	if err := all.AddServiceExportWithResponse(OfferedSubjects, server.Streamed, []*server.Account{account}); err != nil {
		return fmt.Errorf("export the service: %w", err)
	}
	if err := account.AddServiceImport(all, OfferedSubjects, OfferedSubjects); err != nil {
		return fmt.Errorf("import the service: %w", err)
	}
	return nil
}
