package template

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

var stepFields = fieldTable{
	of: "a step",
	fields: []string{"id", "skill", "intent", "inputs", "input", "output", "needs", "when", "run", "queue",
		"retry", "timeout", "terminal_exits", "effects", "unknown", "foreach", "concurrency", "join", "quorum",
		"confirm", "compensate", "limit", "env", "optional", "sandbox"},
	elsewhere: map[string]string{
		Exec: "write run: {exec: [...]}", Agent: "write run: agent", Claim: "write run: claim", Builtin: "write run: {builtin: ...}",
		HTTP: "write run: {http: ...}", MCP: "write run: {mcp: ...}", Approval: "write run: {approve: ...}",
		Waiting: "write run: {wait: ...}", Child: "write run: {workflow: ...}",
		"on_failure": "it stands beside steps, for the whole template", ProbeUnknown: "write unknown: {probe: ...}",
		"budget": "write limits: {budget: ...} beside steps", "parallel": "write limits: {parallel: ...} beside steps",
	},
}

const nameHint = "use lower-case letters, digits, hyphen and underscore, at most 64"

var queueName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// stepPlaces remembers where a step's fields stand, for the faults found when steps are seen together.
type stepPlaces struct {
	step, id, output, needs place
	need                    []place // each of explicit
	reads                   []reading
}

// reading is one key that a step reads, and where it says so.
type reading struct {
	key        string
	at         place
	expression bool // an expression names it, not input
	optional   bool // the expression copes with its absence
	after      bool // read once the step itself has completed
}

// steps reads all steps and gives them their ids.
func (r *reader) steps(t *Template, root *yaml.Node, p place, common Step) []stepPlaces {
	switch {
	case p.absent():
		r.fail(place{root, "steps"}, CodeNoSteps, "the template has no steps", "write at least one step")
		return nil
	case p.node.Kind != yaml.SequenceNode:
		r.fail(p, CodeBadType, "steps is a list, this is "+kind(p.node), "begin each step with a hyphen")
		return nil
	case len(p.node.Content) == 0:
		r.fail(p, CodeNoSteps, "the template has no steps", "write at least one step")
		return nil
	case len(p.node.Content) > MaxSteps:
		r.fail(p, CodeTooLarge, fmt.Sprintf("the template has %d steps, at most %d are taken", len(p.node.Content), MaxSteps), "split it")
		return nil
	}
	places := make([]stepPlaces, len(p.node.Content))
	t.Steps = make([]Step, len(p.node.Content))
	for i, n := range p.node.Content {
		t.Steps[i], places[i] = r.step(p.item(i, n), common)
		t.Steps[i].Index = i
	}
	r.ids(t, places)
	return places
}

func (r *reader) step(p place, common Step) (Step, stepPlaces) {
	s, at := common, stepPlaces{step: p}
	s.Effects, s.programs = AtLeastOnce, r.programs
	f := r.fields(p, stepFields)
	if f == nil {
		return s, at
	}
	if id, ok := f["id"]; ok {
		at.id, s.ID = id, r.id(id)
	}
	s.Skill, _ = r.line(f["skill"], mostName)
	s.Intent, _ = r.text(f["intent"])
	s.Retry = r.retry(f["retry"], common.Retry)
	if d, ok := r.duration(f["timeout"]); ok {
		s.Timeout = d
	}
	r.effects(&s, f["effects"], f["unknown"])
	s.TerminalExits = r.exits(f["terminal_exits"])
	r.run(&s, f["run"])
	r.queue(&s, f["queue"])
	s.Limit = r.limit(f["limit"])
	s.Env = r.environment(f["env"], common.Env)
	s.Sandbox = r.sandbox(f["sandbox"], common.Sandbox)
	s.Confirm = r.confirm(f["confirm"])
	s.Compensate = r.action(f["compensate"], undoFields)
	r.foreach(&s, p, f)
	r.dependencies(&s, &at, f)
	r.expressions(&s, &at, f)
	r.handed(&s, &at, f["run"])
	s.Optional, _ = r.yesNo(f["optional"])
	r.contradictions(&s, f)
	unattended(&s)
	if s.Skill == "" && s.Intent == "" && f["run"].absent() && !r.faulty(p) {
		r.fail(p, CodeMissingField, "the step says neither skill, intent nor run", "say what is to be done")
	}
	return s, at
}

