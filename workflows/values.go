package workflows

import (
	"maps"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Held is a value inside a command; Replace gives the command with another in its place.
type Held struct {
	Value   events.Value
	Replace func(Command, events.Value) Command
}

// Values lists the values that a command brings, so that large ones can be kept apart before it is
// decided.
func Values(c Command) []Held {
	switch c := c.(type) {
	case simple[sessions.SetContext]:
		return []Held{{c.Of.Value, func(c Command, v events.Value) Command {
			set := c.(simple[sessions.SetContext])
			set.Of.Value = v
			return set
		}}}
	case simple[sessions.AskRoute]:
		return []Held{{c.Of.Input, func(c Command, v events.Value) Command {
			ask := c.(simple[sessions.AskRoute])
			ask.Of.Input = v
			return ask
		}}}
	case Start:
		if c.Route == nil {
			return nil
		}
		return []Held{{c.Route.Input, func(c Command, v events.Value) Command {
			start := c.(Start)
			route := *start.Route
			route.Input = v
			start.Route = &route
			return start
		}}}
	case Fork:
		return inMap(c.Set)
	case simple[sessions.Open]:
		return inMap(c.Of.Inputs)
	case Close:
		return inMap(c.Outputs)
	case SendSignal:
		return []Held{{c.Value, func(c Command, v events.Value) Command {
			signal := c.(SendSignal)
			signal.Value = v
			return signal
		}}}
	case Finish:
		return append(inMap(c.Outputs), Held{c.Value, func(c Command, v events.Value) Command {
			end := c.(Finish)
			end.Value = v
			return end
		}})
	}
	return nil
}

// inMap changes the command's own map: it belongs to the command alone.
func inMap(m map[string]events.Value) []Held {
	var out []Held
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Held{m[key], func(c Command, v events.Value) Command {
			m[key] = v
			return c
		}})
	}
	return out
}

// Of makes a session's command one that goes wherever commands go.
func Of[C sessions.Command](c C) Command {
	if end, ok := any(c).(sessions.Close); ok {
		return Close{end}
	}
	return simple[C]{c}
}
