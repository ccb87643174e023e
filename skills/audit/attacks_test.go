package audit

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// TestAttacks: of synthetic attacks at least 95 of 100 are found, with at least the verdict they
// deserve.
func TestAttacks(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/attacks.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		ID, Name string
		Verdict  Verdict
		Files    map[string]string
		Hex      map[string]string
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	missed := 0
	for _, attack := range list {
		for path, text := range attack.Hex {
			data, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			attack.Files[path] = string(data)
		}
		if r := audit(t, attack.Files); r.Verdict > attack.Verdict { // P0 < P1 < P2
			missed++
			t.Logf("%s %s: got %s, want %s: %v", attack.ID, attack.Name, r.Verdict, attack.Verdict, short(r))
		}
	}
	t.Logf("%d of %d found", len(list)-missed, len(list))
	if len(list) < 60 || missed*20 > len(list) {
		t.Errorf("%d of %d attacks are missed", missed, len(list))
	}
}
