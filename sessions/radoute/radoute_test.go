package radoute

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func example(t testing.TB) Files {
	t.Helper()
	return Files{
		ID: "s-20261103-101500-a1f", From: "/w/.workbuddy/router/sessions/s-20261103-101500-a1f", Workspace: "/w",
		Session: read(t, "session.json"), Context: read(t, "context.json"), Trace: read(t, "trace.jsonl"),
	}
}

// folded is the session that the facts make.
func folded(facts []Fact) *sessions.State {
	s := sessions.New("imported")
	for _, f := range facts {
		e := events.New(f.Data)
		e.Time = f.Time
		s.Fold(e)
	}
	return s
}

func TestASessionIsSaidAgain(t *testing.T) {
	t.Parallel()
	got, err := Read(example(t))
	if err != nil {
		t.Fatal(err)
	}
	s := folded(got.Facts)
	if s.Goal != "把调研写成公众号文章并配图" || s.Status != sessions.Ended || s.Summary != "文章已入草稿箱" || s.Workspace != "/w" {
		t.Errorf("session %q %s %q %s", s.Goal, s.Status, s.Summary, s.Workspace)
	}
	if s.StartedAt.Format("2006-01-02T15:04:05Z07:00") != "2026-11-03T02:15:00Z" {
		t.Errorf("started %v", s.StartedAt)
	}
	if len(s.Routes) != 1 || s.Routes[0].Decided.Chosen != "tavily" || s.Routes[0].Decided.Router != Tool || len(s.Routes[0].Decided.Candidates) != 2 {
		t.Errorf("routes %+v", s.Routes)
	}
	if diff := cmp.Diff([]string{"c001", "old-c009"}, s.Order); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if c := s.Calls["c001"]; c.PublicStatus() != "ok" || c.Closed.Note != "after the end" || string(c.Inputs["n"].JSON) != "5" {
		t.Errorf("call c001: %+v", c)
	}
	if c := s.Calls["old-c009"]; c.PublicStatus() != "ok" || c.Parent != "c001" || string(c.Closed.Outputs["nodes"].JSON) != "7" {
		t.Errorf("call c009: %+v", c)
	}
	if rev, ok := s.Context["research.raw"].Current(); !ok || s.Context["research.raw"].Last() != 3 || string(rev.Value.JSON) != `"first"` {
		t.Errorf("research.raw after its rollback: %s", rev.Value.JSON)
	}
	if rev, _ := s.Context["research.raw"].At(2); string(rev.Value.JSON) != `{"sources":3,"long":"LONG"}` {
		t.Errorf("revision 2 is not whole: %s", rev.Value.JSON)
	}
	if rev, ok := s.Context["summary.result"].Current(); !ok || rev.By != "workflow" {
		t.Errorf("what a workflow wrote: %+v, %v", rev, ok)
	}
	if _, ok := s.Context["gone"].Current(); ok {
		t.Error("a deleted key has a value")
	}
	if len(s.Switches) != 1 || s.Switches[0].Suspended != "c001" || len(s.Switches[0].Missing) != 1 || s.Switches[0].Carry[0].Rev != 2 {
		t.Errorf("switches %+v", s.Switches)
	}
	want := map[string]int{"torn line": 1, "route_intent": 1, "call id taken twice": 1, "close of a call that is not open": 1, "value of which only the beginning is kept": 1}
	if diff := cmp.Diff(want, got.Origin.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

func TestWhatIsLeftOfABrokenSession(t *testing.T) {
	t.Parallel()
	f := example(t)
	f.Session, f.Context = []byte(`{"id": "s-1", "go`), nil
	got, err := Read(f)
	if err != nil || got.Origin.Skipped["session.json"] != 1 {
		t.Fatalf("%+v, %v", got.Origin, err)
	}
	if s := folded(got.Facts); s.Goal == "" || s.Status != sessions.Ended || len(s.Order) != 2 {
		t.Errorf("from the trace alone: %q, %s, %v", s.Goal, s.Status, s.Order)
	}
	f = example(t)
	f.Trace = nil
	if got, err = Read(f); err != nil {
		t.Fatal(err)
	}
	if s := folded(got.Facts); s.Context["research.raw"].Last() != 2 || s.Status != sessions.Ended {
		t.Errorf("from the files alone: %+v", s.Context)
	}
	if _, err := Read(Files{ID: "x"}); err == nil {
		t.Error("nothing at all is a session")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(read(f, "session.json"), read(f, "context.json"), read(f, "trace.jsonl"))
	f.Add([]byte(`{"goal":"g"}`), []byte(`{"slots":{"k":{"value":1,"rev":-1,"history":[{"value":null,"rev":9}]}}}`), []byte(`{"event":"ctx_write","key":"k","rev":9}`))
	f.Fuzz(func(t *testing.T, session, context, trace []byte) {
		got, err := Read(Files{ID: "x", Session: session, Context: context, Trace: trace})
		if err != nil {
			return
		}
		for _, fact := range got.Facts {
			if raw, err := events.Marshal(fact.Data); err != nil || !json.Valid(raw) {
				t.Fatalf("%T cannot be stored: %v", fact.Data, err)
			}
		}
		s := folded(got.Facts)
		for name, slot := range s.Context {
			for i := range slot.Revs {
				if _, ok := slot.At(i + 1); !ok && !slot.Revs[i].Deleted {
					t.Errorf("key %q has no revision %d", name, i+1)
				}
			}
		}
		again, err := Read(Files{ID: "x", Session: session, Context: context, Trace: trace})
		if diff := cmp.Diff(written(got.Facts), written(again.Facts)); err != nil || diff != "" {
			t.Errorf("read twice, said otherwise (%v):\n%s", err, diff)
		}
	})
}

func written(facts []Fact) []string {
	var out []string
	for _, f := range facts {
		raw, _ := events.Marshal(f.Data) // checked before
		out = append(out, f.Time.String()+" "+events.TypeOf(f.Data)+" "+string(raw))
	}
	return out
}
