package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/disk"
	"github.com/batonflow/baton/stream"
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

	mu     sync.Mutex
	shelf  map[string]*shelf
	stored map[string]bool // digests that are in the payload store
}

// shelf is what one workspace sees.
type shelf struct {
	mu       sync.Mutex
	cache    disk.Cache
	scanned  time.Time
	took     time.Duration // the last scan
	trusted  []string      // as it was then
	digest   string
	index    skills.Index
	report   disk.Report
	searcher *skill.Searcher
	router   *skill.Router
}

// A scan is believed without looking again for ten times as long as it took, and never longer than
// fresh: a new skill is seen at once where looking is cheap.
const fresh = 500 * time.Millisecond

func (s *shelf) fresh(trusted []string) bool {
	return s.searcher != nil && time.Since(s.scanned) < min(10*s.took, fresh) && slices.Equal(trusted, s.trusted)
}

// Look gives the workspace's shelf, scanned anew when it is not fresh.
func (l *Library) Look(ctx context.Context, workspace, path string) (Shelf, error) {
	l.mu.Lock()
	if l.shelf == nil {
		l.shelf, l.stored = map[string]*shelf{}, map[string]bool{}
	}
	key := workspace + "\x00" + path
	s := l.shelf[key]
	if s == nil {
		s = &shelf{}
		l.shelf[key] = s
	}
	l.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if places := l.places(path); !s.fresh(places.Trusted) {
		if err := s.scan(ctx, places, workspace); err != nil {
			return Shelf{}, err
		}
	}
	return Shelf{Index: s.index, Digest: s.digest, Report: s.report, Searcher: s.searcher, Router: s.router}, nil
}

// places are the library's own with the path that was asked for in front; trusted folders are read
// each time, since somebody may have trusted one meanwhile.
func (l *Library) places(path string) disk.Places {
	p := l.Places
	if path != "" {
		p.Path = path
	}
	p.Trusted = append(slices.Clone(p.Trusted), l.Home.Trusted()...)
	return p
}

// Shelf is an index of skills with what is needed to search it. It does not change.
type Shelf struct {
	Index    skills.Index
	Digest   string
	Report   disk.Report
	Searcher *skill.Searcher
	Router   *skill.Router
}

func (s *shelf) scan(ctx context.Context, places disk.Places, workspace string) error {
	places.Workspace = workspace
	began := time.Now()
	index, report, err := disk.Scan(ctx, places, &s.cache)
	if err != nil {
		return fmt.Errorf("scan skills: %w", err)
	}
	digest, err := index.Digest()
	if err != nil {
		return fmt.Errorf("digest of the skills: %w", err)
	}
	if digest != s.digest || s.searcher == nil {
		if s.searcher, s.router, err = newRouter(index); err != nil {
			return err
		}
		s.index, s.digest = index, digest
	}
	s.report, s.scanned, s.took, s.trusted = report, time.Now(), time.Since(began), places.Trusted
	return nil
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
	return l.decide(shelf, task)
}

// keep puts the index into the payload store once.
func (l *Library) keep(ctx context.Context, shelf Shelf) error {
	l.mu.Lock()
	stored := l.stored[shelf.Digest]
	l.mu.Unlock()
	if stored {
		return nil
	}
	raw, err := shelf.Index.Encode()
	if err != nil {
		return fmt.Errorf("encode the index of skills: %w", err)
	}
	if _, err := l.Payloads.Put(ctx, raw); err != nil {
		return fmt.Errorf("keep the index of skills: %w", err)
	}
	l.mu.Lock()
	l.stored[shelf.Digest] = true
	l.mu.Unlock()
	return nil
}

// Again decides a recorded route over the index or the tables that it names.
func (l *Library) Again(ctx context.Context, d events.RouteDecided) (events.Data, error) {
	if d.Router != "" {
		return l.planAgain(ctx, d)
	}
	raw, err := l.Payloads.Get(ctx, d.Index)
	if err != nil {
		return nil, fmt.Errorf("index %.12s of the decision: %w", d.Index, err)
	}
	index, err := skills.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("index %.12s of the decision: %w", d.Index, err)
	}
	shelf := Shelf{Index: index, Digest: d.Index}
	if shelf.Searcher, shelf.Router, err = newRouter(index); err != nil {
		return nil, err
	}
	again, err := l.decide(shelf, sessions.RouteTask{
		Task: d.Task, Mode: d.Mode, Threshold: d.Threshold, Margin: d.Margin, Top: d.Top, Exclude: d.Exclude, Parallel: d.Parallel, Guard: d.Guard,
	})
	decided, ok := again.(events.RouteDecided)
	if !ok {
		return again, err
	}
	decided.Route, decided.Run, decided.Step = d.Route, d.Run, d.Step
	if d.Guard { // which keys were set then, nobody knows now
		decided.Warnings = d.Warnings
	}
	return decided, err
}

// Resolve says how a skill is executed: by its entry point, by the configured agent, or by an agent
// outside that claims it.
func (l *Library) Resolve(ctx context.Context, workspace, path, name string) sessions.Resolution {
	shelf, err := l.Look(ctx, workspace, path)
	if err != nil {
		return sessions.Resolution{}
	}
	s, ok := shelf.Index.Find(name)
	switch {
	case !ok || !s.Usable:
		return sessions.Resolution{}
	case s.Trusted && s.Entrypoint.Type != "" && s.Entrypoint.Type != skills.EntrypointCognitive:
		return resolution("skill", map[string]string{"name": s.Name, "folder": s.Path, "type": s.Entrypoint.Type, "cmd": s.Entrypoint.Cmd})
	case s.Trusted && l.Agent != "":
		return resolution("agent", map[string]string{"profile": l.Agent, "skill_file": s.File})
	}
	return sessions.Resolution{}
}

func resolution(executor string, settings map[string]string) sessions.Resolution {
	raw, err := events.Marshal(map[string]map[string]string{executor: settings})
	if err != nil {
		return sessions.Resolution{}
	}
	return sessions.Resolution{Execute: json.RawMessage(raw)}
}
