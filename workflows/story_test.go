package workflows_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

var update = flag.Bool("update", false, "rewrite the stories' answers")

// TestStories plays the stories of sessions and of runs. A story begins with "# title" and has a
// session of its own. Its lines:
//
//	> call.open {"skill":"s","intent":"i"}   a command by its name on the wire, one second later
//	> run.start @name                        the same with the text of a "template name" block
//	? envelope c001                          a question: what a reader sees
//	+ call.unheard {"x":1}                   an event of a newer Baton
//	. 30s                                    time passes
//
// Everything else is what came of it: events as "  type data", an answer as "= …", a refusal as "! …".
func TestStories(t *testing.T) {
	t.Parallel()
	var files []string
	for _, dir := range []string{"testdata", "../sessions/testdata"} {
		found, err := filepath.Glob(filepath.Join(dir, "*.story"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatal("no stories")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-told +happened):\n%s", file, diff)
			}
		})
	}
}

// play keeps a story's own lines and writes after each what comes of it.
func play(t *testing.T, text string) string {
	var out strings.Builder
	s := newStory()
	templates := map[string]string{}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "#":
			s = newStory()
		case "template":
			for i++; i < len(lines) && strings.HasPrefix(lines[i], "\t"); i++ {
				templates[rest] += strings.TrimPrefix(lines[i], "\t") + "\n"
			}
			i--
			fmt.Fprintf(&out, "%s\n\t%s\n", line, strings.ReplaceAll(strings.TrimSuffix(templates[rest], "\n"), "\n", "\n\t"))
			continue
		case ">", "?", "+", ".":
		case "":
			if line == "" {
				out.WriteString("\n")
			}
			continue
		default:
			continue // what came of it when the story was written
		}
		out.WriteString(line + "\n")
		if err := s.line(&out, kind, rest, templates); err != nil {
			t.Errorf("line %d: %s: %v", i+1, line, err)
		}
	}
	return out.String()
}

// story is one session's fold and clock.
type story struct {
	state *workflows.State
	now   time.Time
	n     int
}

