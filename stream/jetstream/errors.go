package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
)

// Codes of the server that mean something to Baton.
const (
	codeResources     jetstream.ErrorCode = 10023 // the store's limit is met
	codeMemoryFull    jetstream.ErrorCode = 10028
	codeStorageFull   jetstream.ErrorCode = 10047
	codeWrongSequence jetstream.ErrorCode = 10071 // somebody else's message came first
	codeStoreFailed   jetstream.ErrorCode = 10077 // the stream's limit is met
	codeNotReady      jetstream.ErrorCode = 10163 // expectations cannot be checked for now
	codeInFlight      jetstream.ErrorCode = 10164 // another message for the subject is under way
)

// errInFlight says that nothing was stored, and that the expectation may yet hold.
var errInFlight = errors.New("another message is under way")

// failed says what was being done and, where it is known, which of the port's errors it is.
func failed(doing string, err error) error {
	if kind := kindOf(err); kind != nil {
		return fmt.Errorf("%s: %w: %w", doing, kind, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// kindOf tells the port's error for an error of NATS, nil for one that is neither.
func kindOf(err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return kindOfCode(api)
	}
	for _, away := range unreachable {
		if errors.Is(err, away) {
			return stream.ErrUnavailable
		}
	}
	return nil
}

func kindOfCode(api *jetstream.APIError) error {
	switch api.ErrorCode {
	case codeWrongSequence:
		return stream.ErrConflict
	case codeInFlight, codeNotReady:
		return errInFlight
	case codeResources, codeMemoryFull, codeStorageFull, codeStoreFailed:
		return stream.ErrFull
	}
	if api.Code == 503 {
		return stream.ErrUnavailable
	}
	return nil
}

// unreachable are the errors after which nothing is known of what was asked for.
var unreachable = []error{
	context.DeadlineExceeded, context.Canceled,
	nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrConnectionDraining,
	nats.ErrConnectionReconnecting, nats.ErrDisconnected, nats.ErrReconnectBufExceeded,
	nats.ErrNoServers, nats.ErrStaleConnection,
	jetstream.ErrNoStreamResponse, jetstream.ErrInvalidJSAck,
}
