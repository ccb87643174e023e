package rest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/events"
)

// The parts of an OpenAPI document that are used here.
type (
	document struct {
		OpenAPI    string                         `json:"openapi"`
		Info       info                           `json:"info"`
		Servers    []serverURL                    `json:"servers"`
		Paths      map[string]map[string]endpoint `json:"paths"`
		Components components                     `json:"components"`
		Security   []map[string][]string          `json:"security"`
	}
	info struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	serverURL struct {
		URL string `json:"url"`
	}
	endpoint struct {
		ID         string              `json:"operationId"`
		Summary    string              `json:"summary"`
		Tags       []string            `json:"tags"`
		Command    string              `json:"x-baton-command"`
		Tool       string              `json:"x-baton-tool,omitempty"`
		Parameters []parameter         `json:"parameters,omitempty"`
		Body       *bodyPart           `json:"requestBody,omitempty"`
		Responses  map[string]response `json:"responses"`
	}
	parameter struct {
		Name        string             `json:"name"`
		In          string             `json:"in"`
		Required    bool               `json:"required"`
		Description string             `json:"description,omitempty"`
		Schema      *jsonschema.Schema `json:"schema"`
	}
	bodyPart struct {
		Required bool             `json:"required"`
		Content  map[string]media `json:"content"`
	}
	response struct {
		Description string           `json:"description"`
		Content     map[string]media `json:"content,omitempty"`
	}
	media struct {
		Schema  any             `json:"schema,omitempty"`
		Example json.RawMessage `json:"example,omitempty"`
	}
	components struct {
		Schemas map[string]*jsonschema.Schema `json:"schemas"`
		Schemes map[string]scheme             `json:"securitySchemes"`
	}
	scheme struct {
		Type        string `json:"type"`
		Scheme      string `json:"scheme,omitempty"`
		In          string `json:"in,omitempty"`
		Name        string `json:"name,omitempty"`
		Description string `json:"description"`
	}
	reference struct {
		Ref string `json:"$ref"`
	}
)

func (s *Server) openAPI(w http.ResponseWriter, r *http.Request) {
	s.leaving(w)
	text, err := s.described()
	if err != nil {
		refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // who asked has gone
}

// OpenAPI describes the operations as OpenAPI 3.1.
func OpenAPI(version, cookie string) ([]byte, error) {
	problem, err := jsonschema.For[Problem](nil)
	if err != nil {
		return nil, err
	}
	d := document{
		OpenAPI: "3.1.0", Info: info{"Baton", version, "Chain skills and agents; every decision is in the log. Each operation gives what the command in x-baton-command prints with --json."},
		Servers: []serverURL{{"/"}}, Paths: map[string]map[string]endpoint{},
		Components: components{
			Schemas: map[string]*jsonschema.Schema{"Problem": problem},
			Schemes: map[string]scheme{
				"token":  {Type: "http", Scheme: "bearer", Description: "the token in the file http-token of the home"},
				"cookie": {Type: "apiKey", In: "cookie", Name: cookie, Description: "set by the link that `baton open` makes"},
			},
		},
		Security: []map[string][]string{{"token": {}}, {"cookie": {}}},
	}
	for _, o := range operation.Table() {
		if o.Route == "" {
			continue
		}
		e, err := describe(o)
		if err != nil {
			return nil, err
		}
		if d.Paths[o.Path()] == nil {
			d.Paths[o.Path()] = map[string]endpoint{}
		}
		d.Paths[o.Path()][strings.ToLower(o.Method())] = e
	}
	return events.Marshal(d)
}

func describe(o operation.Operation) (endpoint, error) {
	e := endpoint{ID: o.Name, Summary: o.Summary, Tags: []string{strings.Split(o.Path(), "/")[2]}, Command: o.Command, Tool: o.Tool}
	in, err := o.Input()
	if err != nil {
		return e, err
	}
	out, err := o.Output()
	if err != nil {
		return e, err
	}
	example, err := o.Example()
	if err != nil {
		return e, err
	}
	e.Responses = map[string]response{
		"200":     {Description: "what the command prints with --json", Content: map[string]media{"application/json": {Schema: out}}},
		"default": {Description: "a problem, with the code, the message and the hint of the command", Content: map[string]media{problemType: {Schema: reference{"#/components/schemas/Problem"}}}},
	}
	if _, ok := streams[o.Name]; ok {
		e.Responses["200"].Content[streamType] = media{}
	}
	e.place(o, in, example)
	return e, nil
}

// place puts the fields of an input where they are sent: in the path, the query or the body.
func (e *endpoint) place(o operation.Operation, in *jsonschema.Schema, example json.RawMessage) {
	path := parts(o.Path())
	inBody := o.Method() == http.MethodPost || o.Method() == http.MethodPut
	for _, name := range in.PropertyOrder {
		field := in.Properties[name]
		where := "query"
		if slices.Contains(path, name) {
			where = "path"
		} else if inBody {
			continue
		}
		e.Parameters = append(e.Parameters, parameter{name, where, where == "path" || slices.Contains(in.Required, name), field.Description, field})
	}
	if o.Method() == http.MethodPost {
		e.Parameters = append(e.Parameters, parameter{"Idempotency-Key", "header", false, "request id: the same request again gives the same answer and changes nothing more", &jsonschema.Schema{Type: "string"}})
	}
	if !inBody {
		return
	}
	for _, name := range path {
		delete(in.Properties, name)
		in.Required = slices.DeleteFunc(in.Required, func(r string) bool { return r == name })
		in.PropertyOrder = slices.DeleteFunc(in.PropertyOrder, func(r string) bool { return r == name })
	}
	e.Body = &bodyPart{len(in.Required) > 0, map[string]media{"application/json": {Schema: in, Example: without(example, path)}}}
}

// without leaves fields out of an object.
func without(object json.RawMessage, names []string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return object
	}
	for _, name := range names {
		delete(fields, name)
	}
	out, err := events.Marshal(fields)
	if err != nil {
		return object
	}
	return out
}
