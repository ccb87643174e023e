package rest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// actor is who asks, as the log says it.
const actor = "http"

// operation answers one line of the table.
func (s *Server) operation(o operation.Operation) http.Handler {
	fields := inputOf(o)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, input, err := s.read(o, fields, r)
		if err != nil {
			s.leaving(w)
			refuse(w, r, err)
			return
		}
		if open, ok := streams[o.Name]; ok && wantsStream(r) {
			s.stream(w, r, caller, input, open)
			return
		}
		answer, err := o.Do(r.Context(), caller, input)
		s.leaving(w) // from here on: what takes its time to decide has it
		if err != nil {
			refuse(w, r, err)
			return
		}
		if answer.Next != "" {
			w.Header().Set("Link", fmt.Sprintf("<%s>; rel=\"next\"", nextOf(r.URL, answer.Next)))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(append(answer.JSON, '\n')) // who asked has gone
	})
}

// nextOf is the address of the rest of a list.
func nextOf(u *url.URL, cursor string) string {
	query := u.Query()
	query.Set("cursor", cursor)
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: query.Encode()}).String()
}

// fields are the properties of an input, and which of them stand in the path.
type fields struct {
	schema map[string]*jsonschema.Schema
	path   []string
}

func inputOf(o operation.Operation) fields {
	f := fields{path: parts(o.Path())}
	if schema, err := o.Input(); err == nil { // a test has seen every schema
		f.schema = schema.Properties
	}
	return f
}

// parts are the names in braces of a path.
func parts(path string) []string {
	var out []string
	for segment := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			out = append(out, strings.TrimSuffix(name, "}"))
		}
	}
	return out
}

// read puts an input together from path, query and body, and says who asks.
func (s *Server) read(o operation.Operation, f fields, r *http.Request) (operation.Caller, json.RawMessage, error) {
	caller := operation.Caller{Backend: s.Backend, Meta: engine.Meta{Actor: actor}}
	var err error
	if o.Method() == http.MethodPost {
		if caller.Meta.Request, err = requestID(r); err != nil {
			return caller, nil, err
		}
	}
	input := map[string]json.RawMessage{}
	if o.Method() == http.MethodPost || o.Method() == http.MethodPut {
		if input, err = body(r); err != nil {
			return caller, nil, err
		}
	}
	if err := f.query(r.URL, input); err != nil {
		return caller, nil, err
	}
	for _, name := range f.path {
		if input[name], err = events.Marshal(r.PathValue(name)); err != nil {
			return caller, nil, err
		}
	}
	if isOutside(r) {
		caller.Meta.Actor = "outside"
		if o.Name != "call.claim" {
			if err := ofAttempt(input); err != nil {
				return caller, nil, err
			}
		}
	}
	raw, err := events.Marshal(input)
	return caller, raw, err
}

// requestID is the request id that a client gives, by which sending it again is harmless.
func requestID(r *http.Request) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	if unquoted, err := strconv.Unquote(key); err == nil {
		key = unquoted // as the draft of the standard writes it
	}
	if len(key) > 200 || strings.ContainsFunc(key, func(c rune) bool { return c < '!' || c > '~' }) {
		return "", sessions.Refuse(sessions.Usage, "bad_request_id", "use up to 200 visible ASCII characters, such as a UUID", "the Idempotency-Key cannot be used")
	}
	return key, nil
}

// body reads the JSON object of a request; nothing at all is an empty one.
func body(r *http.Request) (map[string]json.RawMessage, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	if len(raw) == 0 {
		return out, nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, refusal(http.StatusUnsupportedMediaType, sessions.Refuse(sessions.Usage, "bad_media_type", "send JSON with Content-Type: application/json", "a body of %q is not read", cut(r.Header.Get("Content-Type"))))
	}
	if err := json.Unmarshal(raw, &out); err != nil || out == nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_request", "send one JSON object with the fields that the operation's schema names", "the body is no JSON object: %v", err)
	}
	return out, nil
}

// query puts the values of an address into the input, each with the type that its field has.
func (f fields) query(u *url.URL, into map[string]json.RawMessage) error {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return sessions.Refuse(sessions.Usage, "bad_request", "escape what stands after the question mark", "the address cannot be read")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		schema := f.schema[name]
		if schema == nil || slices.Contains(f.path, name) {
			return sessions.Refuse(sessions.Usage, "bad_request", "see GET /v1/openapi.json for the fields there are", "there is no field %q", cut(name))
		}
		value, err := valueOf(schema, values[name])
		if err != nil {
			return err
		}
		into[name] = value
	}
	return nil
}

func valueOf(schema *jsonschema.Schema, texts []string) (json.RawMessage, error) {
	is := func(kind string) bool { return schema.Type == kind || slices.Contains(schema.Types, kind) }
	text := texts[len(texts)-1]
	switch {
	case is("string"):
		return events.Marshal(text)
	case is("array"):
		return events.Marshal(texts)
	case !json.Valid([]byte(text)):
		return events.Marshal(text) // what it should have been is told where it is read
	}
	return json.RawMessage(text), nil
}

// noRoute says that there is nothing, or what else can be done there.
func (s *Server) noRoute(w http.ResponseWriter, r *http.Request) {
	s.leaving(w)
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := s.mux.Handler(other); pattern != "/v1/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		refuse(w, r, refusal(http.StatusNotFound, sessions.Refuse(sessions.NotFound, "path_not_found", "see GET /v1/openapi.json", "there is nothing at %s", cut(r.URL.Path))))
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	refuse(w, r, refusal(http.StatusMethodNotAllowed, sessions.Refuse(sessions.Usage, "method_refused", "use "+strings.Join(allowed, " or "), "%s cannot be done to %s", cut(r.Method), cut(r.URL.Path))))
}
