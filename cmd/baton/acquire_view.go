package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/acquire"
	"github.com/batonflow/baton/skills/audit"
	"github.com/batonflow/baton/workflows"
)

// acquisitionView is an acquisition as people and programs see it.
type acquisitionView struct {
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
	Error     *wireError              `json:"error,omitempty"`
	TraceFile string                  `json:"trace_file"`
}

// viewOf puts together what the log has of an acquisition.
func (a *app) viewOf(ctx context.Context, l *link, v workflows.View) (acquisitionView, error) {
	out := acquisitionView{Run: v.Run, Session: v.Session, Status: v.Status, Steps: v.Steps, Findings: []audit.Finding{}, TraceFile: v.TraceFile}
	var found acquire.Found
	var fetched acquire.Fetched
	var audited acquire.Audited
	var installed acquire.Installed
	var registered acquire.Registered
	for step, to := range map[string]any{"find": &found, "fetch": &fetched, "audit": &audited, "install": &installed, "register": &registered} {
		if raw, ok := v.Outputs[acquire.Key(v.Run)+"."+step]; ok {
			if err := json.Unmarshal(raw, to); err != nil {
				return out, fmt.Errorf("what step %s gave: %w", step, err)
			}
		}
	}
	out.Slug, out.Version, out.Source = found.Slug, found.Version, found.Source
	out.From, out.SHA256, out.SignedBy = fetched.From, fetched.SHA256, fetched.SignedBy
	out.Tree, out.Risk, out.Verdict = audited.Tree, audited.Risk, audited.Verdict
	if audited.Findings != nil {
		out.Findings = audited.Findings
	}
	out.Path, out.Already, out.Routable = installed.Path, installed.Already, registered.Routable
	out.Step, out.Error = standsAt(v)
	approvals, err := engine.As[[]workflows.ApprovalView](l.Query(ctx, "run.approvals", v.Session, engine.RunAsk{Run: v.Run}))
	if n := len(approvals); n > 0 {
		out.Approval = &approvals[n-1]
	}
	return out, err
}

// standsAt is the step at which an acquisition stands, and what it failed with.
func standsAt(v workflows.View) (string, *wireError) {
	for _, s := range v.Steps {
		switch workflows.StepPhase(s.Status) {
		case workflows.StepDone, workflows.StepSkipped:
			continue
		}
		if v.Status != workflows.Failed || s.Error == nil {
			return s.ID, nil
		}
		message, hint := acquire.SplitMessage(s.Error.Message)
		return s.ID, &wireError{Code: s.Error.Code, Message: message, Hint: hint, Details: map[string]any{"step": s.ID, "run": v.Run}}
	}
	return "", nil
}

// showRun asks for a run as it is now.
func showRun(ctx context.Context, l *link, session, run string) (workflows.View, error) {
	return engine.As[workflows.View](l.Query(ctx, "run.show", session, engine.RunAsk{Run: run}))
}

// shownAcquisition prints an acquisition whatever its state.
func (a *app) shownAcquisition(ctx context.Context, l *link, v workflows.View, err error) error {
	if err != nil {
		return err
	}
	view, err := a.viewOf(ctx, l, v)
	if err != nil {
		return err
	}
	return a.answer(view, func(p *page) error { p.acquisition(view); return nil })
}

func (p *page) acquisition(v acquisitionView) {
	what := strings.TrimSpace(v.Slug + " " + v.Version)
	if what == "" {
		what = "?"
	}
	p.line("%s  %s  run %s", p.status(string(v.Status), 0), what, v.Run)
	for _, s := range v.Steps {
		p.step(s, len("register"))
	}
	if v.SHA256 != "" {
		p.line("from %s", v.From)
		p.line("  sha256 %s, as pinned", v.SHA256)
	}
	if v.SignedBy != "" {
		p.line("  signed by %s", v.SignedBy)
	}
	if v.Verdict != "" {
		p.line("audit: %s, risk %s, %d findings", string(v.Verdict), string(v.Risk), len(v.Findings))
		p.findings(v.Findings, 10)
	}
	if v.Approval != nil && v.Approval.Decided {
		p.line("confirmed by %s: %s", v.Approval.By, v.Approval.Note)
	}
	if v.Error != nil {
		p.line("%s: %s; %s", v.Error.Code, v.Error.Message, v.Error.Hint)
	}
	if v.Path != "" && v.Status == workflows.Completed {
		p.line("installed in %s", v.Path)
	}
}

// findAcquisition gives the run that is named, or the newest acquisition that open accepts, or else
// the newest.
func (a *app) findAcquisition(ctx context.Context, l *link, args []string, open func(projections.RunRow) bool) (projections.RunRow, error) {
	none := sessions.Refuse(sessions.NotFound, "acquisition_not_found", "begin one with `baton acquire run --query …`", "there is no acquisition here")
	if len(args) > 0 && args[0] != "@last" {
		row, err := engine.As[projections.RunRow](l.Query(ctx, "run.find", "", engine.FindAsk{ID: args[0]}))
		if err == nil && row.Name != acquire.TemplateAcquire {
			err = none
		}
		return row, err
	}
	session := ""
	if a.session != "" {
		var err error
		if session, err = a.find(ctx, l, a.session); err != nil {
			return projections.RunRow{}, err
		}
	}
	rows, err := engine.As[[]projections.RunRow](l.Query(ctx, "run.list", session, engine.ListAsk{Name: acquire.TemplateAcquire}))
	if err != nil {
		return projections.RunRow{}, err
	}
	for _, r := range rows {
		if open(r) {
			return r, nil
		}
	}
	if len(rows) == 0 {
		return projections.RunRow{}, none
	}
	return rows[0], nil
}
