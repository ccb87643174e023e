//go:build linux

package faults_test

import (
	"net"
	"sync"
	"testing"
	"time"
)

// proxy is a line to a server that is slow, and can be cut.
type proxy struct {
	listener net.Listener
	target   string
	delay    time.Duration // of each direction

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
	group sync.WaitGroup
}

func newProxy(t *testing.T, target string, delay time.Duration) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, delay: delay, conns: map[net.Conn]bool{}}
	p.group.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.setCut(true)
		p.group.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

// setCut cuts every connection and takes no others, or takes them again.
func (p *proxy) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	for c := range p.conns {
		if cut {
			_ = c.Close()
			delete(p.conns, c)
		}
	}
}

// keep notes a connection, or closes it when the line is cut.
func (p *proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		_ = c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		if !p.keep(near) {
			continue
		}
		far, err := net.Dial("tcp", p.target)
		if err != nil || !p.keep(far) {
			_ = near.Close()
			continue
		}
		p.group.Go(func() { p.carry(near, far) })
		p.group.Go(func() { p.carry(far, near) })
	}
}

// carry brings every piece to the other side after the delay; pieces under way do not hold up the next.
func (p *proxy) carry(from, to net.Conn) {
	defer to.Close()
	type piece struct {
		due   time.Time
		bytes []byte
	}
	line := make(chan piece, 4096)
	var group sync.WaitGroup
	defer group.Wait()
	defer close(line)
	group.Go(func() {
		for piece := range line {
			wait := time.NewTimer(time.Until(piece.due))
			<-wait.C
			if _, err := to.Write(piece.bytes); err != nil {
				_ = from.Close()
			}
		}
	})
	for {
		buffer := make([]byte, 32<<10)
		n, err := from.Read(buffer)
		if n > 0 {
			line <- piece{time.Now().Add(p.delay), buffer[:n]}
		}
		if err != nil {
			return
		}
	}
}
