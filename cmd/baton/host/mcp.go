package host

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/batonflow/baton/api/mcp"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// listTemplates gives the workflows that a workspace sees, for prompts.
func (s *Server) listTemplates(_ context.Context, _ string, q mcp.TemplatesAsk) (any, error) {
	if q.Workspace != "" && !filepath.IsAbs(q.Workspace) {
		return nil, notAbsolute("workspace", q.Workspace)
	}
	return s.templates(q.Workspace).list()
}

// list reads the templates of every folder in which they are looked up by name. One that is faulty is
// left out: whoever runs it is told.
func (t Templates) list() ([]mcp.TemplateRow, error) {
	rows, seen := []mcp.TemplateRow{}, map[string]bool{}
	for _, folder := range t.Folders() {
		entries, err := os.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, sessions.Refuse(sessions.Failed, "folder_unreadable", "make it readable", "workflows in %s: %v", folder, err)
		}
		for _, entry := range entries {
			name := strings.TrimSuffix(entry.Name(), filepath.Ext(entry.Name()))
			if !IsTemplate(entry.Name()) || seen[name] {
				continue
			}
			seen[name] = true
			if row, ok := t.row(filepath.Join(folder, entry.Name()), name); ok {
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

func (t Templates) row(path, name string) (mcp.TemplateRow, bool) {
	file, err := t.Read(path)
	if err != nil {
		return mcp.TemplateRow{}, false
	}
	parsed, _ := template.Parse([]byte(file.Text), t.Known)
	if parsed == nil {
		return mcp.TemplateRow{}, false
	}
	return mcp.TemplateRow{Name: name, Description: parsed.Description, Inputs: t.Check(file).Inputs}, true
}
