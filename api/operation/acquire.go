package operation

import (
	"context"
	"encoding/json"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/skills/audit"
	"github.com/batonflow/baton/workflows"
)

// AcquireRun brings a skill in.
type AcquireRun struct {
	Query     string  `json:"query" jsonschema:"what is needed: a name, or words"`
	Version   string  `json:"version,omitempty" jsonschema:"the version; only where the table of trust pins exactly one it may be left out"`
	Slug      string  `json:"slug,omitempty" jsonschema:"the skill's name"`
	Source    string  `json:"source,omitempty" jsonschema:"only from this kind of source: dir, github or https"`
	To        string  `json:"to,omitempty" jsonschema:"install into the skills of this host, or into the folder of this absolute path"`
	Auto      bool    `json:"auto,omitempty" jsonschema:"do not ask about P1; P0 is always asked about"`
	Force     bool    `json:"force,omitempty" jsonschema:"put it in the place of one that is installed"`
	Session   string  `json:"session,omitempty" jsonschema:"session that it is run in; default: one that begins with it"`
	Workspace string  `json:"workspace,omitempty" jsonschema:"absolute path of the folder that is worked in"`
	Wait      float64 `json:"wait,omitempty" jsonschema:"how many seconds to wait for its end, up to 60"`
}

// AcquireAsk asks the server for the command that starts an acquisition.
type AcquireAsk struct {
	AcquireRun
	Request string `json:"request,omitempty"`
}

// AcquireStatus asks where an acquisition stands.
type AcquireStatus struct {
	Run  string  `json:"run,omitempty" jsonschema:"id of its run, a prefix of it, or @last; default: the newest"`
	Wait float64 `json:"wait,omitempty" jsonschema:"how many seconds to wait for its end, up to 60"`
}

// Acquisition is an acquisition as people and programs see it.
type Acquisition struct {
	Run       string                  `json:"run"`
	Session   string                  `json:"session"`
	Status    workflows.RunStatus     `json:"status"`
	Step      string                  `json:"step"` // at which it stands; "" when it is completed
	Slug      string                  `json:"slug"`
	Version   string                  `json:"version"`
	Source    string                  `json:"source"`
	From      string                  `json:"from,omitempty"`
	SHA256    string                  `json:"sha256,omitempty"`
	SignedBy  string                  `json:"signed_by,omitempty"`
	Tree      string                  `json:"tree,omitempty"`
	Risk      audit.Level             `json:"risk,omitempty"`
	Verdict   audit.Verdict           `json:"verdict,omitempty"`
	Findings  []audit.Finding         `json:"findings"`
	Approval  *workflows.ApprovalView `json:"approval,omitempty"`
	Path      string                  `json:"path,omitempty"`
	Already   bool                    `json:"already,omitempty"`
	Routable  bool                    `json:"routable"`
	Steps     []workflows.StepView    `json:"steps"`
	Error     *Error                  `json:"error,omitempty"`
	TraceFile string                  `json:"trace_file"`
}

// Error is a refusal or a failure as programs read it.
type Error struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint"`
	Details map[string]any `json:"details"`
}

func acquire(ctx context.Context, c Caller, in AcquireRun) (json.RawMessage, error) {
	started, err := start(ctx, c, "acquire.prepare", AcquireAsk{AcquireRun: in, Request: c.Meta.Request}, in.Wait)
	if err != nil {
		return nil, err
	}
	var view struct {
		Run string `json:"run"`
	}
	if err := json.Unmarshal(started, &view); err != nil {
		return nil, err
	}
	return c.Query(ctx, "acquire.show", "", AcquireStatus{Run: view.Run})
}

func acquireStatus(ctx context.Context, c Caller, in AcquireStatus) (json.RawMessage, error) {
	wait, err := waiting(in.Wait)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		if err := awaitAcquisition(ctx, c, in.Run, wait); err != nil {
			return nil, err
		}
	}
	return c.Query(ctx, "acquire.show", "", AcquireStatus{Run: in.Run})
}

func awaitAcquisition(ctx context.Context, c Caller, run string, wait time.Duration) error {
	now, err := ask[Acquisition](ctx, c, "acquire.show", "", AcquireStatus{Run: run})
	if err == nil {
		_, err = await(ctx, c, now.Session, now.Run, wait)
	}
	return err
}

func listAcquisitions(ctx context.Context, c Caller, _ Page) (json.RawMessage, error) {
	return c.Query(ctx, "acquire.list", "", engine.None{})
}
