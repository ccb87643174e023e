package workflows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Command asks for something in a session; see sessions.Command. Answer tells the asker what came of it.
type Command interface {
	Decide(*State, sessions.World) ([]events.Data, error)
	Answer(*State, sessions.Ref, sessions.World) (any, error)
}

// simple is a command that needs only the session.
type simple[C sessions.Command] struct{ Of C }

func (c simple[C]) Decide(s *State, w sessions.World) ([]events.Data, error) {
	return c.Of.Decide(s.State, w)
}
func (c simple[C]) Answer(s *State, ref sessions.Ref, w sessions.World) (any, error) {
	return c.Of.Answer(s.State, ref, w)
}
func (c simple[C]) MarshalJSON() ([]byte, error) { return json.Marshal(c.Of) }

// entry is one line of the table of commands.
type entry struct {
	name string
	kind reflect.Type
	read func(json.RawMessage) (Command, error)
}

// commands lists every command there is by the name it has on the wire. Adding one is a file and a line.
var commands = []entry{
	session[sessions.Begin]("session.begin"),
	session[sessions.End]("session.end"),
	whole[Fork]("session.fork"),
	session[sessions.AskRoute]("route.ask"),
	session[sessions.GiveFeedback]("feedback.give"),
	session[sessions.Open]("call.open"),
	whole[Close]("call.close"),
	whole[Repeat]("call.repeat"),
	session[sessions.Suspend]("call.suspend"),
	session[sessions.Resume]("call.resume"),
	session[sessions.SetContext]("context.set"),
	session[sessions.DeleteContext]("context.delete"),
	session[sessions.RollBackContext]("context.rollback"),
	session[sessions.MakeSwitch]("switch.make"),
	whole[Claim]("call.claim"),
	whole[Finish]("call.finish"),
	whole[Release]("call.release"),
	whole[Start]("run.start"),
	whole[Cancel]("run.cancel"),
	whole[ResumeRun]("run.resume"),
	whole[Resolve]("run.resolve"),
	whole[CallChild]("child.call"),
	whole[StopChild]("child.stop"),
	whole[ChildOver]("child.over"),
	whole[Approve]("run.approve"),
	whole[SendSignal]("run.signal"),
	whole[Fire]("timer.fire"),
	whole[SetGoal]("goal.set"),
	whole[ClearGoal]("goal.clear"),
	whole[EvaluateGoal]("goal.evaluate"),
}

// beginnings are the commands that begin something new: they are refused first when there is no room.
var beginnings = []string{"session.begin", "session.fork", "call.open", "run.start"}

// Begins says whether a command begins something new.
func Begins(c Command) bool { return slices.Contains(beginnings, NameOf(c)) }

func whole[C Command](name string) entry {
	return entry{name, reflect.TypeFor[C](), func(raw json.RawMessage) (Command, error) {
		var c C
		err := strict(raw, &c)
		return c, err
	}}
}

func session[C sessions.Command](name string) entry {
	return entry{name, reflect.TypeFor[simple[C]](), func(raw json.RawMessage) (Command, error) {
		var c C
		err := strict(raw, &c)
		return simple[C]{c}, err
	}}
}

// NameOf is a command's name on the wire; empty for one that is not in the table.
func NameOf(c Command) string {
	kind := reflect.TypeOf(c)
	for _, e := range commands {
		if e.kind == kind {
			return e.name
		}
	}
	return ""
}

// RouteAsked gives the task of a command that asks the router of the skills.
func RouteAsked(c Command) (sessions.RouteTask, bool) {
	ask, ok := c.(simple[sessions.AskRoute])
	return ask.Of.RouteTask, ok && ask.Of.Router == ""
}

// Decode reads a command as it came over the wire.
func Decode(name string, raw json.RawMessage) (Command, error) {
	i := slices.IndexFunc(commands, func(e entry) bool { return e.name == name })
	if i < 0 {
		return nil, sessions.Refuse(sessions.Usage, "unknown_command", "use the same version of Baton on both sides", "there is no command %q", name)
	}
	c, err := commands[i].read(raw)
	if err != nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_command", "use the same version of Baton on both sides", "command %s cannot be read: %v", name, err)
	}
	return c, nil
}

func strict(raw json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	return nil
}
