package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// plan asks one of the other routers. The tables that it goes by are kept, so that the same is decided
// again when the binary has others.
func (l *Library) plan(ctx context.Context, ask sessions.RouteTask) (events.Data, error) {
	p, ok := planners[ask.Router]
	if !ok {
		return nil, sessions.Refuse(sessions.Usage, "unknown_router", "use source, web or task", "there is no router %q", ask.Router)
	}
	tables, err := events.Marshal(p.complete(ask.Tables))
	if err != nil {
		return nil, fmt.Errorf("encode the tables of the %s router: %w", ask.Router, err)
	}
	index, err := l.Payloads.Put(ctx, tables)
	if err != nil {
		return nil, fmt.Errorf("keep the tables of the %s router: %w", ask.Router, err)
	}
	return l.planOver(ctx, ask, index)
}

// planAgain asks a router what it was asked, over the tables of then.
func (l *Library) planAgain(ctx context.Context, d events.RouteDecided) (events.Data, error) {
	again, err := l.planOver(ctx, sessions.RouteTask{Router: d.Router, Task: d.Task, Input: d.Input}, d.Index)
	decided, ok := again.(events.RouteDecided)
	if !ok {
		return again, err
	}
	decided.Route, decided.Run, decided.Step = d.Route, d.Run, d.Step
	return decided, err
}

func (l *Library) planOver(ctx context.Context, ask sessions.RouteTask, index string) (events.Data, error) {
	p, ok := planners[ask.Router]
	if !ok {
		return nil, fmt.Errorf("this Baton has no router %q", ask.Router)
	}
	raw, err := l.Payloads.Get(ctx, index)
	if err != nil {
		return nil, fmt.Errorf("tables %.12s of the decision: %w", index, err)
	}
	var tables map[string]string
	if err := json.Unmarshal(raw, &tables); err != nil {
		return nil, fmt.Errorf("tables %.12s of the decision: %w", index, err)
	}
	input, err := l.value(ctx, ask.Input)
	if err != nil {
		return nil, fmt.Errorf("input of the decision: %w", err)
	}
	got, err := p.plan(tables, input)
	if err != nil {
		return nil, planRefusal(ask.Router, err)
	}
	out := events.RouteDecided{
		Task: ask.Task, Decision: got.decision, Reason: got.reason, Chosen: got.chosen, Index: index, Router: ask.Router, Input: ask.Input,
	}
	if out.Answer, err = l.keepValue(ctx, got.answer); err != nil {
		return nil, fmt.Errorf("keep the decision: %w", err)
	}
	return out, nil
}

// planRefusal lets a refusal be and makes one of any other error: the question was at fault.
func planRefusal(router string, err error) error {
	var r *sessions.Refusal
	if errors.As(err, &r) {
		return r
	}
	return sessions.Refuse(sessions.Usage, "bad_"+router+"_input", "see `baton "+router+" -h`", "%v", err)
}

// maxPlanInline is the largest part of a decision that stands in the log itself.
const maxPlanInline = 32 << 10

func (l *Library) keepValue(ctx context.Context, v any) (events.Value, error) {
	raw, err := events.Marshal(v)
	if err != nil {
		return events.Value{}, err
	}
	if len(raw) <= maxPlanInline {
		return events.Value{JSON: raw}, nil
	}
	sum, err := l.Payloads.Put(ctx, raw)
	return events.Value{SHA256: sum, Size: int64(len(raw))}, err
}

func (l *Library) value(ctx context.Context, v events.Value) (json.RawMessage, error) {
	if v.Stored() {
		return l.Payloads.Get(ctx, v.SHA256)
	}
	if len(bytes.TrimSpace(v.JSON)) == 0 {
		return nil, errors.New("there is none")
	}
	return v.JSON, nil
}
