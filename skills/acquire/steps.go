package acquire

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Names of the templates that are built in.
const (
	TemplateAcquire = "acquire"
	TemplateRemove  = "acquire-remove"
	TemplateReset   = "acquire-reset"
)

var (
	//go:embed acquire.yaml
	acquireText string
	//go:embed remove.yaml
	removeText string
	//go:embed reset.yaml
	resetText string
)

// Template gives a built-in template for one run; what its steps pass on stands under a key of the run's.
func Template(name, run string) string {
	text := map[string]string{TemplateAcquire: acquireText, TemplateRemove: removeText, TemplateReset: resetText}[name]
	return strings.ReplaceAll(text, "KEY", Key(run))
}

// Key is under which key of the context a run passes on what its steps gave.
func Key(run string) string { return "acquire." + run }

// Job is what one step of a run is given.
type Job struct {
	Session, Run string
	Inputs       json.RawMessage            // of the run
	Context      map[string]json.RawMessage // what the steps before gave, by key
	Live         io.Writer                  // takes what is said while it works; may be nil
}

// Step does one step: its value, or why there is none.
type Step func(ctx context.Context, s Shop, j Job) (any, error)

// Steps is the table of steps by the names under which templates run them.
func Steps() map[string]Step {
	return map[string]Step{
		"acquire.find":     findStep,
		"acquire.fetch":    fetchStep,
		"acquire.unpack":   unpackStep,
		"acquire.audit":    auditStep,
		"acquire.install":  installStep,
		"acquire.register": registerStep,
		"acquire.remove":   removeStep,
		"acquire.reset":    resetStep,
	}
}

func findStep(ctx context.Context, s Shop, j Job) (any, error) {
	r, err := j.request()
	if err != nil {
		return nil, err
	}
	return s.Find(ctx, r)
}

func fetchStep(ctx context.Context, s Shop, j Job) (any, error) {
	c, _, err := j.candidate()
	if err != nil {
		return nil, err
	}
	return s.Fetch(ctx, c, j.Live)
}

func unpackStep(ctx context.Context, s Shop, j Job) (any, error) {
	c, _, err := j.candidate()
	if err != nil {
		return nil, err
	}
	return s.Unpack(ctx, c)
}

func auditStep(ctx context.Context, s Shop, j Job) (any, error) {
	c, r, err := j.candidate()
	if err != nil {
		return nil, err
	}
	return s.Audit(ctx, c, r)
}

func installStep(ctx context.Context, s Shop, j Job) (any, error) {
	c, r, err := j.candidate()
	if err != nil {
		return nil, err
	}
	var f Fetched
	if err := j.read("fetch", &f); err != nil {
		return nil, err
	}
	return s.Install(ctx, c, r, f, j.Session)
}

func registerStep(ctx context.Context, s Shop, j Job) (any, error) {
	c, r, err := j.candidate()
	if err != nil {
		return nil, err
	}
	return s.Register(ctx, c, r)
}

func removeStep(ctx context.Context, s Shop, j Job) (any, error) {
	r, err := j.request()
	if err != nil {
		return nil, err
	}
	return s.Remove(ctx, r.Slug, r)
}

func resetStep(_ context.Context, s Shop, j Job) (any, error) {
	var in struct {
		Run  string `json:"run"`
		Slug string `json:"slug"`
		To   string `json:"to"`
	}
	if err := json.Unmarshal(j.Inputs, &in); err != nil {
		return nil, fmt.Errorf("read the inputs: %w", err)
	}
	return GiveUp(s.Home, in.Run, in.Slug, Request{To: in.To})
}

func (j Job) request() (Request, error) {
	var r Request
	if err := json.Unmarshal(j.Inputs, &r); err != nil {
		return r, fmt.Errorf("read the inputs: %w", err)
	}
	return r, nil
}

// read gives what a step before left behind. It says what to look at, never what to believe.
func (j Job) read(step string, to any) error {
	raw, ok := j.Context[Key(j.Run)+"."+step]
	if !ok {
		return tampered("what the step %s gave is gone", step)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return tampered("what the step %s gave cannot be read: %v", step, err)
	}
	return nil
}

// candidate is what was found, if it can be what the request meant.
func (j Job) candidate() (Candidate, Request, error) {
	r, err := j.request()
	if err != nil {
		return Candidate{}, r, err
	}
	var c Candidate
	if err := j.read("find", &c); err != nil {
		return c, r, err
	}
	if err := errors.Join(CheckSlug(c.Slug), CheckVersion(c.Version)); err != nil {
		return c, r, tampered("what was found is no skill: %v", err)
	}
	if r.Slug != "" && c.Slug != r.Slug || r.Version != "" && c.Version != r.Version {
		return c, r, tampered("%s %s was found, and %s %s was asked for", c.Slug, c.Version, r.Slug, r.Version)
	}
	return c, r, nil
}

// FailureOf puts an error into the form in which a call fails.
func FailureOf(err error) *events.Failure {
	var r *sessions.Refusal
	if !errors.As(err, &r) {
		return &events.Failure{Class: "terminal", Code: CodeDisk, Message: err.Error()}
	}
	class := "terminal"
	if r.Code == CodeUnreachable {
		class = "retryable"
	}
	return &events.Failure{Class: class, Code: r.Code, Message: r.Message + "; " + r.Hint}
}

// SplitMessage takes the message of a failure apart again: what is wrong, and what to do.
func SplitMessage(message string) (what, hint string) {
	at := strings.LastIndex(message, "; ")
	if at < 0 {
		return message, "see `baton acquire status`"
	}
	return message[:at], message[at+2:]
}
