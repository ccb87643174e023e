package jetstream

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// Service is what Baton offers to programs outside that speak plain NATS: request and reply, one JSON
// document each way, listed by `nats micro`.
type Service struct {
	Name        string
	Version     string // semantic
	Description string
	Endpoints   []Endpoint
}

// Endpoint is one request that may be made. Who answers it may take its time: every request is
// answered in a goroutine of its own.
type Endpoint struct {
	Name    string
	Subject string
	Meaning string
	Answer  func(ctx context.Context, request []byte) Offered
}

// Offered is what comes back. Code is empty for an answer; for a refusal it is the stable code, Why
// says in words what the body says to programs, and both stand in the service's error headers.
type Offered struct {
	Body []byte
	Code string
	Why  string
}

const (
	serviceGroup = "baton" // those who offer the same thing share its requests
	meaningKey   = "meaning"
)

// Offer serves the endpoints until ctx is done; it returns once it is listening.
func (s *Store) Offer(ctx context.Context, o Service) error {
	service, err := micro.AddService(s.nc, micro.Config{Name: o.Name, Version: o.Version, Description: o.Description, QueueGroup: serviceGroup})
	if err != nil {
		return fmt.Errorf("offer service %s: %w", o.Name, err)
	}
	for _, e := range o.Endpoints {
		err := service.AddEndpoint(e.Name, micro.HandlerFunc(func(r micro.Request) { go s.offered(ctx, e, r) }),
			micro.WithEndpointSubject(e.Subject), micro.WithEndpointMetadata(map[string]string{meaningKey: e.Meaning}))
		if err != nil {
			_ = service.Stop() // the error that came first says more
			return fmt.Errorf("offer %s: %w", e.Subject, err)
		}
	}
	context.AfterFunc(ctx, func() { _ = service.Stop() }) // fails only when the connection has ended already
	flush, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	if err := s.nc.FlushWithContext(flush); err != nil {
		return failed("offer service "+o.Name, err)
	}
	return nil
}

func (s *Store) offered(ctx context.Context, e Endpoint, r micro.Request) {
	to := r.Reply()
	if !isInbox(to) {
		return
	}
	got := e.Answer(ctx, r.Data())
	header := nats.Header{}
	if got.Code != "" {
		header.Set(micro.ErrorCodeHeader, got.Code)
		header.Set(micro.ErrorHeader, oneLine(got.Why))
	}
	// Who asked is told nothing when this fails, and asks again when its time is over.
	_ = respondIn(s.nc, to, header, got.Body)
}

// isInbox says whether a reply may go there. Whoever may ask could name any other subject too, the
// log's for one, and would have it written with our rights.
func isInbox(subject string) bool {
	return strings.HasPrefix(subject, "_INBOX") || strings.HasPrefix(subject, "_R_.") // of another account
}

// oneLine keeps a text from breaking a header.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}
