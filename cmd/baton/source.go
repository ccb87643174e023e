package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/events"
	sourcing "github.com/batonflow/baton/routing/source"
	"github.com/batonflow/baton/sessions"
)

// maxSourceTask bounds the description of a search.
const maxSourceTask = 1 << 20

func (a *app) sourceCommand() *cobra.Command {
	return a.group("source", a.sourceSay("searches: which sources, in which order, and when to stop"),
		`baton source plan task.json`, a.sourcePlan(), a.sourceRun())
}

// sourceFaults is the answer to a description that cannot be planned.
type sourceFaults struct {
	Errors sourcing.Errors `json:"errors"`
}

func (a *app) sourcePlan() *cobra.Command {
	var given *pflag.FlagSet
	return a.verb(verb{
		use: "plan [FILE|-] [--FIELD VALUE]…", short: a.sourceSay("plan a search from a file, from stdin or from flags; a flag wins over the file"),
		example: `
baton source plan task.json --budget-limit 6
baton source plan --task-type deep_research --primary-subject "solid-state batteries" --goal-mode analyze \
    --freshness-required medium --available-sources web,vector,counter --need-counter-evidence=false`,
		args:  between(0, "FILE"),
		flags: func(f *pflag.FlagSet) { given = f; a.sourceFlags(f) },
		run: func(ctx context.Context, args []string) error {
			document, err := a.sourceDocument(args, given)
			if err != nil {
				return err
			}
			return a.planSource(ctx, document)
		},
	})
}

// planSource plans a search and records the plan in the session, if there is one.
func (a *app) planSource(ctx context.Context, document []byte) error {
	router, tables, err := a.sourceRouter()
	if err != nil {
		return err
	}
	plan, faults := router.Plan(document)
	if len(faults) == 0 {
		if err := a.record(ctx, host.SourceAsk(plan, tables), json.RawMessage(document)); err != nil {
			return err
		}
	}
	return a.sourceAnswer(plan, faults)
}

// sourceRouter goes by the table of the home where it has one; then that is given too.
func (a *app) sourceRouter() (sourcing.Router, map[string]string, error) {
	home, err := a.homeDir()
	if err != nil {
		return sourcing.Router{}, nil, err
	}
	return home.SourceRouter()
}

func (a *app) sourceAnswer(plan sourcing.Plan, faults sourcing.Errors) error {
	if len(faults) == 0 {
		return a.answer(plan, func(p *page) error { p.sourcePlan(plan); return nil })
	}
	if err := a.answer(sourceFaults{faults}, func(p *page) error { p.sourceFaults(faults); return nil }); err != nil {
		return err
	}
	return answered(exitUsage)
}

// sourceField is a field of the description as a flag: its value as JSON comes from what was typed.
type sourceField struct {
	name  string
	usage string
	add   func(f *pflag.FlagSet, name, usage string)
	value func(f *pflag.FlagSet, name string) (json.RawMessage, error)
}

func sourceFields() []sourceField {
	text := func(f *pflag.FlagSet, name, usage string) { f.String(name, "", usage) }
	truth := func(f *pflag.FlagSet, name, usage string) { f.Bool(name, false, usage) }
	repeated := func(f *pflag.FlagSet, name, usage string) { f.StringArray(name, nil, usage) }
	return []sourceField{
		{"task_type", "`KIND` of task: breaking_news, deep_research, entity_analysis, internal_knowledge, tech_evaluation", text, sourceText},
		{"primary_subject", "what it is about, a `TEXT` of at most 500 characters", text, sourceText},
		{"goal_mode", "`MODE`: analyze, evaluate, compare, investigate", text, sourceText},
		{"freshness_required", "`high|medium|low`: a day, a month, any age", text, sourceText},
		{"available_sources", "`LIST` of the sources there are: web,local_file,vector,graph,counter", text, sourceList},
		{"need_counter_evidence", "opposing views are wanted; =false where they are not", truth, sourceTruth},
		{"information_gaps", "`TEXT` of what is missing (repeat)", repeated, sourceTexts},
		{"budget_limit", "how many searches may be spent, a `NUMBER` up to 1000 (default 10)", text, sourceNumber},
		{"preferred_domains", "`LIST` of hosts to look at with preference", text, sourceList},
		{"available_providers", "`LIST` of the search providers that are configured (default: all)", text, sourceList},
		{"local_material", "`vector=N` or local_file=N: documents known to be at hand (repeat)", repeated, sourceCounts},
		{"retrieval_only", "nothing is judged, only looked up", truth, sourceTruth},
	}
}

