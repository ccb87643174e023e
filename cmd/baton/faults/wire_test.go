//go:build linux

package faults_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/stream/jetstream"
)

// store connects to the home's NATS as a worker does.
func (h *home) store() *jetstream.Store {
	h.t.Helper()
	e, ok := h.server()
	if !ok {
		h.t.Fatal("no server runs")
	}
	s, err := jetstream.Open(h.t.Context(), jetstream.Config{URL: e.URL, Token: h.token(), Lease: lease})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = s.Close() })
	return s
}

func (h *home) token() string {
	h.t.Helper()
	raw, err := os.ReadFile(h.baton("token"))
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

// raw publishes bytes that no adapter of ours would ever send, in the protocol of NATS itself.
func (h *home) raw(subject string, bodies ...[]byte) {
	h.t.Helper()
	e, _ := h.server()
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(e.URL, "nats://"), patience)
	if err != nil {
		h.t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		h.t.Fatal(err)
	}
	fmt.Fprintf(conn, "CONNECT {\"auth_token\":%q,\"verbose\":false}\r\n", h.token())
	for _, body := range bodies {
		fmt.Fprintf(conn, "PUB %s %d\r\n%s\r\n", subject, len(body), body)
	}
	fmt.Fprint(conn, "PING\r\n")
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "PONG") {
			return // all before it has been taken
		}
		if strings.HasPrefix(lines.Text(), "-ERR") {
			h.t.Fatal(lines.Text())
		}
	}
	h.t.Fatal("NATS hung up")
}

// depth is how many batons lie on a queue or are in a hand.
func depth(t *testing.T, s *jetstream.Store, queue string) int {
	t.Helper()
	n, err := s.Depth(t.Context(), queue)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
