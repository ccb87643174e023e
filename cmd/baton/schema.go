package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/schema"
	"github.com/batonflow/baton/sessions"
)

// described is a type of event with its schema.
type described struct {
	Type    string          `json:"type"`
	V       int             `json:"v"`
	Meaning string          `json:"meaning"`
	Schema  json.RawMessage `json:"schema"`
}

func (a *app) eventsSchema() *cobra.Command {
	return a.verb(verb{
		use: "schema [TYPE]", short: "print the JSON Schema of a type of event, or list the types", example: `baton events schema call.closed`, args: between(0, "TYPE"),
		run: func(_ context.Context, args []string) error {
			if len(args) > 0 {
				return a.schemaOf(args[0])
			}
			list := make([]described, len(events.Catalogue))
			var rows [][]string
			for i, e := range events.Catalogue {
				text, _ := schema.For(e.Type)
				list[i] = described{e.Type, e.V, e.Meaning, text}
				rows = append(rows, []string{e.Type, e.Meaning})
			}
			return a.answer(list, func(p *page) error { p.rows([]string{"type", "meaning"}, rows); return nil })
		},
	})
}

func (a *app) schemaOf(kind string) error {
	text, ok := schema.For(kind)
	if !ok {
		var types []string
		for _, e := range events.Catalogue {
			types = append(types, e.Type)
		}
		slices.Sort(types)
		return sessions.Refuse(sessions.NotFound, "type_not_found", "there are "+strings.Join(types, ", "), "there is no type of event %q", kind)
	}
	return a.answer(json.RawMessage(text), func(p *page) error { p.text(string(text)); return nil })
}
