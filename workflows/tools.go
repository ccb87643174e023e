package workflows

import (
	"encoding/json"
	"fmt"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
)

// AllowedTools is the input that holds the policy of a skill called by its slash name. It stands in
// the call's opening, so it lasts for that call and nothing that runs in it can widen it.
const AllowedTools = "allowed_tools"

// overstep says which tool an answer admits to having called that the call may not use; nil: none.
func (s *State) overstep(call *sessions.Call, answer json.RawMessage, w sessions.World) *events.Failure {
	value, ok := call.Inputs[AllowedTools]
	if !ok {
		return nil
	}
	var policy skills.Policy
	raw, err := w.Value(value)
	if err != nil || json.Unmarshal(raw, &policy) != nil {
		policy = skills.Closed() // what cannot be read allows nothing
	}
	tool := policy.Refused(task.Tools(answer))
	if tool == "" {
		return nil
	}
	return &events.Failure{Class: "terminal", Code: "E_TOOL_NOT_ALLOWED", Message: fmt.Sprintf("the tool %s was called, the skill %s allows %v", tool, call.Skill, policy.Tools)}
}
