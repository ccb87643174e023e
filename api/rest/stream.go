package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// streamType is the media type of server-sent events.
const streamType = "text/event-stream"

func wantsStream(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), streamType)
}

// sent is one event of a stream. An event without an id is not a place that a reader can go on from.
type sent struct {
	id   string
	name string
	data json.RawMessage
}

// source gives what came after a place; over says that nothing more will. next waits a while where there
// is nothing yet, first does not.
type source interface {
	first(ctx context.Context, after uint64) (list []sent, now uint64, over bool, err error)
	next(ctx context.Context, after uint64) (list []sent, now uint64, over bool, err error)
	session() string // whose attempts are listened to; "": none
}

const (
	quiet     = 15 * time.Second // after which a comment keeps the connection alive
	overheard = 64               // words of attempts that wait for a slow reader; more are lost
)

// stream sends events as they come, from the place that the reader saw last. It holds no more than one
// page for a slow reader, and lets go of one who takes nothing.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, c operation.Caller, input json.RawMessage, open opener) {
	after, err := lastSeen(r)
	if err != nil {
		refuse(w, r, err)
		return
	}
	if !s.streams.take() {
		s.full(w, r)
		return
	}
	defer s.streams.give()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	from, begin, err := open(ctx, c, input)
	if err != nil {
		refuse(w, r, err)
		return
	}
	if after == 0 {
		after = begin
	}
	first, at, over, err := from.first(ctx, after)
	if err != nil {
		refuse(w, r, err)
		return
	}
	if over && len(first) == 0 {
		w.WriteHeader(http.StatusNoContent) // a browser asks no more
		return
	}
	w.Header().Set("Content-Type", streamType)
	out := &writer{ResponseWriter: w, control: http.NewResponseController(w), leave: s.Bounds.Leave}
	if !out.send([]byte("retry: 1000\n\n")) || !out.events(first) || over {
		return
	}
	s.follow(ctx, cancel, out, from, at)
}

// page is what a source gave, with how it ended.
type page struct {
	list []sent
	over bool
	err  error
}

// follow sends pages, what running attempts say, and a comment where nothing comes.
func (s *Server) follow(ctx context.Context, cancel context.CancelFunc, out *writer, from source, at uint64) {
	pages := make(chan page)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pump(ctx, from, at, pages)
	}()
	defer func() { cancel(); <-ended }()
	words := make(chan stream.Said, overheard)
	if from.session() != "" && s.Listen != nil {
		_ = s.Listen(ctx, from.session(), func(said stream.Said) { // who cannot listen sees the log all the same
			select {
			case words <- said:
			default:
			}
		})
	}
	idle := time.NewTicker(quiet)
	defer idle.Stop()
	for {
		ok := true
		select {
		case p := <-pages:
			ok = p.err == nil && out.events(p.list) && !p.over
		case said := <-words:
			data, err := events.Marshal(said)
			ok = err == nil && out.events([]sent{{name: "said", data: data}})
		case <-idle.C:
			ok = out.send([]byte(":\n\n"))
		case <-ctx.Done():
			return
		}
		if !ok {
			return
		}
	}
}

// pump asks for one page after the other, the next one when the last was taken.
func pump(ctx context.Context, from source, at uint64, pages chan<- page) {
	for {
		list, now, over, err := from.next(ctx, at)
		at = now
		if len(list) == 0 && err == nil && !over {
			if ctx.Err() != nil {
				return
			}
			continue
		}
		select {
		case pages <- page{list, over, err}:
		case <-ctx.Done():
			return
		}
		if over || err != nil {
			return
		}
	}
}

// lastSeen is the place that a reader goes on from.
func lastSeen(r *http.Request) (uint64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return 0, nil
	}
	after, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, sessions.Refuse(sessions.Usage, "bad_cursor", "give the id of an event of this stream", "Last-Event-ID %q is no place in the log", cut(text))
	}
	return after, nil
}

// writer writes to a reader who may be slow: each part has its time to leave.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	leave   time.Duration
}

// Unwrap lets a handler set deadlines of its own.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write sends a part.
func (w *writer) Write(text []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.leave)) // what has no deadlines is no connection
	return w.ResponseWriter.Write(text)
}

// Flush lets out what was written.
func (w *writer) Flush() { _ = w.control.Flush() } // who asked has gone

func (w *writer) events(list []sent) bool {
	var text bytes.Buffer
	for _, e := range list {
		if e.id != "" {
			text.WriteString("id: " + e.id + "\n")
		}
		if e.name != "" {
			text.WriteString("event: " + e.name + "\n")
		}
		text.WriteString("data: ")
		if json.Compact(&text, e.data) != nil { // a line feed would end it
			return false
		}
		text.WriteString("\n\n")
	}
	return w.send(text.Bytes())
}

// send says whether it went out in time.
func (w *writer) send(text []byte) bool {
	if _, err := w.Write(text); err != nil {
		return false
	}
	return w.control.Flush() == nil
}
