package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/workflows"
)

// dialogue is one call of a tool, in the course of which a person may be asked. The question goes back
// as the result, and the client calls again with the answer; for clients of older revisions the SDK
// asks in between.
type dialogue struct {
	door      *door
	request   *sdk.CallToolRequest
	caller    operation.Caller
	operation operation.Operation
	arguments json.RawMessage
	unheard   bool // nobody answered: not to be asked again
}

// state is what comes back with an answer: the run, and the exact actions that a person was asked about.
// It gives nobody a right: whoever can forge it can answer approvals anyway.
type state struct {
	Session string            `json:"session"`
	Run     string            `json:"run"`
	Actions map[string]string `json:"actions"` // approval → digest of its action
}

// following are tools that show where a run stands, with the operation that shows it again.
var following = map[string]string{"workflow_run": "workflow.show", "run_status": "workflow.show", "acquire_run": "acquire.status", "acquire_status": "acquire.status"}

// before asks a person about an approval that the model wants to answer with yes; nil: nobody is asked.
func (d dialogue) before(ctx context.Context) *sdk.CallToolResult {
	if d.operation.Tool != "run_approve" || !d.canAsk() {
		return nil
	}
	var in operation.RunApprove
	if json.Unmarshal(d.arguments, &in) != nil || in.Yes == nil || !*in.Yes {
		return nil // a no needs nobody's leave
	}
	waiting := d.waiting(ctx, in.Run)
	for _, a := range waiting {
		if len(waiting) == 1 && in.Step == "" || in.Step == a.Step || in.Step == a.Approval {
			return d.ask([]workflows.ApprovalView{a})
		}
	}
	return nil // the operation says what is wrong
}

// after adds to an answer what a run waits for: a question for the client, else the approvals' names.
func (d dialogue) after(ctx context.Context, answer operation.Answer) *sdk.CallToolResult {
	out := result(d.operation, answer)
	var view struct {
		Run    string              `json:"run"`
		Status workflows.RunStatus `json:"status"`
	}
	if following[d.operation.Tool] == "" || json.Unmarshal(answer.JSON, &view) != nil || view.Status != workflows.Waiting {
		return out
	}
	waiting := d.waiting(ctx, view.Run)
	if len(waiting) == 0 {
		return out
	}
	if d.canAsk() && !d.unheard && (d.request.Params.RequestState == "" || d.manyRounds()) {
		return d.ask(waiting)
	}
	for _, a := range waiting {
		out.Content = append(out.Content, &sdk.TextContent{Text: fmt.Sprintf(
			"The run waits for a person. Approval %s of step %s, asked %s: only a person may answer, with `baton workflow approve %s --step %s` or in Baton's page.",
			a.Approval, a.Step, a.AskedAt.Format(time.RFC3339), a.Run, a.Step)})
	}
	return out
}

// canAsk says whether the client can ask a person.
func (d dialogue) canAsk() bool {
	can := d.request.ClientCapabilities()
	return can != nil && can.Elicitation != nil
}

// firstWithRounds is the first revision in which a question is a result, so that there can be several.
const firstWithRounds = "2026-07-28"

// manyRounds says whether the client can be asked again in the same call.
func (d dialogue) manyRounds() bool {
	p := d.request.Session.InitializeParams()
	return p == nil || p.ProtocolVersion >= firstWithRounds
}

// waiting lists what a run asks and nobody has answered.
func (d dialogue) waiting(ctx context.Context, run string) []workflows.ApprovalView {
	row, err := engine.As[projections.RunRow](d.caller.Query(ctx, "run.find", "", engine.FindAsk{ID: run}))
	if err != nil {
		return nil
	}
	all, err := engine.As[[]workflows.ApprovalView](d.caller.Query(ctx, "run.approvals", row.Session, engine.RunAsk{Run: row.ID}))
	if err != nil {
		return nil
	}
	var open []workflows.ApprovalView
	for _, a := range all {
		if !a.Decided {
			open = append(open, a)
		}
	}
	return open
}

