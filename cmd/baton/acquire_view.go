package main

import (
	"context"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/acquire"
	"github.com/batonflow/baton/workflows"
)

// viewOf puts together what the log has of an acquisition.
func (a *app) viewOf(ctx context.Context, l *link, v workflows.View) (operation.Acquisition, error) {
	approvals, err := engine.As[[]workflows.ApprovalView](l.Query(ctx, "run.approvals", v.Session, engine.RunAsk{Run: v.Run}))
	if err != nil {
		return operation.Acquisition{}, err
	}
	return host.AcquisitionOf(v, approvals)
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

func (p *page) acquisition(v operation.Acquisition) {
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
