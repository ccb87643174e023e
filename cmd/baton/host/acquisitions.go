package host

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/acquire"
	"github.com/batonflow/baton/skills/audit"
	"github.com/batonflow/baton/skills/disk"
	"github.com/batonflow/baton/workflows"
)

// AcquireInputs are the inputs of the run that brings a skill in.
func AcquireInputs(r acquire.Request) map[string]any {
	return map[string]any{"query": r.Query, "slug": r.Slug, "version": r.Version, "source": r.Source, "to": r.To, "auto": r.Auto, "force": r.Force}
}

// FillAcquisition puts a built-in template into the command that starts it.
func FillAcquisition(start *workflows.Start, name string, inputs map[string]any) error {
	start.Name, start.Text, start.Folder = name, acquire.Template(name, start.Run), start.Workspace
	words := []string{name}
	for _, key := range []string{"slug", "query", "version", "run"} {
		if text, ok := inputs[key].(string); ok && text != "" {
			words = append(words, text)
		}
	}
	start.Goal = strings.Join(words, " ")
	start.Inputs = make(map[string]json.RawMessage, len(inputs))
	for key, value := range inputs {
		raw, err := events.Marshal(value)
		if err != nil {
			return fmt.Errorf("input %s: %w", key, err)
		}
		start.Inputs[key] = raw
	}
	return nil
}

// SkillsFolder is the folder of skills that is meant by the name of a host or a path; "" is the
// installation's own.
func SkillsFolder(to string, env map[string]string) (string, error) {
	if to == "" {
		return "", nil
	}
	if dir, ok := (disk.Places{Home: env["HOME"], Env: env}).UserFolder(to); ok {
		return dir, nil
	}
	if filepath.Base(to) == to {
		if info, err := os.Stat(to); err != nil || !info.IsDir() {
			return "", sessions.Refuse(sessions.NotFound, "host_not_found", "see `baton skills sources`, or give a path like ./skills", "--to %q is neither a known host nor a folder", to)
		}
	}
	return filepath.Abs(to)
}

// AcquisitionOf puts together what the log has of an acquisition.
func AcquisitionOf(v workflows.View, approvals []workflows.ApprovalView) (operation.Acquisition, error) {
	out := operation.Acquisition{Run: v.Run, Session: v.Session, Status: v.Status, Steps: v.Steps, Findings: []audit.Finding{}, TraceFile: v.TraceFile}
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
	out.Step, out.Error = StandsAt(v)
	if n := len(approvals); n > 0 {
		out.Approval = &approvals[n-1]
	}
	return out, nil
}

// StandsAt is the step at which an acquisition stands, and what it failed with.
func StandsAt(v workflows.View) (string, *operation.Error) {
	for _, s := range v.Steps {
		switch workflows.StepPhase(s.Status) {
		case workflows.StepDone, workflows.StepSkipped:
			continue
		}
		if v.Status != workflows.Failed || s.Error == nil {
			return s.ID, nil
		}
		message, hint := acquire.SplitMessage(s.Error.Message)
		return s.ID, &operation.Error{Code: s.Error.Code, Message: message, Hint: hint, Details: map[string]any{"step": s.ID, "run": v.Run}}
	}
	return "", nil
}

// prepareAcquisition gives the command that starts an acquisition.
func (s *Server) prepareAcquisition(ctx context.Context, _ string, q operation.AcquireAsk) (any, error) {
	r := acquire.Request{Query: q.Query, Version: q.Version, Slug: q.Slug, Source: q.Source, To: q.To, Auto: q.Auto, Force: q.Force}
	if err := r.Check(); err != nil {
		return nil, err
	}
	if q.To != "" && filepath.Base(q.To) != q.To && !filepath.IsAbs(q.To) {
		return nil, notAbsolute("to", q.To)
	}
	var err error
	if r.To, err = SkillsFolder(r.To, s.Env); err != nil {
		return nil, err
	}
	p, err := s.prepared(ctx, operation.RunStart{Session: q.Session, Workspace: q.Workspace}, q.Request)
	if err != nil {
		return nil, err
	}
	return p, FillAcquisition(&p.Start, acquire.TemplateAcquire, AcquireInputs(r))
}

// showAcquisition gives the acquisition that is named, or the newest.
func (s *Server) showAcquisition(ctx context.Context, _ string, q operation.AcquireStatus) (any, error) {
	none := sessions.Refuse(sessions.NotFound, "acquisition_not_found", "begin one with `baton acquire run --query …`", "there is no acquisition here")
	rows, err := engine.As[[]projections.RunRow](s.listAcquisitions(ctx, "", engine.None{}))
	if err != nil {
		return nil, err
	}
	if q.Run == "" || q.Run == "@last" {
		if len(rows) == 0 {
			return nil, none
		}
		return s.acquisition(ctx, rows[0])
	}
	var row projections.RunRow
	s.projector.Index(func(x *projections.Index) { row, err = x.FindRun(q.Run, "", false) })
	if err != nil || row.Name != acquire.TemplateAcquire {
		return nil, none
	}
	return s.acquisition(ctx, row)
}

func (s *Server) acquisition(ctx context.Context, row projections.RunRow) (any, error) {
	ask := s.backend()
	view, err := engine.As[workflows.View](ask.Query(ctx, "run.show", row.Session, engine.RunAsk{Run: row.ID}))
	if err != nil {
		return nil, err
	}
	approvals, err := engine.As[[]workflows.ApprovalView](ask.Query(ctx, "run.approvals", row.Session, engine.RunAsk{Run: row.ID}))
	if err != nil {
		return nil, err
	}
	return AcquisitionOf(view, approvals)
}

func (s *Server) listAcquisitions(ctx context.Context, _ string, _ engine.None) (any, error) {
	return s.backend().Query(ctx, "run.list", "", engine.ListAsk{Name: acquire.TemplateAcquire})
}
