package source

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func router(t testing.TB) Router {
	t.Helper()
	r, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readCases(t testing.TB, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
}

// loose is a value as any reader of its JSON sees it.
func loose(t testing.TB, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPlans(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Name     string
		Document json.RawMessage
		Want     any
	}
	readCases(t, "testdata/plans.json", &cases)
	r := router(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			got, faults := r.Plan(c.Document)
			if faults != nil {
				t.Fatal(faults)
			}
			if diff := cmp.Diff(c.Want, loose(t, got)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}
