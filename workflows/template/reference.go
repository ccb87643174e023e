package template

import (
	"fmt"
	"regexp"
	"strings"
)

// Kinds of references.
const (
	FromEnv  = "env"  // ${env:NAME}: a variable of the environment
	FromFile = "file" // ${file:PATH}: what a file holds
)

// reference finds what a ${ begins that is no expression but names a secret by its place.
func reference(text string) (kind, name string, ok bool) {
	kind, name, ok = strings.Cut(text, ":")
	return kind, name, ok && (kind == FromEnv || kind == FromFile)
}

// Resolve gives a text with its references replaced by what lookup gives for them; kind is [FromEnv]
// or [FromFile]. $${ stands for a literal ${. It is for whoever executes: a header or a variable of a
// step keeps its references, so that no secret stands in a log, and what expressions gave is marked
// so that data cannot pass for a reference. It fails as lookup does, or with [ErrExpression].
func Resolve(text string, lookup func(kind, name string) (string, error)) (string, error) {
	parts, err := split(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, part := range parts {
		kind, name, ok := reference(part.text)
		switch {
		case !part.inside:
			b.WriteString(part.text)
		case !ok:
			return "", fmt.Errorf("%w: ${%s} is no reference", ErrExpression, part.text)
		default:
			secret, err := lookup(kind, name)
			if err != nil {
				return "", fmt.Errorf("look up ${%s}: %w", part.text, err)
			}
			b.WriteString(secret)
		}
	}
	return b.String(), nil
}

// fillReferring fills in the expressions of a text and leaves its references for [Resolve].
func fillReferring(text string, known programs, env Env) (string, error) {
	var b, plain strings.Builder
	flush := func() {
		b.WriteString(strings.ReplaceAll(plain.String(), "${", "$${"))
		plain.Reset()
	}
	for _, part := range cached(text) {
		if _, _, ok := reference(part.text); !part.inside || !ok {
			if err := part.write(&plain, known, env); err != nil {
				return "", err
			}
			continue
		}
		if strings.HasSuffix(plain.String(), "$") {
			return "", fmt.Errorf("%w: a $ stands right before the reference ${%s}", ErrExpression, part.text)
		}
		flush()
		b.WriteString("${" + part.text + "}")
	}
	flush()
	return b.String(), nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// reference checks a reference and whether one may stand here.
func (r *reader) reference(sc scope, p place, text string) {
	kind, name, _ := reference(text)
	switch {
	case !sc.references:
		r.fail(p, CodeBadExpression, "a reference like ${"+kind+":…} may not stand here",
			"references stand in env: and in the headers of http; name a variable there")
	case kind == FromEnv && !variable.MatchString(name):
		r.fail(p, CodeBadValue, short(name)+" is no name of a variable", variableHint)
	case strings.TrimSpace(name) == "" || strings.ContainsAny(name, "\r\n"):
		r.fail(p, CodeBadValue, "the reference names no file", "write ${file:PATH}")
	}
}

const variableHint = "use letters, digits and underscore, and no digit first"
