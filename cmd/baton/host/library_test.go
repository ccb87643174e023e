package host_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
)

// putSkill writes a skill into the home's own folder of skills.
func putSkill(t *testing.T, home host.Home, name, body string) {
	t.Helper()
	folder := filepath.Join(home.Dir, "skills", name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: " + name + "\ndescription: Does what " + name + " does.\n---\n" + body
	if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func ask[T any](t *testing.T, link *host.Link, name string, q any) T {
	t.Helper()
	got, err := engine.As[T](link.Query(t.Context(), name, "", q))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestAChangeOfSkillsIsOnRecordBeforeAnybodyAsks: the folders are watched, so that the second index
// stands in the log although nothing looked.
func TestAChangeOfSkillsIsOnRecordBeforeAnybodyAsks(t *testing.T) {
	t.Parallel()
	home := host.Home{Dir: t.TempDir()}
	putSkill(t, home, "first", "x")
	link, _ := serve(t, home)
	workspace := t.TempDir()
	list := ask[operation.SkillsList](t, link, "skills.list", operation.SkillsAsk{Workspace: workspace})
	if len(list.Skills) != 1 {
		t.Fatalf("skills %+v, want the one of the home", list.Skills)
	}
	if !list.Watched {
		t.Skip("this system has no notifications left")
	}
	putSkill(t, home, "second", "x")
	for after := uint64(0); ; {
		page := ask[engine.EventPage](t, link, "events", engine.EventsAsk{Type: "skills.scanned", After: after, Limit: 10})
		for _, e := range page.Events {
			var d struct{ Count int }
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Fatal(err)
			}
			if d.Count == 2 {
				return
			}
		}
		after = page.After
		select {
		case <-t.Context().Done():
			t.Fatal("the second skill never came on record")
		case <-time.After(10 * time.Millisecond): // the log is asked again
		}
	}
}

func TestTheServerHoldsFiveLoadedSkills(t *testing.T) {
	t.Parallel()
	home := host.Home{Dir: t.TempDir()}
	for i := range 6 {
		putSkill(t, home, fmt.Sprintf("s%d", i), "body")
	}
	link, _ := serve(t, home)
	about := func(name string) operation.SkillAsk { return operation.SkillAsk{Workspace: home.Dir, Name: name} }
	load := func(name string) operation.Loaded { return ask[operation.Loaded](t, link, "skills.load", about(name)) }
	for i := range 6 {
		load(fmt.Sprintf("s%d", i))
	}
	stats := ask[host.CacheStats](t, link, "skills.loaded", about(""))
	if stats.Count != 5 || stats.Loaded[0].Name != "s5" || stats.Loaded[4].Name != "s1" || stats.IndexSkills != 6 || stats.ApproxBytes == 0 {
		t.Errorf("after six were loaded: %+v", stats)
	}
	if kept := load("s3"); !kept.LoadedAt.Equal(stats.Loaded[2].LoadedAt) {
		t.Error("a skill that is held was read again")
	}
	putSkill(t, home, "s3", "another body")
	if again := load("s3"); again.LoadedAt.Equal(stats.Loaded[2].LoadedAt) || again.Body[len(again.Body)-12:] != "another body" {
		t.Errorf("a skill that changed was not read again: %q", again.Body)
	}
	if got := ask[host.Evicted](t, link, "skills.evict", about("s3")); !got.OK {
		t.Error("a held skill cannot be evicted")
	}
	if got := ask[host.Evicted](t, link, "skills.evict", about("s3")); got.OK {
		t.Error("it was evicted twice")
	}
}
