package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/workers"
)

// errPrivate says that a public name led into a network of one's own.
var errPrivate = errors.New("it leads to an address that is not public, and that the user did not type")

// dialTime bounds the making of a connection.
const dialTime = 10 * time.Second

// client asks for one hop: it keeps no connection, follows nothing, and connects to public addresses
// only, unless the user typed the host. Behind a proxy it is the proxy that is connected to.
func (v visit) client(typed bool) *http.Client {
	proxied := false
	dialer := net.Dialer{Timeout: dialTime, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err == nil && !typed && !proxied && web.PrivateAddr(to.Addr()) {
			return errPrivate
		}
		return err
	}}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: func(req *http.Request) (*url.URL, error) {
				to, err := http.ProxyFromEnvironment(req)
				proxied = to != nil
				return to, err
			},
			DialContext: dialer.DialContext, TLSHandshakeTimeout: dialTime, ForceAttemptHTTP2: true, DisableKeepAlives: true,
			MaxResponseHeaderBytes: 1 << 20,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// brokenBy names what went wrong before there was an answer.
func brokenBy(ctx context.Context, err error) (web.Code, string) {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var timeout interface{ Timeout() bool }
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), workers.ErrDeadline) && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "cancelled", workers.ClassOf(context.Cause(ctx))
	case errors.Is(err, errPrivate):
		return "invalid_url", workers.Terminal
	case errors.As(err, &certificate), errors.As(err, &unknown):
		return "security_block", workers.Terminal
	case errors.As(err, &dns) && dns.IsNotFound:
		return "not_found", workers.Terminal
	case errors.As(err, &dns):
		return "dns_temporary", workers.Retryable
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return "timeout", workers.Timeout
	}
	return "connection_reset", workers.Retryable
}
