package jetstream

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// BenchmarkPublish is the raw publish of a frame's bytes: what everything else is measured by.
func BenchmarkPublish(b *testing.B) {
	s := testStore(b, testServer(b, b.TempDir()), Config{})
	body := testFrame(b, events.Genesis(s.Installation(), "s")).Bytes()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := s.queue.js.PublishMsg(b.Context(), &nats.Msg{Subject: "ev.session.raw", Data: body}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppend is a commit, sealing included.
func BenchmarkAppend(b *testing.B) {
	s := testStore(b, testServer(b, b.TempDir()), Config{})
	link := events.Genesis(s.Installation(), "s")
	var after uint64
	for b.Loop() {
		frame := testFrame(b, link)
		b.SetBytes(int64(len(frame.Bytes())))
		sequence, err := s.Append(b.Context(), "session.s", after, frame)
		if err != nil {
			b.Fatal(err)
		}
		after, link = sequence, frame.Link()
	}
}

// BenchmarkConflict is an append that comes second.
func BenchmarkConflict(b *testing.B) {
	s := testStore(b, testServer(b, b.TempDir()), Config{})
	frame := testFrame(b, events.Genesis(s.Installation(), "s"))
	if _, err := s.Append(b.Context(), "session.s", 0, frame); err != nil {
		b.Fatal(err)
	}
	second := testFrame(b, frame.Link())
	for b.Loop() {
		if _, err := s.Append(b.Context(), "session.s", 0, second); err == nil {
			b.Fatal("no conflict")
		}
	}
}

// BenchmarkRead reads an entity of one commit, and of a hundred.
func BenchmarkRead(b *testing.B) {
	s := testStore(b, testServer(b, b.TempDir()), Config{})
	for _, size := range []int{1, 100} {
		entity := stream.Entity(fmt.Sprint("session.s", size))
		link := events.Genesis(s.Installation(), "s")
		for i := range size {
			frame := testFrame(b, link)
			header := nats.Header{jetstream.ExpectedStreamHeader: {eventsStream}, "n": {strconv.Itoa(i)}}
			if _, err := s.queue.js.PublishMsg(b.Context(), &nats.Msg{Subject: eventsPrefix + string(entity), Data: frame.Bytes(), Header: header}); err != nil {
				b.Fatal(err)
			}
			link = frame.Link()
		}
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			for b.Loop() {
				n := 0
				for range s.messages(b.Context(), eventsPrefix+string(entity), 0) {
					n++
				}
				if n != size {
					b.Fatalf("read %d, want %d", n, size)
				}
			}
		})
	}
}

// BenchmarkBaton is a baton's whole way: published, pulled, acknowledged.
func BenchmarkBaton(b *testing.B) {
	s := testStore(b, testServer(b, b.TempDir()), Config{})
	for b.Loop() {
		if _, err := s.Publish(b.Context(), "q", stream.Baton{Session: "s", Call: "c001"}); err != nil {
			b.Fatal(err)
		}
		d, err := s.Pull(b.Context(), "q")
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Ack(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
