package projections

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	sessionA = "019ad3b0-0000-7000-8000-00000000000a"
	sessionB = "019ad3b0-0000-7000-8000-00000000000b"
)

// story writes a log by hand: commits of several sessions with sequences, chains and times that a
// clock in the test's hand gives. Every frame goes through its bytes, as it would in the real log.
type story struct {
	t      testing.TB
	now    time.Time
	links  map[string]events.Link
	commit []recorded
}

type recorded struct {
	sequence uint64
	frame    events.Frame
}

func newStory(t testing.TB) *story {
	return &story{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), links: map[string]events.Link{}}
}

// after lets seconds go by.
func (s *story) after(d float64) *story {
	s.now = s.now.Add(time.Duration(d * float64(time.Second)))
	return s
}

// add commits facts to a session.
func (s *story) add(session string, facts ...events.Data) *story {
	s.t.Helper()
	var evs []events.Event
	for _, d := range facts {
		ev := events.New(d)
		ev.Time, ev.Actor = s.now, "cli"
		evs = append(evs, ev)
	}
	last, ok := s.links[session]
	if !ok {
		last = events.Genesis("test", session)
	}
	sealed, err := events.Seal(session, last, "p1", evs)
	if err != nil {
		s.t.Fatalf("seal: %v", err)
	}
	frame, err := events.Open(sealed.Bytes())
	if err != nil {
		s.t.Fatalf("open: %v", err)
	}
	s.links[session] = frame.Link()
	s.commit = append(s.commit, recorded{uint64(len(s.commit) + 1), frame})
	return s
}

// into folds the story.
func into[P Projection](s *story, p P) P {
	for _, c := range s.commit {
		p.Fold(c.sequence, c.frame)
	}
	return p
}

func text(s string) events.Value {
	raw, err := events.Marshal(s)
	if err != nil {
		panic(err)
	}
	return events.Value{JSON: raw}
}

func raw(s string) events.Value { return events.Value{JSON: json.RawMessage(s)} }

// golden compares with a file of testdata, or rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// byHandStory is the full example of the seed skill-router.
func byHandStory(t testing.TB) *story {
	s := newStory(t)
	s.add(sessionA, events.SessionStarted{Goal: "调研转公众号文章并配图", Mode: "auto", Workspace: "/home/ann/notes"})
	s.after(1).add(sessionA, events.ContextSet{Key: "research.raw", Value: raw(`{"sources": 3, "points": ["a", "b"]}`), Rev: 1, By: "ann"})
	s.after(2).add(sessionA, events.RouteDecided{
		Route: "q001", Task: "把调研要点整理成公众号文章正文", Mode: "auto", Threshold: 1.2, Margin: 1.3, Top: 3,
		Decision: "auto", Reason: "2.41 is over the threshold and 2.16 times the next", Chosen: "wechat-publisher", Index: "d1",
		Candidates: []events.Candidate{
			{Name: "wechat-publisher", Tier: "user", Score: 2.41, Path: "/s/w", Description: "公众号", Why: []string{"描述: 公众号", "描述: 文章"}},
			{Name: "summarize", Tier: "user", Score: 1.114, Path: "/s/s", Description: "要点", Why: []string{"描述: 要点"}},
		},
	})
	s.after(1).add(sessionA, events.CallOpened{
		Call: "c001", Skill: "wechat-publisher", Intent: "撰写公众号正文", Reads: []events.Read{{Key: "research.raw", Rev: 1}, {Key: "brief"}},
		Writes: []string{"draft.md"}, Route: "q001",
	}, events.CallStarted{Call: "c001", Attempt: 1})
	s.after(10).add(sessionA, events.CallSuspended{Call: "c001", Reason: "switch to drawio-skill"}, events.SwitchMade{
		From: "wechat-publisher", To: "drawio-skill", Kind: "handoff", Reason: "正文需要架构图",
		Carry: []events.Read{{Key: "research.raw", Rev: 1}}, Missing: []string{"brief"}, Suspended: "c001",
	})
	s.after(1).add(sessionA, events.RouteDecided{
		Route: "q002", Task: "画一张 Agent 系统架构图", Mode: "auto", Threshold: 1.2, Margin: 1.3, Top: 3, Decision: "confirm",
		Reason: "the lead of 1.1 is under the margin", Exclude: []string{"mermaid"}, HighRisk: "发布", Index: "d1", Warnings: []string{"no renderer found"},
		Candidates: []events.Candidate{{Name: "drawio-skill", Tier: "user", Score: 1.3, Why: []string{"name"}}},
	})
	s.after(1).add(sessionA, events.CallOpened{
		Call: "c002", Skill: "drawio-skill", Intent: "生成架构图", Parent: "c001", Inputs: map[string]events.Value{"style": text("flat"), "dpi": raw("150")},
		Reads: []events.Read{{Key: "research.raw", Rev: 1}}, Writes: []string{"draft.diagram", "draft.legend"}, Route: "q002",
	})
	s.after(30).add(sessionA, events.ContextSet{Key: "draft.diagram", Value: text("arch.drawio"), Rev: 1, By: "drawio-skill", Call: "c002"})
	s.after(1.25).add(sessionA, events.CallClosed{
		Call: "c002", Attempt: 1, Status: "ok", Artifacts: []string{"arch.drawio"}, Missing: []string{"draft.legend"},
	})
	s.after(2).add(sessionA, events.CallResumed{Call: "c001"})
	s.after(60).add(sessionA, events.CallClosed{
		Call: "c001", Attempt: 1, Status: "partial", Outputs: map[string]events.Value{"words": raw("1800")}, Note: "封面待补",
	})
	return s.after(5).add(sessionA, events.SessionEnded{Summary: "文章已入草稿箱"})
}

