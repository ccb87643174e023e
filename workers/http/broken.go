package http

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
)

// broken judges an exchange that did not come to its end.
func (x exchange) broken(ctx context.Context, err error) *events.Failure {
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return x.stopped(context.Cause(ctx))
	case errors.Is(err, errRedirect):
		return failed(workers.Terminal, "http_redirect", x.what+": "+err.Error()+"; name the address that it ends at")
	case errors.As(err, &certificate):
		return failed(workers.Terminal, "http_tls", x.what+": "+err.Error()+"; set SSL_CERT_FILE for the worker if the service has an authority of its own")
	case unsent(err):
		return failed(workers.Retryable, "http_unreachable", x.what+" was not sent: "+err.Error())
	}
	return failed(workers.Retryable, "http_interrupted",
		x.what+": the connection broke before the whole answer was in, and the service may have done what it was asked: "+err.Error())
}

// unsent says that there was no connection on which anything could be sent.
func unsent(err error) bool {
	var name *net.DNSError
	var op *net.OpError
	return errors.As(err, &name) || errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

func (x exchange) stopped(cause error) *events.Failure {
	switch class := workers.ClassOf(cause); class {
	case workers.Timeout:
		return failed(class, "http_timeout", x.what+" was not answered in time: raise the timeout, or ask for less")
	case workers.Stale:
		return failed(class, "http_stale", x.what+" was ended because a later attempt holds the call")
	case workers.Lost:
		return failed(class, "http_stopping", x.what+" was ended because its worker is stopping")
	default:
		return failed(class, "http_cancelled", x.what+" was ended because its call was cancelled")
	}
}
