package jetstream

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNoStreams says that the user's account has no streams: it may ask those who serve, and no more.
var ErrNoStreams = errors.New("this user has no streams")

// noStreams says whether an error of the server means that.
func noStreams(err error) bool {
	return errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) || errors.Is(err, jetstream.ErrJetStreamNotEnabled)
}

// Guest is the connection of a user without streams: it asks and listens.
type Guest struct {
	*Asker
	*beats
}

// OpenGuest connects as such a user.
func OpenGuest(ctx context.Context, cfg Config) (*Guest, error) {
	asker, err := OpenAsker(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Guest{asker, &beats{nc: asker.nc}}, nil
}

// Close disconnects.
func (g *Guest) Close() error {
	g.Asker.Close()
	return nil
}

// Put refuses: there is nowhere to keep a large value.
func (g *Guest) Put(context.Context, []byte) (string, error) { return "", ErrNoStreams }

// Get refuses likewise.
func (g *Guest) Get(context.Context, string) ([]byte, error) { return nil, ErrNoStreams }

// Delete refuses likewise.
func (g *Guest) Delete(context.Context, string) error { return ErrNoStreams }
