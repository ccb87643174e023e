// Package local searches files of one's own: the built-in providers of the source router.
//
// local_file looks through documents of the workspace and of configured folders: a file hits when its
// name fits the pattern that is asked for, or its text holds what the pattern is about. local_cache
// looks through notes that were kept of earlier answers, files called *_cache.md, section by section.
// Both read, never write, follow no links, skip what is hidden, and bound what they read.
//
// Codes of failure, which stay as they are: local_settings, cache_miss, and those that end a call
// before it is done (cancelled, timed out …) as local_stopped.
package local

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
)

// Hit is a document, or a part of one, that answers.
type Hit struct {
	Title string `json:"title"`
	Path  string `json:"path"` // as it is found from the workspace
	Text  string `json:"text"` // where it was found
	Date  string `json:"date"` // of the file's last change
}

// settings are a call's own.
type settings struct {
	Query   string   `json:"query"`   // a pattern for files, words for the cache
	Subject string   `json:"subject"` // what the search is about
	Folders []string `json:"folders"` // beside, or in place of, the workspace's own
}

// Files runs calls of the form {"local_file": {"query": "memory/*solid-state*"}}.
type Files struct{}

// Cache runs calls of the form {"local_cache": {"query": "solid-state batteries cost"}}.
type Cache struct{}

var _, _ workers.Executor = Files{}, Cache{}

// mostHits bounds an answer.
const mostHits = 20

// Execute lists the documents that hit, those of a kind that reads well first. None is an answer too.
func (Files) Execute(ctx context.Context, t workers.Task, _ io.Writer) workers.Outcome {
	return answer(ctx, t, "local_file", func(s settings) ([]Hit, error) {
		return files(ctx, t.Workspace, s)
	})
}

// Execute lists the sections that hit. None is a failure: nothing was kept.
func (Cache) Execute(ctx context.Context, t workers.Task, _ io.Writer) workers.Outcome {
	out := answer(ctx, t, "local_cache", func(s settings) ([]Hit, error) {
		return cached(ctx, t.Workspace, s)
	})
	if out.Failure == nil && string(out.Value) == "[]" {
		return workers.Failed(workers.Terminal, "cache_miss", "no file called *_cache.md holds anything about it")
	}
	return out
}

func answer(ctx context.Context, t workers.Task, name string, find func(settings) ([]Hit, error)) workers.Outcome {
	var s settings
	if err := json.Unmarshal(t.Execute, &s); err != nil || s.Query == "" {
		return workers.Failed(workers.Terminal, "local_settings", fmt.Sprintf(`%s needs {"query": …}, not %.80s`, name, t.Execute))
	}
	hits, err := find(s)
	if ctx.Err() != nil {
		return workers.Failed(workers.ClassOf(context.Cause(ctx)), "local_stopped", name+" was ended: "+context.Cause(ctx).Error())
	}
	if err != nil {
		return workers.Failed(workers.Terminal, "local_unreadable", name+": "+err.Error())
	}
	value, err := events.Marshal(append([]Hit{}, hits[:min(len(hits), mostHits)]...))
	if err != nil {
		return workers.Failed(workers.Terminal, "local_unreadable", name+": "+err.Error())
	}
	return workers.Outcome{Value: value}
}
