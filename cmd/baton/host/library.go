package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/disk"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workflows"
)

// Library is the skills of every workspace, scanned when they are asked for and kept while nothing
// changes. Each index that a decision uses is kept in the payload store, so that the decision can be
// made again.
type Library struct {
	Home     Home
	Places   disk.Places // without the workspace
	Payloads stream.Payloads
	Agent    string // profile of the coding agent that takes skills without an entry point; "": none

	Env map[string]string // what the sentinel may look for

	ConfirmHighRisk bool // every high-risk action is confirmed

	Logger *slog.Logger

	scans   *engine.Ledger[*scans]
	bodies  *bodies
	lessons *lessons

	mu      sync.Mutex
	again   againShelf
	shelves map[string]*shelf
	rules   rulebook
	stored  map[string]bool // digests that are in the payload store
	watch   *disk.Watch     // nil: changes are found by looking
	stir    chan struct{}   // something that is watched has changed
	cold    chan func() *skill.Router
}

// Route decides which skill serves the task, or what another router says, as a fact to be recorded.
func (l *Library) Route(ctx context.Context, workspace string, task sessions.RouteTask) (events.Data, error) {
	if task.Router != "" {
		return l.plan(ctx, task)
	}
	shelf, err := l.Look(ctx, workspace, task.Path)
	if err != nil {
		return nil, err
	}
	if err := l.keep(ctx, shelf); err != nil {
		return nil, err
	}
	lessons, err := l.lessons.recall(ctx, task.Task)
	if err != nil {
		return nil, err
	}
	return l.decide(shelf, task, lessons)
}

// keep puts the index and the rules into the payload store once.
func (l *Library) keep(ctx context.Context, shelf Shelf) error {
	if err := l.keepOnce(ctx, shelf.Rules.Digest(), func() ([]byte, error) { return shelf.Rules.Encode(), nil }); err != nil {
		return fmt.Errorf("keep the rules of routing: %w", err)
	}
	if err := l.keepOnce(ctx, shelf.Digest, shelf.Index.Encode); err != nil {
		return fmt.Errorf("keep the index of skills: %w", err)
	}
	return nil
}

func (l *Library) keepOnce(ctx context.Context, digest string, encode func() ([]byte, error)) error {
	l.mu.Lock()
	stored := l.stored[digest]
	l.mu.Unlock()
	if stored {
		return nil
	}
	raw, err := encode()
	if err != nil {
		return err
	}
	if _, err := l.Payloads.Put(ctx, raw); err != nil {
		return err
	}
	l.mu.Lock()
	l.stored[digest] = true
	l.mu.Unlock()
	return nil
}

// Again decides a recorded route over the index, the rules or the tables that it names, and the lessons
// that bore on it. With engine.ErrErased the decision is given all the same; with engine.ErrOlder it is
// the recorded one, which another version of the router made.
func (l *Library) Again(ctx context.Context, d events.RouteDecided) (events.Data, error) {
	if d.Router != "" {
		return l.planAgain(ctx, d)
	}
	shelf, err := l.shelfAgain(ctx, d)
	if errors.Is(err, skill.ErrVersion) {
		return d, fmt.Errorf("%w: %w", engine.ErrOlder, err)
	}
	if err != nil {
		return nil, err
	}
	again, err := l.decide(shelf, sessions.RouteTask{
		Task: d.Task, Mode: d.Mode, Threshold: d.Threshold, Margin: d.Margin, Top: d.Top, Exclude: d.Exclude, Parallel: d.Parallel, Guard: d.Guard, Judge: d.Judge,
	}, recalled(d.Lessons))
	decided, ok := again.(events.RouteDecided)
	if !ok {
		return again, err
	}
	if err == nil {
		err = l.checkLessons(ctx, d)
	}
	decided.Route, decided.Run, decided.Step = d.Route, d.Run, d.Step
	if d.Guard { // which keys were set then, nobody knows now
		decided.Warnings = d.Warnings
	}
	if d.Rules == "" {
		if decided.Rules = ""; !same(decided, d) {
			return d, engine.ErrOlder
		}
	}
	return decided, err
}

// againShelf is the shelf of the decision that was made again last.
type againShelf struct {
	key string // digests of index and rules
	Shelf
}

// shelfAgain makes the shelf that a decision was made on. The last one is kept: the decisions of a
// session mostly share theirs.
func (l *Library) shelfAgain(ctx context.Context, d events.RouteDecided) (Shelf, error) {
	key := d.Index + "/" + d.Rules
	l.mu.Lock()
	last := l.again
	l.mu.Unlock()
	if last.key == key {
		return last.Shelf, nil
	}
	raw, err := l.Payloads.Get(ctx, d.Index)
	if err != nil {
		return Shelf{}, fmt.Errorf("index %.12s of the decision: %w", d.Index, err)
	}
	index, err := skills.Decode(raw)
	if err != nil {
		return Shelf{}, fmt.Errorf("index %.12s of the decision: %w", d.Index, err)
	}
	book, err := l.bookOf(ctx, d)
	if err != nil {
		return Shelf{}, err
	}
	shelf := Shelf{Index: index, Digest: d.Index, Router: over(book, index), Rules: book}
	l.mu.Lock()
	l.again = againShelf{key, shelf}
	l.mu.Unlock()
	return shelf, nil
}

// same compares two decisions by the bytes in which they are stored.
func same(a, b events.RouteDecided) bool {
	x, err := events.Marshal(a)
	y, also := events.Marshal(b)
	return err == nil && also == nil && bytes.Equal(x, y)
}

// Resolve says how a skill is executed: by its entry point, by the configured agent, or by an agent
// outside that claims it.
func (l *Library) Resolve(ctx context.Context, workspace, path, name string) sessions.Resolution {
	if program, ok := strings.CutPrefix(name, workflows.Program); ok {
		_, found := exec.Look(program, path)
		return sessions.Resolution{Missing: !found}
	}
	shelf, err := l.Look(ctx, workspace, path)
	if err != nil {
		return sessions.Resolution{}
	}
	s, ok := shelf.Index.Find(name)
	if ok && s.Redirect != "" { // followed once: a stub that leads to a stub leads nowhere
		s, ok = shelf.Index.Find(s.Redirect)
		ok = ok && s.Redirect == ""
	}
	switch {
	case !ok || !s.Usable:
		return sessions.Resolution{Missing: true}
	case s.Trusted && s.Entrypoint.Type != "" && s.Entrypoint.Type != skills.EntrypointCognitive:
		return resolution("skill", map[string]any{"name": s.Name, "folder": s.Path, "type": s.Entrypoint.Type, "cmd": s.Entrypoint.Cmd})
	case s.Trusted && l.Agent != "":
		how := map[string]any{"profile": l.Agent, "skill_file": s.File}
		if policy := skills.Union([]skills.Skill{s}); policy.Restricted {
			how["tools"] = policy
		}
		return resolution("agent", how)
	}
	return sessions.Resolution{}
}

func resolution(executor string, settings map[string]any) sessions.Resolution {
	raw, err := events.Marshal(map[string]map[string]any{executor: settings})
	if err != nil {
		return sessions.Resolution{}
	}
	return sessions.Resolution{Execute: json.RawMessage(raw)}
}
