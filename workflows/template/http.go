package template

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	httpFields = fieldTable{of: "http", fields: []string{"method", "url", "headers", "body", "timeout"}}

	methods    = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
	headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

	// secretHeaders carry what must not stand in a log that forgets nothing.
	secretHeaders = []string{"authorization", "proxy-authorization", "x-api-key"}
)

func (r *reader) http(p place) any {
	f := r.fields(p, httpFields)
	if f == nil {
		return nil
	}
	settings := map[string]any{
		"method": r.method(f["method"], !f["body"].absent()),
		"url":    r.url(p, f["url"]),
	}
	if headers := r.headers(f["headers"]); len(headers) > 0 {
		settings["headers"] = headers
	}
	if !f["body"].absent() {
		settings["body"] = r.data(f["body"])
	}
	if d, ok := r.someTime(f["timeout"]); ok {
		settings["timeout"] = d.String()
	}
	return settings
}

// method is GET where nothing is said, POST where a body goes along.
func (r *reader) method(p place, body bool) string {
	said, ok := r.line(p, mostSource)
	upper := strings.ToUpper(said)
	switch {
	case !ok && body:
		return "POST"
	case !ok:
		return "GET"
	case strings.Contains(said, "${"):
		return said
	case !has(methods, upper):
		r.fail(p, CodeBadValue, short(said)+" is no method", "write "+strings.Join(methods, ", ")+" (one of them)")
	}
	return upper
}

// url checks what can be seen of an address before its expressions are filled in.
func (r *reader) url(http, p place) string {
	url, ok := r.must(http, p, mostSource, "http has no url", "write url: https://…")
	if !ok || strings.HasPrefix(url, "${") {
		return url
	}
	scheme, rest, ok := strings.Cut(url, "://")
	scheme = strings.ToLower(scheme)
	host := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host = rest[:end]
	}
	switch {
	case !ok || scheme != "http" && scheme != "https" || host == "":
		r.fail(p, CodeBadValue, short(url)+" is no address of a web service", "write https://host/path")
	case strings.Contains(host, "@") && !strings.Contains(host, "${"):
		r.fail(p, CodeBadValue, "the address holds a user, which would stand in the log for ever",
			"write headers: {Authorization: ${env:NAME}}")
	}
	return url
}

func (r *reader) headers(p place) map[string]any {
	if p.absent() {
		return nil
	}
	if p.node.Kind != yaml.MappingNode {
		r.fail(p, CodeBadType, "headers is a mapping from names to values, this is "+kind(p.node), "write Accept: application/json")
		return nil
	}
	headers, seen := map[string]any{}, map[string]int{}
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		key := p.node.Content[i]
		at, lower := p.key(key.Value, key), strings.ToLower(key.Value)
		value, ok := r.must(at, p.key(key.Value, p.node.Content[i+1]), mostSource, "the header has no value", "leave it out")
		switch {
		case !headerName.MatchString(key.Value):
			r.fail(at, CodeBadValue, short(key.Value)+" is no name of a header", "write Accept: application/json")
		case seen[lower] > 0:
			r.fail(at, CodeDuplicateKey, fmt.Sprintf("the header is already given in line %d", seen[lower]), "remove one of the two")
		case ok && has(secretHeaders, lower) && !strings.Contains(value, "${"):
			r.fail(p.key(key.Value, p.node.Content[i+1]), CodeBadValue, "a secret would stand in the log for ever",
				"name it by reference: ${env:NAME} or ${file:PATH}")
		}
		seen[lower], headers[key.Value] = key.Line, value
	}
	return headers
}
