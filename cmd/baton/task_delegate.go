package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/workflows"
)

// handedOut is the answer of task delegate: what was let through, and the calls that it became.
type handedOut struct {
	Session     string            `json:"session"`
	Delegations []task.Delegation `json:"delegations"`
	Calls       []string          `json:"calls"`
}

// handing is a delegation as it was typed.
type handing struct {
	query, goal, context, items string
	toolsets                    []string
	queue, skill                string
}

func (a *app) taskDelegate() *cobra.Command {
	var h handing
	return a.verb(verb{
		use: "delegate QUERY [--items JSON]", short: a.taskSay("hand a query to a child: as it is, with an empty context, at most ten items each"),
		example: `
baton task delegate "find papers on 3D nystagmus"
baton task delegate "download these papers" --items '["10.1/a","10.1/b"]' --queue skills`, args: exactly("QUERY"),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&h.goal, "goal", "", a.taskSay("what the child is told; anything but the query is refused"))
			f.StringVar(&h.context, "context", "", a.taskSay("what it is told beside; anything is refused, it knows by itself how to go about it"))
			f.StringVar(&h.items, "items", "[]", a.taskSay("`JSON` list of things to be worked on one by one; more than ten are split over several children"))
			f.StringSliceVar(&h.toolsets, "toolsets", nil, a.taskSay("of terminal, file, web, skills (default: all)"))
			f.StringVar(&h.queue, "queue", workflows.SkillsQueue, a.say("leave it on this queue for somebody to claim"))
			f.StringVar(&h.skill, "skill", "task-router", a.say("the skill that is used"))
		},
		run: func(ctx context.Context, args []string) error {
			h.query = args[0]
			var items []json.RawMessage
			if err := json.Unmarshal([]byte(h.items), &items); err != nil {
				return sessions.Refuse(sessions.Usage, "bad_value", "give a JSON list", "--items is no list: %v", err)
			}
			if n := len(items); n > task.MostItems {
				return sessions.Refuse(sessions.Usage, "E_TOO_MANY_ITEMS", "split the items over several tasks", "there are %d items, %d are taken", n, task.MostItems)
			}
			return a.within(ctx, func(l *link, session string) error { return a.handOut(ctx, l, session, h, items) })
		},
	})
}

// handOut lets sound delegations through and refuses any other; only too many items can be helped.
func (a *app) handOut(ctx context.Context, l *link, session string, h handing, items []json.RawMessage) error {
	depth, err := a.depth(ctx, l, session)
	if err != nil {
		return err
	}
	p := task.Proposal{Goal: h.query, Context: h.context, Toolsets: h.toolsets, Depth: depth}
	if h.goal != "" {
		p.Goal = h.goal
	}
	if codes := task.Lint(h.query, p); len(codes) > 0 {
		return sessions.Refuse(sessions.Refused, codes[0], a.taskSay(lintHints[codes[0]]), "this delegation is not let through: %s", strings.Join(codes, ", ")).With("codes", codes)
	}
	out := handedOut{Session: session, Delegations: task.Delegate(h.query, len(items)), Calls: []string{}}
	for i := range out.Delegations {
		d := &out.Delegations[i]
		if h.toolsets != nil {
			d.Toolsets = h.toolsets
		}
		call, err := a.open(ctx, l, session, h, *d, items)
		if err != nil {
			return err
		}
		out.Calls = append(out.Calls, call)
	}
	return a.answer(out, func(p *page) error {
		p.taskChildren(out.Delegations)
		p.line("%s", strings.Join(out.Calls, " "))
		return nil
	})
}

// open leaves a delegation on its queue.
func (a *app) open(ctx context.Context, l *link, session string, h handing, d task.Delegation, items []json.RawMessage) (string, error) {
	raw, err := events.Marshal(d)
	if err != nil {
		return "", err
	}
	inputs := map[string]events.Value{"query": {JSON: jsonText(h.query)}, "delegation": {JSON: raw}}
	if d.Scope != nil && d.Scope.FirstItem > 0 {
		items = slices.Clone(items[d.Scope.FirstItem-1 : d.Scope.FirstItem-1+d.Scope.ItemCount])
	}
	if len(items) > 0 {
		if raw, err = events.Marshal(items); err != nil {
			return "", err
		}
		inputs["items"] = events.Value{JSON: raw}
	}
	c := sessions.Open{Skill: h.skill, Intent: h.query, Inputs: inputs, Queue: h.queue, Path: a.skillsPath()}
	e, _, err := answerOf[sessions.Envelope](ctx, a, l, session, workflows.Of(c))
	return e.CallID, err
}

// delegateTool is the tool that handing work on is; a skill that declares its tools has to name it.
const delegateTool = "delegate_task"

// depth is how deep a delegation from here would be: a child's own child is too deep.
func (a *app) depth(ctx context.Context, l *link, session string) (int, error) {
	call := a.Env("BATON_CALL")
	if call == "" {
		return 1, nil
	}
	row, err := engine.As[sessions.Row](l.Query(ctx, "call.show", session, engine.CallAsk{Call: call}))
	if err != nil {
		return 0, err
	}
	var policy skills.Policy
	if raw := row.Inputs[workflows.AllowedTools]; len(raw) > 0 && (json.Unmarshal(raw, &policy) != nil || !policy.Allows(delegateTool)) {
		return 0, sessions.Refuse(sessions.Refused, "E_TOOL_NOT_ALLOWED", "do the work in this call", "call %s runs a skill that may not hand work on: %s is not among its tools", call, delegateTool)
	}
	if len(row.Inputs["delegation"]) > 0 {
		return 2, nil
	}
	return 1, nil
}

func jsonText(text string) json.RawMessage {
	raw, err := events.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // texts always encode
	}
	return raw
}

// lintHints say what to do about a delegation that is not let through.
var lintHints = map[string]string{
	"E_CONTEXT_NOT_EMPTY": "leave --context out: the child knows its skills",
	"E_GOAL_NOT_VERBATIM": "leave --goal out: the child is told the query as it is",
	"E_TOO_MANY_ITEMS":    "split the items over several children",
	"E_NESTED_DELEGATION": "do the work here, or hand it back: a child has no children",
	"E_TOOLSET":           "use terminal, file, web and skills",
}