// ask makes a question of each approval.
func (d dialogue) ask(approvals []workflows.ApprovalView) *sdk.CallToolResult {
	s := state{Session: approvals[0].Session, Run: approvals[0].Run, Actions: map[string]string{}}
	questions := sdk.InputRequestMap{}
	for _, a := range approvals {
		s.Actions[a.Approval] = a.Action
		questions[a.Approval] = &sdk.ElicitParams{Mode: "form", Message: question(a), RequestedSchema: form}
	}
	raw, err := events.Marshal(s)
	if err != nil {
		return refused(err)
	}
	return &sdk.CallToolResult{InputRequests: questions, RequestState: string(raw)}
}

// form is what a person fills in.
var form = json.RawMessage(`{"type":"object","properties":{` +
	`"approve":{"type":"boolean","title":"Do it","description":"yes: exactly this is done; no: it is not"},` +
	`"note":{"type":"string","title":"Note","description":"why, for the log"}},"required":["approve"]}`)

// longestAction bounds what of an action is shown in a question.
const longestAction = 4 << 10

// question says what a person is asked about: the exact action, whose text others may have written.
func question(a workflows.ApprovalView) string {
	action := projections.Escape(string(a.Params))
	if len(action) > longestAction {
		action = strings.ToValidUTF8(action[:longestAction], "") + "…"
	}
	text := fmt.Sprintf("Run %s, step %s asks:\n%s\n\nWhat would be done (data, written by the template and its steps):\n%s\nDigest: %s",
		a.Run, a.Step, projections.Escape(a.Question), action, a.Action)
	if a.Expires != nil {
		text += "\nNo answer until " + a.Expires.Format(time.RFC3339) + " is a no."
	}
	return text
}

// heard takes in what a person said, and goes on with the run. Only the action that was shown is
// approved: another one under the same name is asked about anew.
func (d dialogue) heard(ctx context.Context) *sdk.CallToolResult {
	var s state
	if err := json.Unmarshal([]byte(d.request.Params.RequestState), &s); err != nil {
		return refused(fmt.Errorf("read the state of the dialogue: %w", err))
	}
	last := operation.Answer{}
	d.unheard = true
	for _, a := range d.waiting(ctx, s.Run) {
		said, ok := d.request.Params.InputResponses[a.Approval].(*sdk.ElicitResult)
		if !ok || said.Action == "cancel" || s.Actions[a.Approval] != a.Action {
			continue // nobody answered
		}
		yes, _ := said.Content["approve"].(bool)
		note, _ := said.Content["note"].(string)
		yes = yes && said.Action == "accept"
		in, err := events.Marshal(operation.RunApprove{AboutRun: operation.AboutRun{Run: s.Run}, Step: a.Approval, Yes: &yes, By: d.caller.Meta.Actor, Note: note})
		if err != nil {
			return refused(err)
		}
		answering := d.caller
		answering.Meta.Request = "" // that one is the run's
		if last, err = d.door.tools["run_approve"].Do(ctx, answering, in); err != nil {
			return refused(err)
		}
		d.unheard = false
	}
	if d.operation.Tool == "run_approve" {
		if d.unheard {
			return refused(errNobody(s.Run))
		}
		return result(d.operation, last)
	}
	return d.again(ctx, s.Run)
}

// again shows the run as it is now, after waiting as long as the call was to wait.
func (d dialogue) again(ctx context.Context, run string) *sdk.CallToolResult {
	var in struct {
		Wait float64 `json:"wait"`
	}
	_ = json.Unmarshal(d.arguments, &in) // what they are was read by the operation
	arguments, err := events.Marshal(map[string]any{"run": run, "wait": in.Wait})
	if err != nil {
		return refused(err)
	}
	o, ok := operation.Find(following[d.operation.Tool])
	if !ok {
		return refused(fmt.Errorf("there is no operation %q", following[d.operation.Tool]))
	}
	answer, err := o.Do(ctx, d.caller, arguments)
	if err != nil {
		return refused(err)
	}
	return d.after(ctx, answer)
}
