package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/stream/memory"
)

// TestADecisionOfAnotherVersionStandsAsRecorded: what this router would decide otherwise by rules that
// it does not have is no difference; what it would decide otherwise by its own is one.
func TestADecisionOfAnotherVersionStandsAsRecorded(t *testing.T) {
	t.Parallel()
	store := memory.New("installation", time.Now)
	put := func(raw []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		digest, err := store.Put(t.Context(), raw)
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	other := skill.DefaultRules()
	other.Version = skill.Version + 1
	book, err := skill.DefaultRules().Open()
	if err != nil {
		t.Fatal(err)
	}
	index := put(skills.Index{}.Encode())
	rules, old := put(book.Encode(), nil), put(json.Marshal(other))
	l := &host.Library{Home: host.Home{Dir: t.TempDir()}, Payloads: store}
	for name, c := range map[string]struct {
		rules string
		want  error
	}{"none": {"", engine.ErrOlder}, "another version": {old, engine.ErrOlder}, "this one": {rules, nil}} {
		stored := events.RouteDecided{Task: "draw", Mode: "auto", Top: 5, Threshold: 1.2, Margin: 1.3, Decision: "auto", Reason: "so it was", Index: index, Rules: c.rules}
		again, err := l.Again(context.Background(), stored)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if stands := again.(events.RouteDecided).Reason == stored.Reason; stands != (c.want != nil) {
			t.Errorf("%s: decided again as %q", name, again.(events.RouteDecided).Reason)
		}
	}
}

func TestABrokenFileOfRulesIsRefusedByItsName(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{"lexicon.yaml": "lexicon", "intent.yaml": "intent_vocabulary", "sentinel.yaml": "sentinel_rules"} {
		home := host.Home{Dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(home.Dir, name), []byte("nonsense: [1]"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := home.Rules(false)
		var refusal *sessions.Refusal
		if !errors.As(err, &refusal) || refusal.Code != code || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want a refusal %s", name, err, code)
		}
	}
}
