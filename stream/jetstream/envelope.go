package jetstream

import (
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/events"
)

// message wraps a frame for the stream. Nothing in Baton reads the headers back; the CloudEvents
// attributes and the trace are for other tools.
func (l *eventLog) message(subject string, after uint64, frame events.Frame) *nats.Msg {
	header := nats.Header{
		jetstream.ExpectedStreamHeader:      {eventsStream},
		jetstream.ExpectedLastSubjSeqHeader: {strconv.FormatUint(after, 10)},
		"content-type":                      {"application/json"},
		"ce-specversion":                    {"1.0"},
		"ce-id":                             {frame.ID()},
		"ce-source":                         {"/baton/" + l.installation},
		"ce-type":                           {"baton.commit.v" + strconv.Itoa(frame.V)},
		"ce-subject":                        {subject},
		"ce-time":                           {frame.Events[0].Time.UTC().Format(time.RFC3339Nano)},
	}
	if trace := traceparent(frame); trace != "" {
		header["traceparent"] = []string{trace}
	}
	return &nats.Msg{Subject: subject, Header: header, Data: frame.Bytes()}
}

// traceparent makes a W3C trace of a session whose id is a UUID: the session is the trace, the
// commit the span.
func traceparent(frame events.Frame) string {
	trace := strings.ReplaceAll(frame.Session, "-", "")
	if len(trace) != 32 || len(frame.Hash) < 16 || strings.Trim(trace, "0123456789abcdef") != "" {
		return ""
	}
	return "00-" + trace + "-" + frame.Hash[:16] + "-01"
}