// sourceFlags makes a flag of each field. Its name may be written as the field's own, with underscores.
func (a *app) sourceFlags(f *pflag.FlagSet) {
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	for _, field := range sourceFields() {
		field.add(f, field.name, a.sourceSay(field.usage))
	}
}

// sourceDocument is the description: the file's, with the fields of the flags in place of its own.
func (a *app) sourceDocument(args []string, f *pflag.FlagSet) ([]byte, error) {
	document := []byte("{}")
	if len(args) > 0 {
		var err error
		if document, err = a.readFrom(args[0], maxSourceTask); err != nil {
			return nil, err
		}
	}
	typed := map[string]json.RawMessage{}
	for _, field := range sourceFields() {
		if !f.Changed(field.name) {
			continue
		}
		value, err := field.value(f, field.name)
		if err != nil {
			return nil, err
		}
		typed[field.name] = value
	}
	if len(args) == 0 && len(typed) == 0 {
		return nil, sessions.Refuse(sessions.Usage, "argument_missing", a.sourceSay("see `baton source plan -h`"), "baton source plan needs FILE, - for stdin, or flags")
	}
	fields := map[string]json.RawMessage{}
	if len(typed) == 0 || json.Unmarshal(document, &fields) != nil || fields == nil {
		return document, nil // as it is: the router says what is wrong with it
	}
	for name, value := range typed {
		fields[name] = value
	}
	merged, err := events.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("put flags into the description: %w", err)
	}
	return merged, nil
}

func sourceText(f *pflag.FlagSet, name string) (json.RawMessage, error) {
	return asText("--"+name, f.Lookup(name).Value.String())
}

func sourceTruth(f *pflag.FlagSet, name string) (json.RawMessage, error) {
	return json.RawMessage(f.Lookup(name).Value.String()), nil
}

// sourceNumber is the number as it was typed; what is none stays a text, for the router to refuse.
func sourceNumber(f *pflag.FlagSet, name string) (json.RawMessage, error) {
	if raw, ok := asJSON(f.Lookup(name).Value.String()); ok {
		return raw, nil
	}
	return sourceText(f, name)
}

func sourceList(f *pflag.FlagSet, name string) (json.RawMessage, error) {
	list := []string{}
	for word := range strings.SplitSeq(f.Lookup(name).Value.String(), ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return sourceArray(name, list)
}

func sourceTexts(f *pflag.FlagSet, name string) (json.RawMessage, error) {
	list, err := f.GetStringArray(name)
	if err != nil {
		return nil, fmt.Errorf("read --%s: %w", name, err)
	}
	return sourceArray(name, list)
}

func sourceArray(name string, list []string) (json.RawMessage, error) {
	for _, text := range list {
		if _, err := asText("--"+name, text); err != nil {
			return nil, err
		}
	}
	return events.Marshal(list)
}

func sourceCounts(f *pflag.FlagSet, name string) (json.RawMessage, error) {
	list, err := f.GetStringArray(name)
	if err != nil {
		return nil, fmt.Errorf("read --%s: %w", name, err)
	}
	counts, err := pairs(strings.ReplaceAll(name, "_", "-"), strings.Split(strings.Join(list, ","), ","))
	if err != nil {
		return nil, err
	}
	return events.Marshal(counts)
}
