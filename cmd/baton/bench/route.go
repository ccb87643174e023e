package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/disk"
	"github.com/batonflow/baton/workflows"
)

// skillCount is how many skills there are to choose from.
const skillCount = 200

// Words that the made-up skills differ in.
var (
	verbs   = []string{"summarise", "translate", "compare", "extract", "publish", "review", "convert", "validate", "schedule", "archive"}
	objects = []string{"invoices", "articles", "contracts", "photographs", "recordings", "spreadsheets", "recipes", "timetables", "letters", "maps", "surveys", "drawings", "subtitles", "catalogues", "receipts", "minutes", "budgets", "manuals", "posters", "statutes"}
)

// makeSkills writes skills that differ in what they do and to what.
func makeSkills(dir string, n int) error {
	for i := range n {
		verb, object := verbs[i%len(verbs)], objects[i/len(verbs)%len(objects)]
		name := verb + "-" + object
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return err
		}
		text := fmt.Sprintf("---\nname: %s\ndescription: Use it to %s %s of any size and to say what was found in them.\n---\n\n# %s\n\nRead the %s, then %s them.\n", name, verb, object, name, object, verb)
		if err := os.WriteFile(filepath.Join(dir, name, "SKILL.md"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// route measures decisions, and the scan that they rest on.
func route(ctx context.Context, b *bench) error {
	return b.within(ctx, func(ctx context.Context, s *host.Server) error {
		var scans, routes []time.Duration
		for range rounds {
			took, err := timed(func() error {
				_, _, err := disk.Scan(ctx, disk.Places{Path: b.skills()}, nil)
				return err
			})
			if err != nil {
				return err
			}
			scans = append(scans, took)
		}
		session := operation.DerivedSession(fmt.Sprintf("bench route %d", time.Now().UnixNano()))
		meta := engine.Meta{Actor: "bench"}
		if _, err := s.Engine().Do(ctx, session, workflows.Of(sessions.Begin{Goal: "bench", Mode: "auto", Workspace: b.workspace()}), meta); err != nil {
			return err
		}
		for i := range 20 * rounds {
			task := fmt.Sprintf("please %s these %s and tell me what is in them", verbs[i%len(verbs)], objects[i%len(objects)])
			took, err := timed(func() error {
				_, err := s.Engine().Do(ctx, session, workflows.Of(sessions.AskRoute{RouteTask: sessions.RouteTask{Task: task, Mode: "auto", Top: 5}}), meta)
				return err
			})
			if err != nil {
				return err
			}
			routes = append(routes, took)
		}
		b.add(fmt.Sprintf("route over %d skills", skillCount), milli(spread(routes).median()), "ms")
		b.add(fmt.Sprintf("scan of %d skills", skillCount), milli(spread(scans).median()), "ms")
		return nil
	})
}
