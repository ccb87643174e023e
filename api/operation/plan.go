package operation

import (
	"context"
	"encoding/json"
	"math"

	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// IntentParse asks how a request is read.
type IntentParse struct {
	Text string `json:"text" jsonschema:"the request"`
}

// SentinelCheck asks whether a task would be let through.
type SentinelCheck struct {
	Task     string           `json:"task" jsonschema:"what is to be done"`
	SubTasks []intent.SubTask `json:"subtasks,omitempty" jsonschema:"its parts; default: as they are read from the task"`
	Skills   []string         `json:"skills,omitempty" jsonschema:"names of the skills there are"`
}

// Recorded is the part of an input that names a session in which a decision is to be kept.
type Recorded struct {
	Session string `json:"session,omitempty" jsonschema:"session in which the decision is recorded; without it nothing is"`
}

// SourcePlan asks for the plan of a search.
type SourcePlan struct {
	Recorded
	Task json.RawMessage `json:"task" jsonschema:"object with the description of the search: task_type, primary_subject, goal_mode, freshness_required, available_sources, need_counter_evidence, budget_limit …"`
}

// WebRoute asks which tool a task on the web begins with.
type WebRoute struct {
	Recorded
	web.Request
	Tools json.RawMessage `json:"tools,omitempty" jsonschema:"the host's tools, a list or an object with them; default: those of the installation"`
}

// TaskRoute asks how a query is worked on.
type TaskRoute struct {
	Recorded
	TaskInput
}

// Planned is what a router decides, and how a session is asked to record it.
type Planned struct {
	Answer json.RawMessage    `json:"answer"`
	Record sessions.RouteTask `json:"record"`
}

// plan asks a router, and has a session record the decision where one is named.
func plan[In interface{ recorded() string }](query string) func(context.Context, Caller, In) (json.RawMessage, error) {
	return func(ctx context.Context, c Caller, in In) (json.RawMessage, error) {
		got, err := ask[Planned](ctx, c, query, "", in)
		if err != nil || in.recorded() == "" {
			return got.Answer, err
		}
		session, err := FindSession(ctx, c, in.recorded())
		if err != nil {
			return nil, err
		}
		_, err = c.Backend.Do(ctx, session, workflows.Of(sessions.AskRoute{RouteTask: got.Record}), c.Meta)
		return got.Answer, err
	}
}

func (r Recorded) recorded() string { return r.Session }

// WebRecover asks what follows a failure on the web.
type WebRecover struct {
	Errors     []string `json:"errors" jsonschema:"codes or HTTP statuses: what it looks like"`
	RetryAfter *float64 `json:"retry_after,omitempty" jsonschema:"seconds that the server asked for"`
	Retried    bool     `json:"retried,omitempty" jsonschema:"the tool was retried for this target already"`
	Write      bool     `json:"write,omitempty" jsonschema:"the call was to change something"`
}

// Verdict says what follows; the failure's codes are read as they were written.
func (in WebRecover) Verdict() (web.Verdict, error) {
	if len(in.Errors) == 0 {
		return web.Verdict{}, sessions.Refuse(sessions.Usage, "flag_missing", "name one, like timeout or 429", "what failed is not said")
	}
	if after := in.RetryAfter; after != nil && (!(*after >= 0) || math.IsInf(*after, 0)) {
		return web.Verdict{}, sessions.Refuse(sessions.Usage, "bad_value", "give seconds, 0 or more", "--retry-after %v is no time to wait", *after)
	}
	f := web.Failure{RetryAfter: in.RetryAfter, Retried: in.Retried, Write: in.Write}
	for _, text := range in.Errors {
		f.Codes = append(f.Codes, web.ReadCode(text))
	}
	return web.Recover(f), nil
}

func webRecover(_ context.Context, _ Caller, in WebRecover) (web.Verdict, error) { return in.Verdict() }

// WebURLs asks for the form in which addresses are compared.
type WebURLs struct {
	URLs []string `json:"urls" jsonschema:"addresses"`
}

// Normalised is an address in that form, or why it has none.
type Normalised struct {
	Input string `json:"input"`
	URL   string `json:"url,omitempty"`
	Error string `json:"error,omitempty"`
}

// Normalise gives each address its form.
func (in WebURLs) Normalise() []Normalised {
	list := make([]Normalised, len(in.URLs))
	for i, raw := range in.URLs {
		list[i].Input = raw
		url, err := web.Normalise(raw)
		if err != nil {
			list[i].Error = err.Error()
		}
		list[i].URL = url
	}
	return list
}

func webURLs(_ context.Context, _ Caller, in WebURLs) ([]Normalised, error) {
	return in.Normalise(), nil
}