func newStory() *story {
	return &story{state: workflows.New("s1"), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (s *story) line(out *strings.Builder, kind, rest string, templates map[string]string) error {
	name, arg, _ := strings.Cut(rest, " ")
	switch kind {
	case ">":
		s.now = s.now.Add(time.Second)
		return s.command(out, name, arg, templates)
	case "?":
		answer, err := s.question(name, arg)
		return tell(out, answer, err)
	case "+":
		s.fold(events.Event{Type: name, V: 1, Data: events.Unknown{Raw: json.RawMessage(arg)}})
	case ".":
		d, err := time.ParseDuration(name)
		s.now = s.now.Add(d)
		return err
	}
	return nil
}

func (s *story) command(out *strings.Builder, name, arg string, templates map[string]string) error {
	if name, ok := strings.CutPrefix(arg, "@"); ok {
		name, more, _ := strings.Cut(name, " ")
		start := map[string]any{"run": "r1", "name": name, "text": templates[name], "goal": "g", "mode": "auto", "workspace": "/w", "folder": "/f"}
		if more != "" {
			if err := json.Unmarshal([]byte(more), &start); err != nil {
				return err
			}
		}
		raw, _ := json.Marshal(start)
		arg = string(raw)
	}
	c, err := workflows.Decode(name, json.RawMessage(arg))
	if err != nil {
		return tell(out, nil, err)
	}
	if fire, ok := c.(workflows.Fire); ok {
		fire.Now = s.now
		c = fire
	}
	facts, err := c.Decide(s.state, plainWorld{})
	if err != nil {
		return tell(out, nil, err)
	}
	s.say(out, facts)
	for {
		more := workflows.Follow(s.state, plainWorld{})
		if len(more) == 0 {
			break
		}
		s.say(out, more)
	}
	if finish, ok := c.(workflows.Finish); ok {
		if next, ok := finish.After(s.state); ok {
			s.say(out, []events.Data{next})
		}
	}
	ref := sessions.Ref{}
	if len(facts) > 0 {
		ref = s.state.RefOf(facts[0])
	}
	answer, err := c.Answer(s.state, ref, plainWorld{})
	return tell(out, answer, err)
}

func (s *story) say(out *strings.Builder, facts []events.Data) {
	for _, d := range facts {
		e := events.New(d)
		raw, _ := events.Marshal(d)
		if started, ok := d.(events.RunStarted); ok {
			raw = fmt.Appendf(nil, `{"run":%q,"name":%q,…}`, started.Run, started.Name)
		}
		fmt.Fprintf(out, "  %s %s\n", e.Type, raw)
		s.fold(e)
	}
}

func (s *story) fold(e events.Event) {
	s.n++
	e.ID, e.Time = fmt.Sprintf("e%03d", s.n), s.now
	s.state.Fold(e)
}

// question answers as the engine's queries do.
func (s *story) question(name, arg string) (any, error) {
	args := strings.Fields(arg + " . . .")
	switch name {
	case "overview":
		return s.state.Overview()
	case "envelope":
		return s.state.Envelope(args[0], plainWorld{})
	case "row":
		c, err := s.state.FindCallOrStep(args[0])
		if err != nil {
			return nil, err
		}
		return s.state.Row(c, plainWorld{})
	case "get":
		return s.state.Get(args[0], plainWorld{})
	case "history":
		return s.state.History(args[0], plainWorld{})
	case "keys":
		return s.state.Keys(arg), nil
	case "steps":
		return s.steps(args[0])
	case "dead":
		return s.state.DeadLetters(), nil
	case "goal":
		return s.state.ShowGoal()
	case "why":
		return s.state.Why(args[0])
	case "standing":
		attempt, err := strconv.Atoi(args[1])
		return s.state.Standing(args[0], attempt, args[2]), err
	}
	return nil, errors.New("no such question")
}

// steps is a run in one line a step.
func (s *story) steps(run string) (any, error) {
	v, err := s.state.View(run, plainWorld{})
	if err != nil {
		return nil, err
	}
	out := []string{string(v.Status) + ": " + v.Reason}
	for _, step := range v.Steps {
		line := fmt.Sprintf("%s %s, attempts %d", step.ID, step.Status, step.Attempts)
		if step.Error != nil {
			line += ", " + step.Error.Code
		}
		out = append(out, line)
	}
	return out, nil
}

func tell(out *strings.Builder, answer any, err error) error {
	var r *sessions.Refusal
	if errors.As(err, &r) {
		fmt.Fprintf(out, "! %s %s\n", r.Kind, r.Error())
		return nil
	}
	if err != nil {
		return err
	}
	raw, err := events.Marshal(answer)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "= %s\n", raw)
	return nil
}

// plainWorld knows two skills: "writer", which is routed to and done by hand, and "runner", which a
// worker can execute. A task that names neither finds nothing; one that says "hack" is blocked, "maybe" is to be confirmed.
type plainWorld struct{}

func (plainWorld) Value(v events.Value) (json.RawMessage, error) {
	if v.Stored() {
		return json.RawMessage(`"stored ` + v.SHA256 + `"`), nil
	}
	if v.JSON == nil {
		return json.RawMessage("null"), nil
	}
	return v.JSON, nil
}

func (plainWorld) Limited(queue string) []string {
	if queue == "ocr" {
		return []string{"queue:ocr"}
	}
	return nil
}

func (plainWorld) Route(task sessions.RouteTask) (events.Data, error) {
	if strings.Contains(task.Task, "hack") {
		return events.RouteBlocked{Task: task.Task, Reason: "forbidden", Matched: "hack", Mode: task.Mode}, nil
	}
	d := events.RouteDecided{Task: task.Task, Mode: task.Mode, Threshold: task.Threshold, Margin: task.Margin, Top: task.Top, Decision: "no_match", Reason: "nothing fits", Index: "i1"}
	for _, skill := range []string{"writer", "runner"} {
		if strings.Contains(task.Task, skill) {
			d.Decision, d.Reason, d.Chosen = "auto", "it is named", skill
		}
	}
	if strings.Contains(task.Task, "maybe") {
		d.Decision, d.Candidates = "confirm", []events.Candidate{{Name: "writer"}}
	}
	return d, nil
}

func (plainWorld) Resolve(skill, _ string) sessions.Resolution {
	if skill == "runner" {
		return sessions.Resolution{Queue: "default", Execute: json.RawMessage(`{"exec":["./run"]}`)}
	}
	return sessions.Resolution{Missing: strings.Contains(skill, "gone")}
}

func (plainWorld) Items(v events.Value) ([]json.RawMessage, error) {
	var list []json.RawMessage
	err := json.Unmarshal(v.JSON, &list)
	return list, err
}

func (plainWorld) Stow(raw json.RawMessage) (events.Value, error) {
	return events.Value{SHA256: "stowed", Size: int64(len(raw))}, nil
}

func (plainWorld) Keep(raw json.RawMessage) (events.Value, error) {
	return events.Value{JSON: raw}, nil
}
