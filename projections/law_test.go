package projections

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
)

// randomLog is any log at all, plausible or not: a fold takes what it is given.
func randomLog(t *rapid.T) []recorded {
	sessions := []string{sessionA, sessionB, "skills", "feedback"}
	n := map[string]uint64{}
	var out []recorded
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for sequence := uint64(1); sequence <= uint64(rapid.IntRange(1, 40).Draw(t, "commits")); sequence++ {
		session := rapid.SampledFrom(sessions).Draw(t, "session")
		n[session]++
		now = now.Add(time.Duration(rapid.IntRange(0, 100_000).Draw(t, "ms")) * time.Millisecond)
		frame := events.Frame{Session: session, N: n[session]}
		for range rapid.IntRange(1, 4).Draw(t, "events") {
			ev := events.New(randomFact(t))
			ev.Time = now
			if _, unknown := ev.Data.(events.Unknown); unknown {
				ev.Type = "thing.new"
			}
			frame.Events = append(frame.Events, ev)
		}
		out = append(out, recorded{sequence, frame})
	}
	return out
}

func pick(t *rapid.T, label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }

// randomFact draws from few ids, so that facts meet.
func randomFact(t *rapid.T) events.Data {
	run := pick(t, "run", "r-1", "r-1", "r-2")
	step := pick(t, "step", "a", "A", "b", "长/x")
	call := pick(t, "call", "c001", "c002", run+"/"+step, run+"/"+step)
	key, rev := pick(t, "key", "k", "k.x"), rapid.IntRange(0, 3).Draw(t, "rev")
	attempt, final := rapid.IntRange(0, 3).Draw(t, "attempt"), rapid.Bool().Draw(t, "final")
	timer, approval := pick(t, "timer", "t1", "t2"), pick(t, "approval", "#1", "#2")
	item := run + "/" + step + pick(t, "item", "[0]", "[1]", "")
	word := pick(t, "text", "", "x\ny", "**长**", "\u202e")
	value := rapid.SampledFrom([]events.Value{{}, text(word), raw(`{"a":1}`), raw("not json"), {SHA256: "ab", Size: 9}}).Draw(t, "value")
	opened := events.CallOpened{
		Call: call, Skill: pick(t, "skill", "", "knowledge-acquisition", "s"), Intent: word, Parent: pick(t, "parent", "", "c001", "c009"),
		Queue: pick(t, "queue", "", "default", "skills"), Inputs: map[string]events.Value{key: value}, Reads: []events.Read{{Key: key, Rev: rev}},
		Cause: pick(t, "cause", "", "retry"), Route: "q1",
		Execute: json.RawMessage(pick(t, "execute", "", `{"exec":["a"]}`, `{"claim":{}}`, `{"approve":{}}`, `{"wait":{"signal":"go"}}`, `{"wait":3}`)),
	}
	one := opened
	one.Call, one.Run, one.Step = item, run, step
	if strings.Contains(call, "/") {
		opened.Run, opened.Step = run, step
	}
	return rapid.SampledFrom([]events.Data{
		opened, opened, one, one,
		events.SessionStarted{Goal: word, Mode: "auto", Workspace: "/w"},
		events.SessionEnded{Summary: word},
		events.SwitchMade{From: "s", To: "u", Kind: "handoff", Reason: word, Suspended: call},
		events.ContextSet{Key: key, Value: value, Rev: rev, Call: call},
		events.ContextDeleted{Key: key, Rev: rev},
		events.ContextRolledBack{Key: key, Rev: rev, To: 1},
		events.RouteDecided{Route: "q1", Task: word, Decision: "auto", Run: run, Step: step, Candidates: []events.Candidate{{Name: word}}},
		events.RouteBlocked{Task: word},
		events.SkillsScanned{Index: word, Count: rev},
		events.FeedbackGiven{Feedback: "fb001", Text: value, Chosen: word, Excluded: []string{"s", word}, Weight: 1, Source: word, Call: call}, events.FeedbackCleared{},
		events.CallStarted{Call: call, Attempt: attempt, Worker: pick(t, "worker", "", "p1.0"), Baton: 3},
		events.CallStarted{Call: call, Attempt: attempt + 1, Worker: "p2.0"},
		events.CallSuspended{Call: call, Reason: word},
		events.CallResumed{Call: call},
		events.CallClosed{Call: pick(t, "closed", call, item), Attempt: attempt, Status: pick(t, "status", "ok", "partial", "failed", "skipped", word), Value: value, Note: word},
		events.CallFailed{Call: pick(t, "failed", call, item), Attempt: attempt, Final: final, Failure: events.Failure{Class: "retryable", Message: word}},
		events.CallLost{Call: call, Attempt: attempt, Final: final, Reason: word},
		events.CallCancelled{Call: pick(t, "cancelled", call, item), Attempt: attempt},
		events.RunStarted{Run: run, Name: word},
		events.RunCompleted{Run: run},
		events.RunFailed{Run: run, Steps: []string{step}},
		events.RunCancelled{Run: run},
		events.RunResumed{Run: run, SHA256: word},
		events.StepSkipped{Run: run, Step: step},
		events.StepJudged{Run: run, Step: step, Call: call},
		events.SearchDowngraded{Run: run, FromLevel: rev, Reason: word},
		events.WebAdvanced{Run: run, Trace: json.RawMessage(pick(t, "said", `[{"event":"failed","tool":"t","code":"timeout"}]`, `{}`))},
		events.StepFailed{Run: run, Step: step},
		events.ItemsListed{Run: run, Step: step, Items: value, Count: rev},
		events.StepJoined{Run: run, Step: step, Done: rev, Value: value},
		events.ApprovalAsked{Approval: approval, Run: run, Step: step, Call: call, Question: word, Action: word, ExpiresIn: 1e12 * float64(rev)},
		events.ApprovalAnswered{Approval: approval, Yes: final, By: pick(t, "by", "ada", "expiry"), Note: word},
		events.SignalReceived{Run: run, Signal: "go", Value: value, By: word},
		events.TimerSet{Timer: timer, Kind: pick(t, "kind", "backoff", "wait", "expiry"), At: pick(t, "at", "2026-11-30T12:00:00.5Z", word), Run: run, Call: call},
		events.TimerFired{Timer: timer},
		events.TimerVoided{Timer: timer},
		events.Unknown{Raw: []byte(`{}`)},
	}).Draw(t, "fact")
}

