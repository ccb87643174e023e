package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream"
	"github.com/batonflow/baton/workflows"
)

// serviceName is what `nats micro` lists.
const serviceName = "baton"

var semantic = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// service is what programs outside may ask by NATS request: the four things that a worker does.
// Requests and answers are those of `baton call … --json`.
func (s *Server) service() jetstream.Service {
	version := s.Version
	if !semantic.MatchString(version) {
		version = "0.0.0"
	}
	return jetstream.Service{
		Name: serviceName, Version: version, Description: "work for programs in any language: claim a call, keep it alive, say how far it is, close it",
		Endpoints: []jetstream.Endpoint{
			{Name: "claim", Subject: "call.claim", Meaning: "take the call that waits longest on a queue: {queue, wait, actor, request_id}", Answer: outside(s.claimOutside)},
			{Name: "beat", Subject: "call.beat", Meaning: "keep it alive: {session, call, attempt}", Answer: outside(s.beatOutside)},
			{Name: "stream", Subject: "call.stream", Meaning: "say how far it is, which keeps it alive too: {session, call, attempt, text, data}", Answer: outside(s.sayOutside)},
			{Name: "close", Subject: "call.close", Meaning: "end it: {session, call, attempt, status, outputs, artifacts, note, usage, actor, request_id}", Answer: outside(s.closeOutside)},
		},
	}
}

// outside reads a request strictly, so that a misspelt field is told, and puts a refusal in the words
// that `--json` has for it.
func outside[Q any](answer func(context.Context, Q) (any, error)) func(context.Context, []byte) jetstream.Offered {
	return func(ctx context.Context, raw []byte) jetstream.Offered {
		var q Q
		if err := readStrict(raw, &q); err != nil {
			return refused(err)
		}
		got, err := answer(ctx, q)
		if err != nil {
			return refused(err)
		}
		body, err := events.Marshal(got)
		if err != nil {
			return refused(err)
		}
		return jetstream.Offered{Body: body}
	}
}

// readStrict reads one compact JSON object, as values stand in the log.
func readStrict(raw []byte, into any) error {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) == nil {
		raw = compact.Bytes()
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil && (dec.More() || !utf8.Valid(raw)) {
		err = errNotOneObject
	}
	if err != nil {
		return sessions.Refuse(sessions.Usage, "bad_request", "send one JSON object with the fields that the service's description names", "the request cannot be read: %v", err)
	}
	return nil
}

var errNotOneObject = errors.New("it is not one JSON object in UTF-8")

func refused(err error) jetstream.Offered {
	var r *sessions.Refusal
	if !errors.As(err, &r) {
		r = sessions.Refuse(sessions.Failed, "internal", "look into the server's log, and report it", "%v", err)
	}
	type wire struct {
		Kind    sessions.Kind  `json:"kind"`
		Code    string         `json:"code"`
		Message string         `json:"message"`
		Hint    string         `json:"hint"`
		Details map[string]any `json:"details"`
	}
	body, err := events.Marshal(map[string]wire{"error": {r.Kind, r.Code, r.Message, r.Hint, r.Details}})
	if err != nil {
		body = []byte(`{"error":{"code":"internal"}}`)
	}
	return jetstream.Offered{Body: body, Code: r.Code, Why: r.Message + "; " + r.Hint}
}

type claimRequest struct {
	Queue   string  `json:"queue"`
	Wait    float64 `json:"wait"` // seconds
	Actor   string  `json:"actor"`
	Request string  `json:"request_id"`
}

func (s *Server) claimOutside(ctx context.Context, q claimRequest) (any, error) {
	got, err := engine.As[ClaimedOutside](s.claimNext(ctx, "", operation.ClaimAsk(q)))
	return got.Task.Envelope, err
}

// held names the attempt that a program outside speaks for. The number is the fence.
type held struct {
	Session string `json:"session"`
	Call    string `json:"call"`
	Attempt int    `json:"attempt"`
}

