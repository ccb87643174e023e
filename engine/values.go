package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

const (
	// MaxValue is the largest value that is kept at all.
	MaxValue = 64 << 20
	// maxInline is how many bytes of values one command may bring into its commit; each can stand
	// there twice, as an output and as the context key it becomes.
	maxInline = 56 << 10
	// maxKept is the largest value that a consequence brings into a commit.
	maxKept     = 32 << 10
	cachedBytes = 64 // values kept in memory
)

// values keeps large values apart from the log, by the SHA-256 of their bytes.
type values struct {
	store stream.Payloads
	cache *lru.Cache[string, json.RawMessage]
}

func newValues(store stream.Payloads) *values {
	cache, _ := lru.New[string, json.RawMessage](cachedBytes) // fails only for sizes below one
	return &values{store, cache}
}

// Get gives the JSON of a value, wherever it is kept.
func (v *values) Get(ctx context.Context, value events.Value) (json.RawMessage, error) {
	if !value.Stored() {
		if value.JSON == nil {
			return json.RawMessage("null"), nil
		}
		return value.JSON, nil
	}
	if raw, ok := v.cache.Get(value.SHA256); ok {
		return raw, nil
	}
	raw, err := v.store.Get(ctx, value.SHA256)
	if err != nil {
		return nil, fmt.Errorf("payload %.12s: %w", value.SHA256, err)
	}
	v.cache.Add(value.SHA256, raw)
	return raw, nil
}

// items takes a list apart.
func (v *values) items(ctx context.Context, value events.Value) ([]json.RawMessage, error) {
	raw, err := v.Get(ctx, value)
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("a list of items: %w", err)
	}
	return list, nil
}

// put moves a value out of the log.
func put(ctx context.Context, store stream.Payloads, value events.Value) (events.Value, error) {
	if len(value.JSON) > MaxValue {
		return value, sessions.Refuse(sessions.Usage, "value_too_large", "put it into a file and keep its path",
			"a value has %d bytes, the limit is %d", len(value.JSON), MaxValue)
	}
	sum, err := store.Put(ctx, value.JSON)
	if err != nil {
		return value, fmt.Errorf("store a value of %d bytes: %w", len(value.JSON), err)
	}
	return events.Value{SHA256: sum, Size: int64(len(value.JSON))}, nil
}

// stash moves a command's large values to the payload store, the largest first, until what is left
// fits into a commit. The payload is there before the event that names it.
func stash(ctx context.Context, store stream.Payloads, c workflows.Command) (workflows.Command, error) {
	found := workflows.Values(c)
	total := 0
	for _, v := range found {
		total += len(v.Value.JSON)
	}
	if total <= maxInline {
		return c, nil
	}
	slices.SortStableFunc(found, func(a, b workflows.Held) int { return len(b.Value.JSON) - len(a.Value.JSON) })
	for _, held := range found {
		if total <= maxInline {
			break
		}
		stored, err := put(ctx, store, held.Value)
		if err != nil {
			return c, unreachable(err)
		}
		total -= len(held.Value.JSON)
		c = held.Replace(c, stored)
	}
	return c, nil
}

// world is what decisions of one session may look up.
type world struct {
	ctx       context.Context
	values    *values
	skills    Skills
	workspace string
	limited   func(queue string) []string
	judge     events.Judged
}

func (w world) Value(v events.Value) (json.RawMessage, error) { return w.values.Get(w.ctx, v) }

func (w world) Items(v events.Value) ([]json.RawMessage, error) { return w.values.items(w.ctx, v) }

func (w world) Keep(raw json.RawMessage) (events.Value, error) {
	value := events.Value{JSON: raw}
	if len(raw) <= maxKept {
		return value, nil
	}
	return put(w.ctx, w.values.store, value)
}

func (w world) Stow(raw json.RawMessage) (events.Value, error) {
	return put(w.ctx, w.values.store, events.Value{JSON: raw})
}

func (w world) Route(task sessions.RouteTask) (events.Data, error) {
	task.Judge = w.judge
	return w.skills.Route(w.ctx, w.workspace, task)
}

func (w world) Resolve(skill, path string) sessions.Resolution {
	return w.skills.Resolve(w.ctx, w.workspace, path, skill)
}

// ErrErased says that what a decision rested on was deleted on request: it is made again from what is
// left, and nobody can check the rest.
var ErrErased = errors.New("input erased")

func (w world) Limited(queue string) []string {
	if w.limited == nil {
		return nil
	}
	return w.limited(queue)
}

// ErrOlder says that a decision was made by another version of the router, by whose rules this one
// cannot decide: it stands as it is recorded.
var ErrOlder = errors.New("decided by another version of the router")

// Skills answers what decisions ask about skills, over the index of a workspace as it is now.
type Skills interface {
	Route(ctx context.Context, workspace string, task sessions.RouteTask) (events.Data, error)
	Resolve(ctx context.Context, workspace, path, skill string) sessions.Resolution
	// Again decides a route over the index that it was decided on. ErrErased, with the decision: some
	// of its input was deleted since. ErrOlder, with the recorded decision: this router cannot make it.
	Again(ctx context.Context, decided events.RouteDecided) (events.Data, error)
}