// runStory is a run of two branches and a join: one branch fails and is tried again, the other
// loses its worker.
func runStory(t testing.TB) *story {
	const run = "r-01kb5"
	s := newStory(t)
	open := func(step, skill string, more events.CallOpened) events.CallOpened {
		more.Call, more.Skill, more.Run, more.Step, more.Queue = run+"/"+step, skill, run, step, "default"
		return more
	}
	s.add(sessionB, events.SessionStarted{Goal: "two searches, one report", Mode: "auto", Workspace: "/w"},
		events.RunStarted{Run: run, Name: "research-and-publish", SHA256: "5f0c", Inputs: map[string]events.Value{"topic": text("vertigo")}, Workspace: "/w"},
		open("搜索", "knowledge-acquisition", events.CallOpened{Intent: "search VOR", Inputs: map[string]events.Value{"q": text("<VOR> & co")}}),
		events.RouteDecided{
			Route: "q1", Run: run, Step: "bppv", Task: "search BPPV", Decision: "auto", Threshold: 1.2, Margin: 1.3, Chosen: "grep-notes",
			Reason: "named in the task", Candidates: []events.Candidate{{Name: "grep-notes", Tier: "project", Score: 3}},
		},
		open("bppv", "grep-notes", events.CallOpened{Intent: "search BPPV", Route: "q1"}))
	s.after(0.1).add(sessionB, events.CallStarted{Call: run + "/搜索", Attempt: 1, Worker: "p1.0", Baton: 7, Delivery: 1},
		events.CallStarted{Call: run + "/bppv", Attempt: 1, Worker: "p2.0", Baton: 8, Delivery: 1})
	s.after(2).add(sessionB, events.CallFailed{
		Call: run + "/搜索", Attempt: 1, Failure: events.Failure{Class: "retryable", Code: "EXIT", Message: "connection reset\nby peer", Exit: 75},
	}, events.TimerSet{Timer: "t1", Kind: "backoff", At: "2026-11-30T12:00:03.1Z", Run: run, Call: run + "/搜索"})
	s.after(1).add(sessionB, events.TimerFired{Timer: "t1"}, open("搜索", "knowledge-acquisition", events.CallOpened{Cause: "retry"}))
	s.after(0.2).add(sessionB, events.CallStarted{Call: run + "/搜索", Attempt: 2, Worker: "p1.1", Baton: 9, Delivery: 1})
	s.after(8).add(sessionB, events.CallLost{Call: run + "/bppv", Attempt: 1, Worker: "p2.0", Reason: "process p2 is gone"},
		events.CallStarted{Call: run + "/bppv", Attempt: 2, Worker: "p1.0", Baton: 8, Delivery: 2})
	s.after(1).add(sessionB, events.ContextSet{Key: "research.vor", Value: raw(`{"papers":[1,2]}`), Rev: 1, By: "搜索", Call: run + "/搜索"},
		events.CallClosed{Call: run + "/搜索", Attempt: 2, Status: "ok", Value: raw(`{"papers":[1,2]}`), Usage: json.RawMessage(`{"tokens": 12}`)})
	s.after(1).add(sessionB,
		events.ContextSet{Key: "research.bppv", Value: events.Value{SHA256: "ab12ab12ab12ab12", Size: 5 << 20}, Rev: 1, By: "bppv", Call: run + "/bppv"},
		events.CallClosed{Call: run + "/bppv", Attempt: 2, Status: "ok", Value: events.Value{SHA256: "ab12ab12ab12ab12", Size: 5 << 20}},
		events.StepSkipped{Run: run, Step: "ask", Reason: "inputs.ask is false"},
		open("join", "report-writer", events.CallOpened{Reads: []events.Read{{Key: "research.vor", Rev: 1}, {Key: "research.bppv", Rev: 1}}}),
		events.CallStarted{Call: run + "/join", Attempt: 1, Worker: "p1.0", Baton: 8})
	return s.after(86400).add(sessionB,
		events.CallClosed{Call: run + "/join", Attempt: 1, Status: "ok", Value: text("report.md"), Artifacts: []string{"report.md"}},
		events.RunCompleted{Run: run})
}
