//go:build linux

package rest_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/batonflow/baton/api/rest"
)

// narrow is a connection that holds next to nothing for who does not read, so that little is sent ahead.
func (w *world) narrow(text string) net.Conn {
	w.Helper()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		outer := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) })
		if err == nil {
			err = outer
		}
		return err
	}}
	c, err := d.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		w.Fatal(err)
	}
	return c
}

// TestASlowReaderSlowsNobody: one takes nothing while megabytes go by. Everybody else sees all of it,
// and it is let go of.
func TestASlowReaderSlowsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bounds(rest.Bounds{Leave: 500 * time.Millisecond}))
	session := w.session()
	path := "/v1/sessions/" + session + "/events"
	slow := w.narrow("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer " + w.token + "\r\n\r\n")
	lines, _ := w.follow(path)
	event(t, lines)
	const values, size = 200, 50 << 10 // more than sockets hold: a sender keeps 4 MiB and more
	value := strings.Repeat("x", size)
	for i := range values {
		w.call("PUT", "/v1/sessions/"+session+"/context/big", fmt.Sprintf(`{"value":"%d%s"}`, i, value))
		event(t, lines)
	}
	// It was let go of: what stands in its buffers ends before the last of what was sent.
	if err := slow.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	got, _ := io.Copy(io.Discard, slow) // its end, or a reset
	if got >= values*size {
		t.Errorf("%d bytes waited for the slow reader", got)
	}
}
