package acquire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// web reads files over HTTP.
type web struct{ client *http.Client }

// How long a place may be silent before it is given up.
const (
	dialWithin   = 15 * time.Second
	answerWithin = 30 * time.Second
	silentFor    = 60 * time.Second
)

// newWeb makes a client that goes through GITHUB_PROXY where it is set, else through what the system's
// variables name.
func newWeb(env map[string]string) web {
	proxy := http.ProxyFromEnvironment
	if own := env["GITHUB_PROXY"]; own != "" {
		proxy = func(*http.Request) (*url.URL, error) { return url.Parse(own) }
	}
	return web{&http.Client{
		Transport: &http.Transport{
			Proxy: proxy, DialContext: (&net.Dialer{Timeout: dialWithin}).DialContext, TLSHandshakeTimeout: dialWithin,
			ResponseHeaderTimeout: answerWithin, DisableKeepAlives: true, DisableCompression: true,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 5 {
				return errors.New("it is passed on too often")
			}
			return secure(r.URL)
		},
	}}
}

// secure refuses to speak in the clear with anything but this machine.
func secure(u *url.URL) error {
	if u.Scheme == "https" || u.Scheme == "http" && local(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("%s is not https", u.Redacted())
}

func local(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// Open asks for the file from an offset on.
func (w web) Open(ctx context.Context, place string, offset int64) (io.ReadCloser, int64, int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, 0, 0, err
	}
	if err := secure(request.URL); err != nil {
		return nil, 0, 0, err
	}
	request.Header.Set("User-Agent", "baton")
	if offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	response, err := w.client.Do(request)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("%w: %w", errRetry, err)
	}
	body := &patient{ReadCloser: response.Body, within: silentFor}
	switch code := response.StatusCode; {
	case code == http.StatusPartialContent && begins(response, offset):
		return body, offset, offset + response.ContentLength, nil
	case code == http.StatusOK:
		return body, 0, response.ContentLength, nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return nil, 0, 0, errors.Join(fmt.Errorf("%s: %w", response.Status, fs.ErrNotExist), response.Body.Close())
	case code == http.StatusRequestedRangeNotSatisfiable, code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500, code == http.StatusPartialContent:
		return nil, 0, 0, errors.Join(fmt.Errorf("%w: %s", errRetry, response.Status), response.Body.Close())
	}
	return nil, 0, 0, errors.Join(errors.New(response.Status), response.Body.Close())
}

func begins(r *http.Response, offset int64) bool {
	return r.ContentLength >= 0 && strings.HasPrefix(r.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", offset))
}

// patient is a body that is closed when nothing comes for too long.
type patient struct {
	io.ReadCloser
	within time.Duration
}

func (p *patient) Read(b []byte) (int, error) {
	stop := time.AfterFunc(p.within, func() { _ = p.Close() })
	defer stop.Stop()
	return p.ReadCloser.Read(b)
}
