package template

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var errLookup = errors.New("lookup")

func secrets(kind, name string) (string, error) {
	if name == "GONE" {
		return "", errLookup
	}
	return "<" + kind + " " + name + ">", nil
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "plain": "plain", "$5 {x}": "$5 {x}",
		"Bearer ${env:TOKEN}":             "Bearer <env TOKEN>",
		"${file:/run/it's here}/${env:A}": "<file /run/it's here>/<env A>",
		"$${env:TOKEN}":                   "${env:TOKEN}",
		"$$${env:TOKEN}":                  "$${env:TOKEN}",
	} {
		if got, err := Resolve(text, secrets); got != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]error{"${env:GONE}": errLookup, "${env:A": ErrExpression, "${inputs.a}": ErrExpression, "${file:a${env:B}}": nil} {
		if got, err := Resolve(text, secrets); !errors.Is(err, want) {
			t.Errorf("%s: got %q, %v; want %v", text, got, err, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := parsed(t, `
inputs: {host: {type: string}}
env: {A: "1", TOKEN: "${env:T}", HOST: "${inputs.host}"}
steps:
  - {id: a, skill: a}
  - {id: b, skill: b, env: {A: 2, B: "x${file:/k}$${y}"}}
  - {id: c, run: approve}
`)
	env := Env{Inputs: map[string]any{"host": "h"}}
	for id, want := range map[string]map[string]string{
		"a": {"A": "1", "TOKEN": "${env:T}", "HOST": "h"},
		"b": {"A": "2", "TOKEN": "${env:T}", "HOST": "h", "B": "x${file:/k}$${y}"},
		"c": nil,
	} {
		variables, err := named(t, got, id).Environment(env)
		if diff := cmp.Diff(want, variables); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", id, err, diff)
		}
	}
	s := Step{ID: "a", Env: map[string]string{"A": "${ctx.gone.x}"}}
	if variables, err := s.Environment(env); !errors.Is(err, ErrExpression) || !strings.Contains(err.Error(), "env A of a") {
		t.Errorf("got %v, %v", variables, err)
	}
}

// Data never becomes a reference, whatever it holds and wherever it is put, and comes out as it went in.
func TestDataIsNoReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"$", "{", "}", "${", "$${", "env:", "file:", "${env:KEY}", "A", " ", "$$"})
		data := map[string]any{}
		for _, name := range []string{"a", "b"} {
			data[name] = strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, name), "")
		}
		var text, want strings.Builder
		for _, part := range rapid.SliceOfN(rapid.SampledFrom([]string{"${inputs.a}", "${inputs.b}", "${env:OK}", "x", "}", "$${"}), 0, 6).Draw(t, "parts") {
			text.WriteString(part)
			switch part {
			case "${inputs.a}", "${inputs.b}":
				want.WriteString(data[part[len("${inputs."):len(part)-1]].(string))
			case "${env:OK}":
				want.WriteString("<env OK>")
			case "$${":
				want.WriteString("${")
			default:
				want.WriteString(part)
			}
		}
		filled, err := fillReferring(text.String(), nil, Env{Inputs: data})
		if err != nil {
			if strings.Contains(err.Error(), "a $ stands right before") {
				return
			}
			t.Fatalf("%q: %v", text.String(), err)
		}
		got, err := Resolve(filled, func(kind, name string) (string, error) {
			if kind != FromEnv || name != "OK" {
				t.Fatalf("%q with %q asks for %s %s", text.String(), data, kind, name)
			}
			return secrets(kind, name)
		})
		if err != nil || got != want.String() {
			t.Fatalf("%q with %q: filled %q, got %q, %v; want %q", text.String(), data, filled, got, err, want.String())
		}
	})
}
