package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/routing/source"
	"github.com/batonflow/baton/routing/task"
	browsing "github.com/batonflow/baton/routing/web"
)

// planner is a router beside that of the skills: a question in JSON, a decision in JSON. It goes by
// nothing but its question and its tables.
type planner struct {
	tables func() map[string]string // the binary's own, by name
	plan   func(tables map[string]string, input json.RawMessage) (planned, error)
}

// planned is a decision with its gist.
type planned struct {
	decision, reason, chosen string
	answer                   any
}

// planners lists the routers. Adding one is a line.
var planners = map[string]planner{
	"source": {sourceTables, planSource},
	"web":    {webTables, planWeb},
	"task":   {taskTables, planTask},
}

// complete gives all tables: those given, and the binary's for the others.
func (p planner) complete(given map[string]string) map[string]string {
	all := p.tables()
	maps.Copy(all, given)
	return all
}

func sourceTables() map[string]string {
	return map[string]string{"providers": string(source.DefaultProviders())}
}

// planSource takes the description of a search.
func planSource(tables map[string]string, input json.RawMessage) (planned, error) {
	providers, err := source.ReadProviders([]byte(tables["providers"]))
	if err != nil {
		return planned{}, err
	}
	router, err := source.New(providers)
	if err != nil {
		return planned{}, err
	}
	plan, faults := router.Plan(input)
	if len(faults) > 0 {
		return planned{}, faults
	}
	out := planned{decision: plan.Diagnostics.PlanStatus, reason: strings.Join(plan.Diagnostics.Rules, ", "), answer: plan}
	if len(plan.SelectedSources) > 0 {
		out.chosen = string(plan.SelectedSources[0].Source)
	}
	return out, nil
}

func webTables() map[string]string {
	return map[string]string{"adapters": string(browsing.AdaptersFile())}
}

// planWeb takes a [browsing.Case] without outcomes.
func planWeb(tables map[string]string, input json.RawMessage) (planned, error) {
	adapters, err := browsing.ReadAdapters([]byte(tables["adapters"]))
	if err != nil {
		return planned{}, err
	}
	c, err := browsing.ReadCase(input)
	if err != nil {
		return planned{}, err
	}
	o, err := browsing.Open(c.Request, c.Host, adapters)
	if err != nil {
		return planned{}, err
	}
	out := planned{decision: "call", answer: o}
	if len(o.Candidates) > 0 {
		out.reason = o.Candidates[0].Why
	}
	switch {
	case o.Final != nil:
		out.decision, out.reason = string(o.Final.Status), o.Final.Reason
	case o.Call != nil:
		out.chosen = o.Call.Tool
	}
	return out, nil
}

func taskTables() map[string]string {
	d := task.DefaultData()
	return map[string]string{"rules": string(d.Rules), "genes": string(d.Genes), "atoms": string(d.Atoms)}
}

// planTask takes a query with what the session knows.
func planTask(tables map[string]string, input json.RawMessage) (planned, error) {
	var in operation.TaskInput
	if err := json.Unmarshal(input, &in); err != nil {
		return planned{}, fmt.Errorf("read the query: %w", err)
	}
	data := task.Data{Rules: []byte(tables["rules"]), Genes: []byte(tables["genes"])}
	if atoms, ok := tables["atoms"]; ok { // older decisions kept none: the atoms were the binary's
		data.Atoms = []byte(atoms)
	}
	router, err := task.New(data)
	if err != nil {
		return planned{}, err
	}
	req := task.Request{Query: in.Query, ModeHint: in.ModeHint}
	if len(bytes.TrimSpace(in.Context)) > 0 {
		if req.Context, err = task.ReadContext(in.Context); err != nil {
			return planned{}, err
		}
	}
	d, err := router.Route(req)
	if err != nil {
		return planned{}, err
	}
	return planned{decision: d.Route, reason: d.ExecutionMode, chosen: d.Status.Rule, answer: d}, nil
}
