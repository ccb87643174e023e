// Package mcp is the door for agents: every operation that has a tool's name, as a tool of the Model
// Context Protocol; skills and traces as resources; a prompt for each workflow.
//
// It adds no rule. A tool takes what its operation takes, and gives the JSON that the command of the
// shell prints. Where a run waits for a person, the client is asked to ask one, if it can; else the
// approval that waits is named. Text that was written by others (skills, pages, results) is marked as
// data, so that no model takes it for instructions.
package mcp