// picture is all that a projection shows.
func picture(t testing.TB, p Projection) string {
	switch p := p.(type) {
	case *Index:
		return saved(t, p) + fmt.Sprint(p.Skipped(), p.Skills(), p.Queued(), p.Held(), p.Timers(), p.Approvals(), p.Runs(), p.Sessions())
	case *Pipeline:
		return fmt.Sprintf("%d %s", p.Skipped(), p.Files())
	case *Spans:
		return fmt.Sprintf("%d %s", p.Skipped(), drawn(p.Ended()))
	case *Trace:
		var b strings.Builder
		for _, view := range slices.Sorted(maps.Keys(views)) {
			if view != "run.json" {
				b.WriteString(show(t, p, view))
			}
		}
		for _, id := range slices.Sorted(maps.Keys(p.runs)) {
			view, _ := p.Run(id)
			if err := indented(&b, view); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	t.Fatalf("no picture of %T", p)
	return ""
}

func TestEveryProjectionIsAFold(t *testing.T) {
	t.Parallel()
	for _, row := range Projections {
		t.Run(row.Name, rapid.MakeCheck(func(rt *rapid.T) {
			log := randomLog(rt)
			once, twice, watched := row.New(), row.New(), row.New()
			for i, c := range log {
				once.Fold(c.sequence, c.frame)
				twice.Fold(c.sequence, c.frame)
				twice.Fold(c.sequence, c.frame)
				twice.Fold(log[i/2].sequence, log[i/2].frame)
				watched.Fold(c.sequence, c.frame)
				if rapid.Bool().Draw(rt, "look") {
					picture(t, watched)
				}
			}
			want := picture(t, once)
			if diff := cmp.Diff(want, picture(t, twice)); diff != "" {
				rt.Errorf("folded twice is not folded once (-once +twice):\n%s", diff)
			}
			if diff := cmp.Diff(want, picture(t, watched)); diff != "" {
				rt.Errorf("looking changed it (-unseen +seen):\n%s", diff)
			}
		}))
	}
}

func TestIndexGoesOnAfterALoad(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		log := randomLog(rt)
		cut := rapid.IntRange(0, len(log)).Draw(rt, "restart after")
		live, stopped := new(Index), new(Index)
		for i, c := range log {
			live.Fold(c.sequence, c.frame)
			if i < cut {
				stopped.Fold(c.sequence, c.frame)
			}
		}
		started, err := LoadIndex(strings.NewReader(saved(t, stopped)))
		if err != nil {
			rt.Fatal(err)
		}
		for _, c := range log {
			started.Fold(c.sequence, c.frame)
		}
		if diff := cmp.Diff(picture(t, live), picture(t, started)); diff != "" {
			rt.Errorf("restarted after %d of %d commits (-live +restarted):\n%s", cut, len(log), diff)
		}
	})
}