func (h held) check() error {
	switch {
	case h.Call == "":
		return sessions.Refuse(sessions.Usage, "call_missing", "give it as the envelope's call_id", "the request names no call")
	case h.Attempt < 1:
		return sessions.Refuse(sessions.Usage, "attempt_missing", "give it as the envelope says", "the request names no attempt of call %s", h.Call)
	}
	return nil
}

func (s *Server) beatOutside(ctx context.Context, q held) (any, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	return s.beatCall(ctx, q.Session, operation.BeatAsk{Call: q.Call, Attempt: q.Attempt})
}

func (s *Server) sayHere(ctx context.Context, session string, q operation.SayAsk) (any, error) {
	q.Session = session
	if q.Attempt == 0 {
		call, err := s.callOf(ctx, session, q.Call)
		if err != nil {
			return nil, err
		}
		q.Attempt = max(call.Attempt, 1)
	}
	return s.sayOutside(ctx, q)
}

// sayOutside passes it on to whoever listens, as long as the attempt is the current one.
func (s *Server) sayOutside(ctx context.Context, q operation.SayAsk) (any, error) {
	if err := (held{q.Session, q.Call, q.Attempt}).check(); err != nil {
		return nil, err
	}
	said := stream.Said(q)
	if string(said.Data) == "null" {
		said.Data = nil
	}
	if len(q.Data) > stream.MaxSaid {
		return nil, sessions.Refuse(sessions.Usage, "too_much_said", "say less at once; results go with the closing", "%d bytes of data are more than %d", len(q.Data), stream.MaxSaid)
	}
	answer, err := engine.As[operation.BeatAnswer](s.beatCall(ctx, q.Session, operation.BeatAsk{Call: q.Call, Attempt: q.Attempt}))
	if err != nil || answer.Answer != engine.GoOn || said.Empty() {
		return answer, err
	}
	call, err := s.callOf(ctx, q.Session, q.Call)
	if err != nil {
		return nil, err
	}
	said.Call = call.CallID
	if err := s.store.Say(ctx, said.Cut()); err != nil {
		return nil, fmt.Errorf("pass on what call %s says: %w", q.Call, err)
	}
	return answer, nil
}

// callOf finds a call, which may be named by a prefix.
func (s *Server) callOf(ctx context.Context, session, name string) (sessions.Row, error) {
	return engine.As[sessions.Row](s.engine.View(ctx, session, func(st *workflows.State, w sessions.World) (any, error) {
		if st.Status == "" {
			return nil, st.Open()
		}
		return engine.ShowCall(st, w, engine.CallAsk{Call: name})
	}))
}

type closeRequest struct {
	held
	Status    string                     `json:"status"`
	Outputs   map[string]json.RawMessage `json:"outputs"`
	Artifacts []string                   `json:"artifacts"`
	Note      string                     `json:"note"`
	Usage     json.RawMessage            `json:"usage"`
	Actor     string                     `json:"actor"`
	Request   string                     `json:"request_id"`
}

func (s *Server) closeOutside(ctx context.Context, q closeRequest) (any, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	c := sessions.Close{Call: q.Call, Attempt: q.Attempt, Status: q.Status, Artifacts: q.Artifacts, Note: q.Note, Usage: q.Usage}
	if string(c.Usage) == "null" {
		c.Usage = nil
	}
	if len(c.Usage) > 0 && c.Usage[0] != '{' {
		return nil, sessions.Refuse(sessions.Usage, "bad_json", "give an object like {\"tokens\": 12}", "usage is no JSON object")
	}
	c.Outputs = make(map[string]events.Value, len(q.Outputs))
	for key, value := range q.Outputs {
		c.Outputs[key] = events.Value{JSON: value}
	}
	actor := q.Actor
	if actor == "" {
		actor = "outside"
	}
	return s.engine.Do(ctx, q.Session, workflows.Close{Close: c}, engine.Meta{Actor: actor, Request: q.Request})
}
