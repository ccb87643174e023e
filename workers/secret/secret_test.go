package secret_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/workers/secret"
	"github.com/batonflow/baton/workflows/template"
)

var errNone = errors.New("there is none")

func lookup(kind, name string) (string, error) {
	switch kind + ":" + name {
	case "env:TOKEN":
		return "s3cret", nil
	case "env:LONGER":
		return "s3cret-and-more", nil
	case "env:SHORT":
		return "C", nil
	case "file:/run/key":
		return "from a file", nil
	}
	return "", errNone
}

func TestResolve(t *testing.T) {
	t.Parallel()
	book := &secret.Book{Env: map[string]string{"OWN": "mine", "TOKEN": ""}, Lookup: lookup}
	for text, want := range map[string]string{
		"plain":                                  "plain",
		"Bearer ${env:LONGER}":                   "Bearer s3cret-and-more",
		"${env:OWN}:${file:/run/key}":            "mine:from a file",
		"the task's own comes first${env:TOKEN}": "the task's own comes first",
		"$${env:OWN}":                            "${env:OWN}",
	} {
		got, err := book.Resolve(text)
		if err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestResolveFails(t *testing.T) {
	t.Parallel()
	book := &secret.Book{Lookup: lookup}
	if _, err := book.ResolveAll(map[string]string{"X-Key": "${env:GONE}"}); !errors.Is(err, errNone) || !strings.Contains(err.Error(), "X-Key") {
		t.Errorf("got %v; want the key and why", err)
	}
	if _, err := book.Resolve("${inputs.x}"); !errors.Is(err, template.ErrExpression) {
		t.Errorf("an expression gave %v", err)
	}
	if _, err := (&secret.Book{}).Resolve("${file:/etc/passwd}"); err == nil {
		t.Error("without a lookup a file was found")
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	book := &secret.Book{Lookup: lookup}
	resolved, err := book.ResolveAll(map[string]string{"a": "${env:TOKEN}", "b": "${env:LONGER}", "c": "${env:SHORT}"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "s3cret", "b": "s3cret-and-more", "c": "C"}
	if diff := cmp.Diff(want, resolved); diff != "" {
		t.Error(diff)
	}
	got := book.Mask("Code s3cret, s3cret-and-more; public")
	if diff := cmp.Diff("Code •••, •••; public", got); diff != "" {
		t.Error(diff)
	}
}
