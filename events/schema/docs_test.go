package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/schema"
)

const eventsPage = "../../docs/EVENTS.md"

const pageHead = `# Events

Every fact that Baton can record, made from the catalogue in package ` + "`events`" + `. This file is written by
` + "`make update`" + `; a test fails when it is out of date. ` + "`baton events schema TYPE`" + ` prints the JSON Schema of a fact.

An event is ` + "`{id, type, v, time, causation, actor, request, command, data}`" + `: a ULID, the fact's name and version, when it
was decided (RFC 3339, UTC), the event that led to it, who asked, the client's request id with the digest of its command
where one was given, and the fact itself. The events of one decision are one commit, which is one message of the log:
` + "`{v, session, n, prev, writer, events, hash}`" + `. ` + "`n`" + ` counts the session's commits from 1. ` + "`hash`" + ` is SHA-256 over v, session,
n, prev and the bytes of events as they stand, ` + "`prev`" + ` the hash of the commit before.

A name never changes its meaning and a stored version is never rewritten: older versions are upcast when they are read.
An unknown type or a newer version is kept and shown, and a decision that would rest on it is refused.

A **value** is ` + "`{json}`" + `, or ` + "`{sha256, size}`" + ` when it is large and rests in the payload store.

`

// property is what the page needs of a schema.
type property struct {
	Ref         string              `json:"$ref"`
	Type        string              `json:"type"`
	Description string              `json:"description"`
	Items       *property           `json:"items"`
	Additional  json.RawMessage     `json:"additionalProperties"`
	AnyOf       []property          `json:"anyOf"`
	Properties  json.RawMessage     `json:"properties"`
	Required    []string            `json:"required"`
	Defs        map[string]property `json:"$defs"`
}

// UnmarshalJSON takes the schema true, which allows anything, for an empty one.
func (p *property) UnmarshalJSON(raw []byte) error {
	type plain property
	if string(raw) == "true" {
		return nil
	}
	return json.Unmarshal(raw, (*plain)(p))
}

func TestEventsPageIsUpToDate(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString(pageHead)
	page.WriteString("| type | v | meaning |\n|---|---|---|\n")
	for _, e := range events.Catalogue {
		fmt.Fprintf(&page, "| [%s](#%s) | %d | %s |\n", e.Type, anchor(e.Type), e.V, e.Meaning)
	}
	comments, shared := sourceComments(t), map[string]property{}
	for _, e := range events.Catalogue {
		var s property
		if err := json.Unmarshal(makeSchema(t, e, comments), &s); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&page, "\n## %s\n\n%s (version %d, [schema](../events/schema/%s))\n\n", e.Type, sentence(e.Meaning), e.V, schema.Name(e.Type, e.V))
		table(t, &page, s)
		for name, def := range s.Defs {
			shared[name] = def
		}
	}
	page.WriteString("\n## What facts are made of\n")
	for _, name := range sortedKeys(shared) {
		fmt.Fprintf(&page, "\n### %s\n\n%s\n\n", name, shared[name].Description)
		table(t, &page, shared[name])
	}
	compare(t, eventsPage, []byte(page.String()))
}

// table lists an object's fields in the order of the schema.
func table(t *testing.T, page *strings.Builder, s property) {
	t.Helper()
	page.WriteString("| field | type | |\n|---|---|---|\n")
	var fields map[string]property
	if err := json.Unmarshal(s.Properties, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range order(t, s.Properties) {
		mark := ""
		if !slices.Contains(s.Required, name) {
			mark = "?"
		}
		fmt.Fprintf(page, "| `%s`%s | %s | %s |\n", name, mark, kind(fields[name]), strings.ReplaceAll(fields[name].Description, "\n", " "))
	}
}

// order gives an object's keys as they are written.
func order(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
	}
	return names
}

func kind(p property) string {
	if name, ok := strings.CutPrefix(p.Ref, "#/$defs/"); ok {
		return fmt.Sprintf("[%s](#%s)", name, anchor(name))
	}
	var values property
	switch {
	case len(p.AnyOf) > 0:
		return kind(p.AnyOf[0])
	case p.Type == "array":
		return "list of " + kind(*p.Items)
	case p.Type == "object" && json.Unmarshal(p.Additional, &values) == nil:
		return "map to " + kind(values)
	case p.Type == "":
		return "any JSON"
	}
	return p.Type
}

func anchor(heading string) string { return strings.ToLower(strings.ReplaceAll(heading, ".", "")) }

func sentence(meaning string) string { return strings.ToUpper(meaning[:1]) + meaning[1:] }

func sortedKeys(m map[string]property) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
