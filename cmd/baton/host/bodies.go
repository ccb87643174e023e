package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/disk"
)

// mostBodies is how many loaded skills are kept; the one that was not used for longest goes first.
const mostBodies = 5

// Body is a skill with its whole text, as it was when it was loaded.
type Body struct {
	Skill    skills.Skill
	Text     string
	Scripts  []string // names of what lies in its scripts folder
	LoadedAt time.Time

	info os.FileInfo // of the file, before it was read
}

// settled is how old a file must have been when it was read for an unchanged stamp to prove that it is
// the same: two writes in a row can have one time.
const settled = 2 * time.Second

// still says that the file is what it was, without opening it.
func (b Body) still() bool {
	now, err := os.Stat(b.Skill.File)
	return err == nil && os.SameFile(now, b.info) && now.Size() == b.info.Size() && now.ModTime().Equal(b.info.ModTime()) &&
		b.LoadedAt.Sub(now.ModTime()) > settled
}

// bodies keeps the texts of skills that were activated lately, by their SKILL.md.
type bodies = lru.Cache[string, Body]

func newBodies() *bodies {
	cache, _ := lru.New[string, Body](mostBodies) // fails only for sizes below one
	return cache
}

// Activate gives a skill's text. It opens the skill's file once, and nothing else: as long as the file
// is the same, the text comes from memory.
func (l *Library) Activate(ctx context.Context, workspace, path, name string) (Body, error) {
	shelf, err := l.Look(ctx, workspace, path)
	if err != nil {
		return Body{}, err
	}
	s, ok := shelf.Index.Find(name)
	if !ok {
		return Body{}, sessions.Refuse(sessions.NotFound, "skill_not_found", "list them with `baton skills scan`", "no skill is called %q here", name)
	}
	held, ok := l.bodies.Get(s.File)
	if ok && held.still() {
		return held, nil
	}
	body, err := loadBody(s)
	if err != nil {
		return Body{}, err
	}
	if ok && body.Text == held.Text {
		body.LoadedAt = held.LoadedAt // looked at again on doubt
	}
	l.bodies.Add(s.File, body)
	return body, nil
}

func loadBody(s skills.Skill) (Body, error) {
	info, err := os.Stat(s.File)
	body := Body{Skill: s, Scripts: scripts(s.Path), LoadedAt: time.Now().UTC(), info: info}
	if err == nil {
		body.Text, err = disk.Load(s)
	}
	if err != nil && !errors.Is(err, disk.ErrChanged) { // a text that the index does not know yet is one all the same
		return Body{}, sessions.Refuse(sessions.Failed, "skill_unreadable", "scan again with `baton skills scan`", "%v", err)
	}
	return body, nil
}

// mostScripts bounds what is listed of a folder.
const mostScripts = 100

func scripts(folder string) []string {
	entries, err := os.ReadDir(filepath.Join(folder, "scripts"))
	out := []string{}
	if err != nil {
		return out // it has none
	}
	for _, e := range entries {
		if e.Type().IsRegular() && len(out) < mostScripts {
			out = append(out, e.Name())
		}
	}
	return out
}

func (s *Server) loadSkill(ctx context.Context, _ string, q operation.SkillAsk) (any, error) {
	b, err := s.library.Activate(ctx, q.Workspace, q.Path, q.Name)
	return operation.Loaded{Skill: b.Skill, Loaded: b.Skill.Name, Scripts: b.Scripts, LoadedAt: b.LoadedAt, Body: b.Text}, err
}

// CacheStats is what the server holds of loaded skills, the one used last first.
type CacheStats struct {
	Loaded      []CachedBody `json:"loaded"`
	Count       int          `json:"count"`
	Max         int          `json:"max"`
	ApproxBytes int          `json:"approx_bytes"`
	IndexSkills int          `json:"index_skills"`
}

// CachedBody is one of them.
type CachedBody struct {
	Name     string    `json:"name"`
	File     string    `json:"file"`
	Bytes    int       `json:"bytes"`
	LoadedAt time.Time `json:"loaded_at"`
}

func (s *Server) loadedSkills(ctx context.Context, _ string, q operation.SkillAsk) (any, error) {
	shelf, err := s.library.Look(ctx, q.Workspace, q.Path)
	if err != nil {
		return nil, err
	}
	out := CacheStats{Loaded: []CachedBody{}, Max: mostBodies, IndexSkills: len(shelf.Index.Skills)}
	for _, b := range s.library.bodies.Values() {
		out.Loaded = append(out.Loaded, CachedBody{b.Skill.Name, b.Skill.File, len(b.Text), b.LoadedAt})
		out.ApproxBytes += len(b.Text)
	}
	slices.Reverse(out.Loaded)
	out.Count = len(out.Loaded)
	return out, nil
}

// Evicted says whether a skill was among the loaded ones.
type Evicted struct {
	Evicted string `json:"evicted"`
	OK      bool   `json:"ok"`
}

func (s *Server) evictSkill(_ context.Context, _ string, q operation.SkillAsk) (any, error) {
	out := Evicted{Evicted: q.Name}
	for _, b := range s.library.bodies.Values() {
		if strings.EqualFold(b.Skill.Name, q.Name) || strings.EqualFold(b.Skill.FullName(), q.Name) {
			out.OK = s.library.bodies.Remove(b.Skill.File) || out.OK
		}
	}
	return out, nil
}