func TestIndexKeepsNothingOfEndedSessions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		x := new(Index)
		log := randomLog(rt)
		for _, c := range log {
			x.Fold(c.sequence, c.frame)
		}
		for i, session := range []string{sessionA, sessionB} {
			x.Fold(uint64(len(log)+i+1), events.Frame{Session: session, Events: []events.Event{events.New(events.SessionEnded{})}})
		}
		if len(x.open) > 0 || len(x.Queued())+len(x.Held())+len(x.Timers())+len(x.Approvals()) > 0 {
			rt.Errorf("left over: %v", x.open)
		}
	})
}

// The writer keeps a folder by rewriting what changed; it must end up with the rebuilt bytes.
func TestPipelineWrittenAsItGoesEqualsARebuild(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		log := randomLog(rt)
		live, disk := new(Pipeline), map[string][]byte{}
		for i, c := range log {
			live.Fold(c.sequence, c.frame)
			if i < len(log)-1 && rapid.Bool().Draw(rt, "busy") {
				continue
			}
			for _, name := range live.Changed() {
				content, ok := live.File(name)
				if !ok || len(content) == 0 {
					rt.Fatalf("%s changed and is not there", name)
				}
				if old, written := disk[name]; written && name != traceFile {
					rt.Errorf("%s is written again: %s", name, old)
				}
				disk[name] = content
			}
		}
		rebuilt := new(Pipeline)
		for _, c := range log {
			rebuilt.Fold(c.sequence, c.frame)
		}
		if diff := cmp.Diff(rebuilt.Files(), disk); diff != "" {
			rt.Errorf("on disk (-rebuilt +written):\n%s", diff)
		}
	})
}

// A fold that forgets a new event must not go unnoticed: every type switch over facts that the three
// projections make names the whole catalogue.
func TestFoldsNameTheWholeCatalogue(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"trace.go", "index_fold.go", "pipeline.go", "spans.go"} {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		ast.Inspect(tree, func(n ast.Node) bool {
			fold, ok := n.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fold.Name.Name, "fold") {
				return true
			}
			ast.Inspect(fold, func(n ast.Node) bool {
				if clause, ok := n.(*ast.CaseClause); ok {
					for _, typ := range clause.List {
						if sel, ok := typ.(*ast.SelectorExpr); ok {
							named[sel.Sel.Name] = true
						}
					}
				}
				return true
			})
			return false
		})
		for _, entry := range events.Catalogue {
			if kind := strings.TrimPrefix(fmt.Sprintf("%T", entry.Zero()), "events."); !named[kind] {
				t.Errorf("%s: fold does not name %s", file, kind)
			}
		}
	}
}
