package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// help is the text of -h: an example first, at every level.
func (a *app) help(c *cobra.Command) []byte {
	var out bytes.Buffer
	if c.Example != "" {
		fmt.Fprintf(&out, "%s\n  %s\n\n", a.say("Example:"), strings.ReplaceAll(c.Example, "\n", "\n  "))
	}
	usage := c.UseLine()
	if c.HasAvailableSubCommands() {
		usage = c.CommandPath() + " " + a.say("COMMAND")
	}
	fmt.Fprintf(&out, "%s\n\n%s\n  %s\n", c.Short, a.say("Usage:"), usage)
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&out, "\n%s\n", a.say("Commands:"))
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&out, "  %s  %s\n", pad(sub.Name(), 11), sub.Short)
			}
		}
	}
	own := a.say("Flags:")
	if !c.HasParent() {
		own = a.say("Flags of every command:")
	}
	if c.HasAvailableLocalFlags() {
		fmt.Fprintf(&out, "\n%s\n%s", own, c.LocalFlags().FlagUsages())
	}
	if c.HasAvailableInheritedFlags() {
		fmt.Fprintf(&out, "\n%s\n%s", a.say("Flags of every command:"), c.InheritedFlags().FlagUsages())
	}
	return out.Bytes()
}
