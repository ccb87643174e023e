package host

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/batonflow/baton/routing/source"
	"github.com/batonflow/baton/routing/task"
	browsing "github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/sessions"
)

// SourceRouter goes by the table of the home where it has one; then that is given too.
func (h Home) SourceRouter() (source.Router, map[string]string, error) {
	const name = "source-providers.yaml"
	file, err := h.File(name)
	var table source.Providers
	if err == nil && file != nil {
		table, err = source.ReadProviders(file)
	}
	if err != nil {
		return source.Router{}, nil, sessions.Refuse(sessions.Usage, "source_providers", "mend the file, or remove it", "%s: %v", h.path(name), err)
	}
	router, err := source.New(table)
	if file == nil {
		return router, nil, err
	}
	return router, map[string]string{"providers": string(file)}, err
}

// SourceAsk is a plan as a decision to be recorded.
func SourceAsk(plan source.Plan, tables map[string]string) sessions.RouteTask {
	return sessions.RouteTask{Router: "source", Task: plan.PrimarySubject, Tables: tables}
}

// TaskRouter goes by the rules and genes of the home where it has them, else by those of the binary.
func (h Home) TaskRouter() (data task.Data, router task.Router, err error) {
	for name, file := range map[string]*[]byte{"task-rules.yaml": &data.Rules, "task-genes.yaml": &data.Genes, "task-atoms.yaml": &data.Atoms} {
		if *file, err = h.File(name); err != nil {
			return data, router, sessions.Refuse(sessions.Usage, "E_TASK_DATA", "mend the file, or remove it", "%v", err)
		}
	}
	router, err = task.New(data)
	return data, router, err
}

// TaskTables are the home's own files, by the names that the router knows them by.
func TaskTables(d task.Data) map[string]string {
	tables := map[string]string{}
	for name, file := range map[string][]byte{"rules": d.Rules, "genes": d.Genes, "atoms": d.Atoms} {
		if file != nil {
			tables[name] = string(file)
		}
	}
	return tables
}

// WebFile says in the home which tools there are and how each is asked.
const WebFile = "web.yaml"

// WebAdapters are those of the home, or of the binary when it has none. The home's file is given too.
func (h Home) WebAdapters() (map[string]string, browsing.Adapters, error) {
	file, err := h.webFile("web-adapters.yaml")
	if err != nil {
		return nil, browsing.Adapters{}, err
	}
	if file == nil {
		adapters, err := browsing.DefaultAdapters()
		return nil, adapters, err
	}
	adapters, err := browsing.ReadAdapters(file)
	return map[string]string{"adapters": string(file)}, adapters, err
}

// WebFallbacks are the official entries of the home, or of the binary when it has none.
func (h Home) WebFallbacks() ([]browsing.Fallback, error) {
	file, err := h.webFile("site-fallbacks.json")
	switch {
	case err != nil:
		return nil, err
	case file == nil:
		return browsing.DefaultFallbacks()
	}
	return browsing.ReadFallbacks(file)
}

// WebHost is a host with its tools and official entries: those that are given, else those of the home,
// else one tool of each capability, which is said.
func (h Home) WebHost(given []byte, adapters browsing.Adapters) (host browsing.Host, assumed bool, err error) {
	if given != nil {
		host, err = browsing.ReadHost(given)
	} else {
		host, assumed, err = h.webListed(adapters)
	}
	if err == nil && host.Fallbacks == nil {
		host.Fallbacks, err = h.WebFallbacks()
	}
	return host, assumed, err
}

func (h Home) webListed(adapters browsing.Adapters) (host browsing.Host, assumed bool, err error) {
	file, err := h.webFile(WebFile)
	if err != nil || file == nil {
		return browsing.Host{Tools: adapters.Tools}, true, err
	}
	tools, err := WebTools(h.path(WebFile), file)
	return tools.Host(nil), false, err
}

// HomeWebTools are the tools of the home's file; a home without one has none that can be asked.
func (h Home) HomeWebTools() (browsing.Tools, error) {
	file, err := h.webFile(WebFile)
	if err != nil {
		return browsing.Tools{}, err
	}
	return WebTools(h.path(WebFile), file)
}

// WebTools reads which tools there are; programs among them are found from the file's folder.
func WebTools(path string, file []byte) (browsing.Tools, error) {
	tools, err := browsing.ReadTools(file)
	if err != nil {
		return tools, sessions.Refuse(sessions.Usage, browsing.ErrTools.Error(), "mend the file, or remove it", "%s: %s", path, strings.TrimPrefix(err.Error(), browsing.ErrTools.Error()+": "))
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	return tools.From(folder), err
}

// webFile reads a file of the home that the router of the web goes by.
func (h Home) webFile(name string) ([]byte, error) {
	file, err := h.File(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", browsing.ErrTables, err)
	}
	return file, nil
}
