//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/batonflow/baton/workflows"
)

// searchTask asks for three things of the web, with more searches than it takes.
const searchTask = `{"task_type":"breaking_news","primary_subject":"bells","goal_mode":"analyze","freshness_required":"high",` +
	`"available_sources":["web"],"need_counter_evidence":false,"information_gaps":["one","two","three"],"budget_limit":9}`

// provider notes what it is asked, holds on while "hold-QUERY" is there, and then answers or fails.
const provider = `#!/bin/sh
echo "$1|$2" >> asked
while [ -e "hold-$2" ]; do sleep 0.02; done
[ "$1" = web_search ] || { echo quota_exhausted >&2; exit 1; }
echo "[{\"title\":\"$2\"}]"
`

// TestKilledSearch: the server, or the command with it, is killed while a provider is asked. The same
// command goes on with the run: what is recorded is not asked again, what was in flight is spent.
func TestKilledSearch(t *testing.T) {
	t.Parallel()
	some(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t, "BATON_LEASE=600ms")
		write(t, filepath.Join(h.work, "task.json"), []byte(searchTask))
		write(t, filepath.Join(h.work, "ask.sh"), []byte(provider))
		args := []string{"source", "run", "task.json"}
		for _, name := range []string{"bailian_web_search", "web_search"} {
			args = append(args, "--provider-cmd", name+"=sh ask.sh "+name+" {query}")
		}
		gap := []string{"one", "two", "three"}[r.IntN(3)]
		hold := filepath.Join(h.work, "hold-bells "+gap)
		write(t, hold, nil)
		c := h.start(args...)
		flying := "|bells " + gap + "\n"
		await(t, "the provider that holds on, and a command that was told which run it is", func() bool {
			told, err := filepath.Glob(h.baton("workspaces", "*", "session"))
			return err == nil && len(told) == 1 && strings.HasSuffix(h.asked(), flying)
		})
		if r.IntN(2) == 0 {
			_ = c.Process.Kill() // the command goes first
			<-c.done
		}
		h.killServer()
		if err := os.Remove(hold); err != nil {
			t.Fatal(err)
		}
		v := ask[workflows.SearchView](h, args...)
		var provided []string
		lost := 0
		for _, a := range v.Attempts {
			provided = append(provided, a.Provider+"|"+a.Query)
			if a.Outcome == "lost" {
				lost++
			}
		}
		if got, want := h.asked(), strings.Join(provided, "\n")+"\n"; got != want || lost != 1 {
			t.Errorf("asked\n%swant, as recorded,\n%s%d attempts were lost, want one", got, want, lost)
		}
		h.checkSearch(v)
	})
}

func (h *home) asked() string {
	raw, _ := os.ReadFile(filepath.Join(h.work, "asked"))
	return string(raw)
}

// checkSearch holds what a search says of itself against the log.
func (h *home) checkSearch(v workflows.SearchView) {
	h.t.Helper()
	session := h.show(v.Run).Session
	events := h.events(session)
	var downs []string
	for _, e := range events {
		if e.Type != "search.downgraded" {
			continue
		}
		var d struct {
			FromLevel int `json:"from_level"`
			Reason    string
		}
		if err := json.Unmarshal(e.Data, &d); err != nil {
			h.t.Fatal(err)
		}
		downs = append(downs, fmt.Sprint(d.FromLevel, d.Reason))
	}
	var told []string
	for _, d := range v.DegradationLog {
		told = append(told, fmt.Sprint(d.FromLevel, d.Reason))
	}
	if strings.Join(downs, ",") != strings.Join(told, ",") {
		h.t.Errorf("downgrades in the log %v, told %v", downs, told)
	}
	if n := countRun(h.t, events, "run.started", v.Run); n != 1 || len(ask[[]runRow](h, "workflow", "list")) != 1 {
		h.t.Errorf("the search was begun more than once")
	}
	for call, tries := range attempts(h.t, events) {
		if len(tries) != 1 {
			h.t.Errorf("%s was tried as %+v", call, tries)
		}
	}
	h.checkWhole(session, events)
}
