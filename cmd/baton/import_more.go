package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/sessions/radoute"
	"github.com/batonflow/baton/stream/file"
	"github.com/batonflow/baton/workflows/template"
)

// radouteFeedback is feedback.json of the Python router.
type radouteFeedback struct {
	Entries []struct {
		Task      string   `json:"task"`
		Excluded  []string `json:"excluded"`
		Chosen    string   `json:"chosen"`
		Timestamp any      `json:"timestamp"` // a number or a text, by version
		Weight    *float64 `json:"weight"`
	} `json:"entries"`
}

// importLessons gives the old feedback once more, under request ids of its own content: what is there
// already is not doubled.
func (a *app) importLessons(ctx context.Context, l *link, from radouteHome, out *takenOver) error {
	path := a.Env("SKILL_RADOUTE_FEEDBACK")
	for _, at := range []string{filepath.Join(from.router, "feedback.json"), filepath.Join(filepath.Dir(from.router), "feedback.json")} {
		if path == "" && exists(at) {
			path = at
		}
	}
	if path == "" {
		return nil
	}
	raw, err := a.readFrom(path, mostRadoute)
	var kept radouteFeedback
	if err == nil {
		err = json.Unmarshal(raw, &kept)
	}
	if err != nil {
		out.Faults = append(out.Faults, path+": "+err.Error())
		return nil
	}
	for _, e := range kept.Entries {
		weight := 1.0
		if e.Weight != nil {
			weight = min(max(*e.Weight, 0), 1) // the old router took any number
		}
		excluded := slices.DeleteFunc(slices.Clone(e.Excluded), func(name string) bool { return name == "" || strings.EqualFold(name, e.Chosen) })
		if strings.TrimSpace(e.Task) == "" || weight == 0 || e.Chosen == "" && len(excluded) == 0 {
			out.Faults = append(out.Faults, path+": "+a.say("an entry teaches nothing"))
			continue
		}
		of := sha256.Sum256(fmt.Appendf(nil, "%s\x00%q\x00%s\x00%q\x00%v", path, e.Task, e.Chosen, excluded, e.Timestamp))
		lesson := sessions.Feedback{Chosen: e.Chosen, Excluded: excluded, Weight: weight, Source: sessions.FromImport}
		if err := a.importLesson(ctx, l, e.Task, hex.EncodeToString(of[:]), lesson); err != nil {
			return err
		}
		out.Feedback++
	}
	return nil
}

func (a *app) importLesson(ctx context.Context, l *link, task, of string, f sessions.Feedback) error {
	raw, err := events.Marshal(sessions.FeedbackText{Task: task, Of: of})
	if err != nil {
		return fmt.Errorf("encode feedback: %w", err)
	}
	sum, err := l.Payloads.Put(ctx, raw)
	if err != nil {
		return fmt.Errorf("store the text of feedback: %w", err)
	}
	f.Text = events.Value{SHA256: sum, Size: int64(len(raw))}
	meta := engine.Meta{Actor: "import:" + radoute.Tool, Request: "radoute-" + of}
	_, err = l.Query(ctx, "feedback.give", "", host.FeedbackGive{Feedback: f, Meta: meta})
	return err
}

// importedTemplate is a template of the old router, and where `workflow run` finds it now.
type importedTemplate struct {
	Name string `json:"name"`
	From string `json:"from"`
	Path string `json:"path"`
}

// importTemplates copies the templates that Baton would not find where they lie. One that is no template
// for Baton, or whose name is taken by another, is left where it is and told.
func (a *app) importTemplates(from radouteHome, out *takenOver) error {
	home, err := a.homeDir()
	if err != nil {
		return err
	}
	into := filepath.Join(home.Dir, "workflows")
	for _, folder := range []string{filepath.Join(from.router, "workflows"), filepath.Join(filepath.Dir(from.router), "workflows")} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // it has none
		}
		for _, e := range entries {
			if !host.IsTemplate(e.Name()) {
				continue
			}
			if err := a.importTemplate(filepath.Join(folder, e.Name()), into, out); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) importTemplate(path, into string, out *takenOver) error {
	s, err := host.Templates{}.Read(path)
	if err != nil {
		out.Faults = append(out.Faults, path+": "+err.Error())
		return nil
	}
	if _, faults := template.Parse([]byte(s.Text), template.Known{}); len(faults) > 0 {
		out.Faults = append(out.Faults, fmt.Sprintf("%s: %v", path, faults[0]))
		return nil
	}
	text := s.Text
	if filepath.Ext(path) != ".json" {
		text = "# from " + path + " (" + radoute.Tool + ")\n" + text
	}
	to := filepath.Join(into, filepath.Base(path))
	if old, err := os.ReadFile(to); err == nil && string(old) != text {
		out.Faults = append(out.Faults, fmt.Sprintf(a.say("%s: the name is taken by %s"), path, to))
		return nil
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return err
	}
	if err := file.Replace(to, []byte(text), 0o644); err != nil {
		return fmt.Errorf("copy template %s: %w", path, err)
	}
	out.Workflows = append(out.Workflows, importedTemplate{s.Name, path, to})
	return nil
}
