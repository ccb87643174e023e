package operation

import (
	"context"
	"encoding/json"

	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
)

// Skills asks for the skills that a workspace sees.
type Skills struct {
	Workspace string `json:"workspace,omitempty" jsonschema:"absolute path of the folder whose skills count too"`
}

// SkillSearch asks for the skills that fit a task best.
type SkillSearch struct {
	Skills
	Task string `json:"task" jsonschema:"what is to be done"`
	Top  int    `json:"top,omitempty" jsonschema:"how many are listed; default 5"`
}

// SkillRead asks for a skill's text.
type SkillRead struct {
	Skills
	Name string `json:"name" jsonschema:"name of the skill"`
}

func listSkills(ctx context.Context, c Caller, in Skills) (json.RawMessage, error) {
	return c.Query(ctx, "skills.list", "", SkillsAsk{Workspace: in.Workspace})
}

func searchSkills(ctx context.Context, c Caller, in SkillSearch) (json.RawMessage, error) {
	if in.Top == 0 {
		in.Top = skill.DefaultTop
	}
	if in.Top < 1 || in.Top > 1000 {
		return nil, sessions.Refuse(sessions.Usage, "bad_top", "use a number from 1 to 1000", "a list of %d skills cannot be made", in.Top)
	}
	return c.Query(ctx, "skills.search", "", SkillsAsk{Workspace: in.Workspace, Task: in.Task, Top: in.Top})
}

func readSkill(ctx context.Context, c Caller, in SkillRead) (json.RawMessage, error) {
	return c.Query(ctx, "skills.load", "", SkillAsk{Workspace: in.Workspace, Name: in.Name})
}
