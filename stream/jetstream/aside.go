package jetstream

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const asidePause = 5 * time.Second // before a message that could not be set aside comes again

// aside keeps messages that are not what their stream is for, so that they block nothing and are
// still there to be looked at.
type aside struct {
	js  jetstream.JetStream
	log *slog.Logger
}

// put keeps the message, reports it, and ends it in its own stream.
func (a *aside) put(ctx context.Context, from string, h held, reason error) {
	a.log.Error("set a message aside that cannot be read", "stream", from, "sequence", h.sequence, "subject", h.msg.Subject, "error", reason)
	kept := &nats.Msg{
		Subject: asidePrefix + from,
		Data:    h.msg.Data[:min(len(h.msg.Data), maxAsideBytes)],
		Header: nats.Header{
			jetstream.ExpectedStreamHeader: {asideStream},
			"Baton-Subject":                {h.msg.Subject},
			"Baton-Sequence":               {strconv.FormatUint(h.sequence, 10)},
			"Baton-Reason":                 {strconv.Quote(reason.Error())},
		},
	}
	if _, err := a.js.PublishMsg(ctx, kept); err != nil {
		a.log.Error("could not set the message aside", "stream", from, "sequence", h.sequence, "error", err)
		_ = h.Nak(ctx, asidePause) // at worst it comes again after the lease
		return
	}
	_ = h.answer(ackTerm) // likewise
}
