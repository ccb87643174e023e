package http

import (
	"errors"
	"fmt"
	"net"
	std "net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/workers"
)

const (
	mostRedirects = 5
	// dialTime bounds the making of a connection, also for steps without a timeout.
	dialTime = 30 * time.Second
)

// errRedirect says that a service led somewhere where it is not followed.
var errRedirect = errors.New("redirect was not followed")

// secretHeaders are taken for secrets whatever they hold.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key"}

// NewClient makes a client for one attempt: it keeps no connection, follows at most five redirects and
// none from https to http, and takes the headers that are confidential, with Authorization and its
// like, to no other host than the first.
func NewClient(confidential ...string) *std.Client {
	own := slices.Concat(secretHeaders, confidential)
	return &std.Client{
		Transport: &std.Transport{
			Proxy:               std.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
			TLSHandshakeTimeout: dialTime,
			ForceAttemptHTTP2:   true,
			DisableKeepAlives:   true,
		},
		CheckRedirect: func(req *std.Request, via []*std.Request) error {
			if err := follow(req.URL, via); err != nil {
				return err
			}
			first := via[0].URL
			strange := func(r *std.Request) bool { return host(r.URL) != host(first) }
			if strange(req) || slices.ContainsFunc(via, strange) {
				for _, name := range own {
					req.Header.Del(name)
				}
			}
			return nil
		},
	}
}

// follow says why a redirect is not followed.
func follow(to *url.URL, via []*std.Request) error {
	from := via[len(via)-1].URL
	switch {
	case len(via) > mostRedirects:
		return fmt.Errorf("%w: it is the %dth, and at most %d are", errRedirect, len(via), mostRedirects)
	case to.Scheme != "http" && to.Scheme != "https":
		return fmt.Errorf("%w: %s is no address of a web service", errRedirect, to.Redacted())
	case from.Scheme == "https" && to.Scheme == "http":
		return fmt.Errorf("%w: it leads from https to %s, which is not encrypted", errRedirect, to.Redacted())
	}
	return nil
}

// host is a host with its port, unless that is its scheme's own.
func host(u *url.URL) string {
	name := strings.ToLower(u.Host)
	for scheme, port := range map[string]string{"http": ":80", "https": ":443"} {
		if u.Scheme == scheme {
			name = strings.TrimSuffix(name, port)
		}
	}
	return name
}

// ClassOfStatus is the class of failure of a status that is not 2xx: a service that is busy or broken
// may do better another time.
func ClassOfStatus(status int) string {
	switch {
	case status == std.StatusRequestTimeout, status == std.StatusTooEarly, status == std.StatusTooManyRequests, status >= 500:
		return workers.Retryable
	}
	return workers.Terminal
}
