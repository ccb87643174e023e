package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/sessions"
)

// verb describes one command that does something.
type verb struct {
	use     string
	short   string
	example string
	args    cobra.PositionalArgs
	need    []string // flags that must be given
	flags   func(*pflag.FlagSet)
	run     func(ctx context.Context, args []string) error
}

// verb makes the command. Whatever is wrong with flags and arguments is told before run is called.
func (a *app) verb(v verb) *cobra.Command {
	c := &cobra.Command{Use: v.use, Short: a.say(v.short), Example: strings.TrimSpace(v.example), Args: v.args, DisableFlagsInUseLine: true}
	if c.Args == nil {
		c.Args = exactly()
	}
	if v.flags != nil {
		v.flags(c.Flags())
	}
	c.Flags().SortFlags = false
	c.RunE = func(c *cobra.Command, args []string) error {
		if a.lang != "en" && a.lang != "zh" {
			return sessions.Refuse(sessions.Usage, "bad_value", "use en or zh", "--lang %q is no language of Baton", a.lang)
		}
		for _, name := range v.need {
			if c.Flags().Lookup(name).Value.String() == "" || !c.Flags().Changed(name) {
				return sessions.Refuse(sessions.Usage, missingCode(name), "see `"+c.CommandPath()+" -h`", "%s needs --%s", c.CommandPath(), name)
			}
		}
		a.began = true
		return v.run(c.Context(), args)
	}
	return c
}

// missingCode is the code for a flag that is missing: the engine's own where it has one.
func missingCode(flag string) string {
	switch flag {
	case "goal", "skill", "intent", "reason":
		return flag + "_missing"
	}
	return "flag_missing"
}

// group makes a command that only holds others.
func (a *app) group(use, short, example string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: a.say(short), Example: strings.TrimSpace(example), Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return a.unknownCommand(c, args[0])
		}
		return sessions.Refuse(sessions.Usage, "command_missing", "see `"+c.CommandPath()+" -h`", "%s needs a command: %s", c.CommandPath(), strings.Join(names(c), ", "))
	}
	c.AddCommand(commands...)
	return c
}

func names(c *cobra.Command) []string {
	var out []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			out = append(out, sub.Name())
		}
	}
	return out
}

func (a *app) unknownCommand(c *cobra.Command, name string) error {
	hint := "see `" + c.CommandPath() + " -h`"
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean `" + c.CommandPath() + " " + near[0] + "`?"
	}
	return sessions.Refuse(sessions.Usage, "unknown_command", hint, "%s has no command %q", c.CommandPath(), name)
}

// flagError says what is wrong with a flag. On a group, a word that is no command comes first: its
// flags cannot be known.
func (a *app) flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
		return a.unknownCommand(c, args[0])
	}
	hint := "see `" + c.CommandPath() + " -h`"
	var unknown *pflag.NotExistError
	var incomplete *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		if name := unknown.GetSpecifiedName(); len(name) == 1 && strings.ContainsAny(name, "0123456789.") {
			hint = "put -- before values that begin with -"
		}
		return sessions.Refuse(sessions.Usage, "unknown_flag", hint, "%s: %v", c.CommandPath(), err)
	case errors.As(err, &incomplete):
		return sessions.Refuse(sessions.Usage, "value_missing", hint, "%s: %v", c.CommandPath(), err)
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		return sessions.Refuse(sessions.Usage, "bad_value", hint, "%s: --%s takes %s, not %q", c.CommandPath(), f.Name, kindOf(f), invalid.GetValue())
	}
	return sessions.Refuse(sessions.Usage, "bad_value", hint, "%s: %v", c.CommandPath(), err)
}

// kindOf says in words what a flag takes.
func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	case "duration":
		return "a duration like 30s or 5m"
	case "bool":
		return "true or false"
	}
	return "another kind of value"
}

// exactly takes one argument for each name.
func exactly(names ...string) cobra.PositionalArgs { return between(len(names), names...) }

// between takes the first least arguments, and the others if they are given.
func between(least int, names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := "see `" + c.CommandPath() + " -h`"
		switch {
		case len(args) < least:
			return sessions.Refuse(sessions.Usage, "argument_missing", hint, "%s needs %s", c.CommandPath(), strings.Join(names[len(args):least], " and "))
		case len(args) > len(names) && len(names) == 0:
			return sessions.Refuse(sessions.Usage, "argument_unknown", hint, "%s takes no argument, it was given %q", c.CommandPath(), args[0])
		case len(args) > len(names):
			return sessions.Refuse(sessions.Usage, "argument_unknown", "quote a text with spaces; "+hint, "%s takes %s, it was also given %q", c.CommandPath(), strings.Join(names, " "), args[len(names)])
		}
		return nil
	}
}
