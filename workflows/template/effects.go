package template

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// How often the effect of a step may happen.
const (
	AtLeastOnce = "at-least-once" // a lost attempt is made up for
	AtMostOnce  = "at-most-once"  // an attempt that never reported is unknown
)

// What becomes of an at-most-once step that started and never reported.
const (
	AskUnknown   = "ask"   // a person decides
	RetryUnknown = "retry" // it is started again
	ProbeUnknown = "probe" // Step.Probe says whether the effect happened
)

var (
	unknownFields = fieldTable{of: "unknown", fields: []string{ProbeUnknown}}
	probeFields   = fieldTable{of: "probe", fields: []string{Exec}}
	undoFields    = fieldTable{of: "compensate", fields: []string{Exec, Agent, HTTP, MCP, Builtin}, elsewhere: map[string]string{
		Approval: undoHint, Waiting: undoHint, Child: undoHint, Claim: undoHint,
	}}
)

const undoHint = "undoing runs by itself: write exec, http, mcp, agent or builtin"

func (r *reader) effects(s *Step, p, unknown place) {
	s.Effects = AtLeastOnce
	said, ok := r.word(p, AtLeastOnce, AtMostOnce)
	switch {
	case said == AtMostOnce && !r.takes(p, "effects: "+said):
	case said == AtMostOnce:
		s.Effects, s.Unknown = AtMostOnce, AskUnknown
		if !unknown.absent() {
			r.unknown(s, unknown)
		}
	case !unknown.absent() && (ok || p.absent()):
		r.fail(unknown, CodeContradiction, "only an at-most-once step can end unknown", "write effects: at-most-once, or leave it out")
	}
}

func (r *reader) unknown(s *Step, p place) {
	const hint = "write unknown: {probe: {exec: [...]}}"
	switch {
	case p.node.Kind == yaml.ScalarNode && p.node.Value == ProbeUnknown:
		r.fail(p, CodeMissingField, "unknown: probe does not say what to run", hint)
	case p.node.Kind == yaml.MappingNode:
		probe, ok := r.fields(p, unknownFields)[ProbeUnknown]
		switch {
		case !ok && r.faulty(p):
		case !ok || probe.absent():
			r.fail(p, CodeMissingField, "unknown does not say what to do", hint)
		default:
			s.Unknown, s.Probe = ProbeUnknown, r.action(probe, probeFields)
		}
	default:
		if word, ok := r.word(p, AskUnknown, RetryUnknown); ok {
			s.Unknown = word
		}
	}
}

// action reads what is executed beside a step's own run.
func (r *reader) action(p place, table fieldTable) *Action {
	if p.absent() {
		return nil
	}
	if p.node.Kind != yaml.MappingNode {
		r.fail(p, CodeBadType, fmt.Sprintf("%s is a mapping with an executor's name, this is %s", table.of, kind(p.node)),
			"write "+table.of+`: {exec: ["program", "argument"]}`)
		return nil
	}
	var scratch Step
	return r.executor(&scratch, p, table)
}
