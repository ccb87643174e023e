package workflows

import (
	"bytes"
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
func overstep(call *sessions.Call, policy skills.Policy, answer json.RawMessage) *events.Failure {
	tool := policy.Refused(task.Tools(answer))
	if tool == "" {
		return nil
	}
	return &events.Failure{Class: "terminal", Code: "E_TOOL_NOT_ALLOWED", Message: fmt.Sprintf("the tool %s was called, the skill %s allows %v", tool, call.Skill, policy.Tools)}
}

// policyOf is the policy that a call is bound by: that of the slash, else that of the skill that its
// agent has loaded. One that cannot be read allows nothing.
func policyOf(call *sessions.Call, w sessions.World) (policy skills.Policy, bound bool) {
	if value, ok := call.Inputs[AllowedTools]; ok {
		raw, err := w.Value(value)
		if err != nil || json.Unmarshal(raw, &policy) != nil {
			return skills.Closed(), true
		}
		return policy, true
	}
	if !bytes.HasPrefix(call.Execute, []byte(`{"agent"`)) {
		return policy, false
	}
	var how struct {
		Agent struct {
			Tools *skills.Policy `json:"tools"`
		} `json:"agent"`
	}
	if json.Unmarshal(call.Execute, &how) != nil || how.Agent.Tools == nil {
		return policy, false
	}
	return *how.Agent.Tools, true
}