// faulty says whether a fault has been found within the place that was just read.
func (r *reader) faulty(p place) bool {
	n := len(r.faults)
	return n > 0 && strings.HasPrefix(r.faults[n-1].Path, p.path+".")
}

func (r *reader) id(p place) string {
	s, ok := r.text(p)
	if !ok && !p.absent() {
		return ""
	}
	if why := badID(s); why != "" {
		r.fail(p, CodeBadValue, "the id "+why, idHint)
	}
	return s
}

func (r *reader) exits(p place) []int {
	if p.absent() {
		return nil
	}
	if p.node.Kind != yaml.SequenceNode {
		r.fail(p, CodeBadType, "terminal_exits is a list of exit statuses, this is "+kind(p.node), "write terminal_exits: [2]")
		return nil
	}
	var exits []int
	for i, n := range p.node.Content {
		if exit, ok := r.whole(p.item(i, n), 1, 255); ok {
			exits = append(exits, exit)
		} else if n.ShortTag() == "!!null" {
			r.fail(p.item(i, n), CodeBadType, "this must be a whole number, it is empty", "")
		}
	}
	return exits
}

func (r *reader) queue(s *Step, p place) {
	name, ok := r.line(p, mostName)
	if !ok {
		return
	}
	switch {
	case !queueName.MatchString(name):
		r.fail(p, CodeBadValue, short(name)+" is no name of a queue", nameHint)
	case s.Queue != "" && s.Queue != name:
		r.fail(p, CodeBadValue, fmt.Sprintf("run: claim already names the queue %s", short(s.Queue)), "name one queue")
	default:
		s.Queue = name
	}
}

// dependencies reads what the step needs, reads and writes by name.
func (r *reader) dependencies(s *Step, at *stepPlaces, f map[string]place) {
	needs := f["needs"]
	at.needs = needs
	s.given = !needs.absent()
	s.explicit, at.need = r.texts(needs, mostName)
	var places []place
	s.Input, places = r.texts(f["input"], mostKey)
	for i, key := range s.Input {
		at.reads = append(at.reads, reading{key: key, at: places[i]})
	}
	at.output = f["output"]
	s.Output, _ = r.line(at.output, mostKey)
	if strings.HasPrefix(s.Output, "inputs.") {
		r.fail(at.output, CodeBadValue, "inputs are given when the run starts, no step writes them", "choose another key")
		s.Output = ""
	}
}

// ids names the steps that have no id after their skill or number, and finds ids used twice.
func (r *reader) ids(t *Template, places []stepPlaces) {
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.ID == "" {
			continue
		}
		if first, twice := t.byID[s.ID]; twice {
			r.fail(places[i].id, CodeDuplicateStep,
				fmt.Sprintf("the id %s is already that of the step in line %d", short(s.ID), places[first].step.node.Line), "choose another id")
			continue
		}
		t.byID[s.ID] = i
	}
	next := map[string]int{} // by base, where to go on looking
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.ID != "" {
			continue
		}
		base := slug(s.Skill)
		if base == "" {
			base = "step-" + strconv.Itoa(i+1)
		}
		s.ID = base
		for n := max(2, next[base]); ; n++ {
			if _, taken := t.byID[s.ID]; !taken {
				next[base] = n
				break
			}
			suffix := "-" + strconv.Itoa(n)
			s.ID = cut(base, mostID-len(suffix)) + suffix
		}
		t.byID[s.ID] = i
	}
}

func idRune(c rune) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || unicode.Is(unicode.Han, c)
}

// slug makes an id of a skill's name: what may not stand in an id becomes a hyphen.
func slug(skill string) string {
	words := strings.FieldsFunc(skill, func(c rune) bool { return !idRune(c) })
	return cut(strings.Join(words, "-"), mostID)
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}
