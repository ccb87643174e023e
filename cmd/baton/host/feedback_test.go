package host_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

func teach(t *testing.T, link *host.Link, task, chosen string) {
	t.Helper()
	raw, err := events.Marshal(sessions.FeedbackText{Task: task, Of: task})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := link.Payloads.Put(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	ask[sessions.Given](t, link, "feedback.give", host.FeedbackGive{Feedback: sessions.Feedback{Text: events.Value{SHA256: sum, Size: 1}, Chosen: chosen}})
}

// TestClearedFeedbackIsGoneFromTheDisk: what a person wants forgotten stands in no file of the home.
func TestClearedFeedbackIsGoneFromTheDisk(t *testing.T) {
	t.Parallel()
	home := host.Home{Dir: t.TempDir()}
	link, stop := serve(t, home)
	const secret = "sell the house in Birch Lane"
	teach(t, link, secret, "broker")
	if list := ask[[]host.FeedbackShown](t, link, "feedback.list", engine.None{}); len(list) != 1 || list[0].Task == nil || *list[0].Task != secret {
		t.Fatalf("before clearing: %+v", list)
	}
	if gone := ask[host.FeedbackGone](t, link, "feedback.clear", host.FeedbackClear{}); gone.Cleared != 1 {
		t.Errorf("cleared %d, want 1", gone.Cleared)
	}
	stop()
	err := filepath.WalkDir(home.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("%s still holds the text", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
