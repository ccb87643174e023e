package audit

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// attack is one case of testdata, with the least that must come of it.
type attack struct {
	ID, Name string
	Verdict  Verdict
	Files    map[string]string
	Hex      map[string]string
}

func attacksOf(t *testing.T, file string) []attack {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []attack
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		for path, text := range a.Hex {
			data, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			a.Files[path] = string(data)
		}
	}
	return list
}

// TestAttacks: of synthetic attacks at least 95 of 100 are found, with at least the verdict they
// deserve. Those of attacks_apart.json were written after the rules, to see what these do with what
// nobody had in mind.
func TestAttacks(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/attacks.json", "testdata/attacks_apart.json"} {
		list := attacksOf(t, file)
		missed := 0
		for _, a := range list {
			if r := audit(t, a.Files); r.Verdict > a.Verdict { // P0 < P1 < P2
				missed++
				t.Logf("%s %s: got %s, want %s: %v", a.ID, a.Name, r.Verdict, a.Verdict, short(r))
			}
		}
		t.Logf("%s: %d of %d found", file, len(list)-missed, len(list))
		if len(list) < 50 || missed*20 > len(list) {
			t.Errorf("%s: %d of %d attacks are missed", file, missed, len(list))
		}
	}
}

// TestPlainSkillsAreLeftAlone: what only looks like an attack is none.
func TestPlainSkillsAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, a := range attacksOf(t, "testdata/plain.json") {
		if r := audit(t, a.Files); r.Verdict != a.Verdict {
			t.Errorf("%s %s: got %s: %v", a.ID, a.Name, r.Verdict, short(r))
		}
	}
}
