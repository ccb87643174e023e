package template

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Holds says whether the step's condition is true; a step without one always runs. It fails with
// [ErrExpression] when the condition fails or is neither true nor false.
func (s *Step) Holds(env Env) (bool, error) {
	if s.When == "" {
		return true, nil
	}
	p, err := s.programs.get(use{s.When, condition})
	if err != nil {
		return false, err
	}
	v, err := p.eval(env, mostWork)
	if err != nil {
		return false, err
	}
	holds, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("%w: the condition gives %s, which is neither true nor false", ErrExpression, typeOf(v))
	}
	return holds, nil
}

// Goal is the step's intent with its expressions filled in.
func (s *Step) Goal(env Env) (string, error) {
	goal, err := fillText(s.Intent, s.programs, env)
	if err != nil {
		return "", fmt.Errorf("intent of %s: %w", s.ID, err)
	}
	return goal, nil
}

// Values are the step's inputs with their expressions filled in, as JSON.
func (s *Step) Values(env Env) (map[string]json.RawMessage, error) {
	values := make(map[string]json.RawMessage, len(s.Inputs))
	for name, v := range s.Inputs {
		filled, err := expand(v, s.programs, env)
		if err != nil {
			return nil, fmt.Errorf("input %s of %s: %w", name, s.ID, err)
		}
		if values[name], err = compact(filled); err != nil {
			return nil, fmt.Errorf("input %s of %s: %w", name, s.ID, err)
		}
	}
	return values, nil
}

// Execute is Run with its expressions filled in, as [Action.Execute]; nil when the step has none.
func (s *Step) Execute(env Env) (json.RawMessage, error) {
	if s.action == nil {
		return nil, nil
	}
	filled, err := s.action.Execute(env)
	if err != nil {
		return nil, fmt.Errorf("run of %s: %w", s.ID, err)
	}
	return filled, nil
}

// expand fills in the ${…} of every text in a value. A text that is nothing but one ${…} becomes the
// expression's value with its type; within a longer text, texts stand as they are and other values as
// compact JSON. $${ stands for a literal ${.
func expand(v any, known programs, env Env) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		return fill(v, known, env)
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			if list[i], err = expand(one, known, env); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, one := range v {
			if m[k], err = expand(one, known, env); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	return v, nil
}

func fill(text string, known programs, env Env) (any, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	parts, err := split(text)
	if err != nil {
		return nil, err
	}
	if len(parts) == 1 && parts[0].inside {
		p, err := known.get(use{source: parts[0].text})
		if err != nil {
			return nil, err
		}
		return p.eval(env, mostWork)
	}
	return join(parts, known, env)
}

// fillText fills in a text that Parse has read, and gives a text.
func fillText(text string, known programs, env Env) (string, error) {
	return join(cached(text), known, env)
}

func join(parts []part, known programs, env Env) (string, error) {
	var b strings.Builder
	for _, part := range parts {
		if err := part.write(&b, known, env); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// part is a piece of a text: as it stands, or what stood between ${ and }.
type part struct {
	text   string
	inside bool
}

// cached splits a text that Parse has already split once without a fault.
func cached(text string) []part {
	parts, err := split(text)
	if err != nil {
		return []part{{text: text}}
	}
	return parts
}

func (p part) write(b *strings.Builder, known programs, env Env) error {
	if !p.inside {
		b.WriteString(p.text)
		return nil
	}
	compiled, err := known.get(use{source: p.text})
	if err != nil {
		return err
	}
	v, err := compiled.eval(env, mostWork)
	if err != nil {
		return err
	}
	text, err := written(v)
	b.WriteString(text)
	return err
}

// written is how a value stands in a text: a text as it is, anything else as compact JSON.
func written(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	raw, err := compact(v)
	return string(raw), err
}

// split cuts a text into what stands as it is and what stands between ${ and }.
func split(text string) ([]part, error) {
	var parts []part
	var plain strings.Builder
	for text != "" {
		at := strings.Index(text, "${")
		if at < 0 {
			plain.WriteString(text)
			break
		}
		if at > 0 && text[at-1] == '$' {
			plain.WriteString(text[:at-1] + "${")
			text = text[at+2:]
			continue
		}
		plain.WriteString(text[:at])
		end := closing(text[at+2:])
		if _, _, ok := reference(text[at+2:]); ok {
			end = strings.IndexByte(text[at+2:], '}')
		}
		if end < 0 {
			return nil, fmt.Errorf("%w: the ${ is not closed", ErrExpression)
		}
		if plain.Len() > 0 {
			parts = append(parts, part{text: plain.String()})
			plain.Reset()
		}
		parts = append(parts, part{text: text[at+2 : at+2+end], inside: true})
		text = text[at+2+end+1:]
	}
	if plain.Len() > 0 {
		parts = append(parts, part{text: plain.String()})
	}
	return parts, nil
}

// closing finds the brace that ends an expression; braces in it and in its texts do not.
func closing(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == '\\' && quote != '`':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}
