package source

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Name, Document string
		Want           [][2]string
	}
	readCases(t, "testdata/faults.json", &cases)
	r := router(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			p, faults := r.Plan([]byte(c.Document))
			got := [][2]string{}
			for _, f := range faults {
				got = append(got, [2]string{f.Code, f.Field})
				if f.Want == "" || !strings.Contains(faults.Error(), f.Code) {
					t.Errorf("%v does not say what is wanted", f)
				}
			}
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if (len(got) > 0) != (p.TaskID == "") {
				t.Errorf("%d faults and plan %q", len(got), p.TaskID)
			}
		})
	}
}

func TestAnErrorIsItsCodeAndField(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(Errors{{Code: emptyText, Field: "primary_subject", Want: "a text"}})
	if err != nil || string(raw) != `[{"code":"E_EMPTY","field":"primary_subject"}]` {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestCanonical: characters stand as they are, whatever the encoder would like to escape.
func TestCanonical(t *testing.T) {
	t.Parallel()
	raw, err := input{Subject: "<a&b>\u2028\u2029\\u2028\"", Gaps: []string{}, Domains: []string{}}.canonical()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"available_providers":null,"available_sources":null,"budget_limit":0,"freshness_required":"","goal_mode":"","information_gaps":[],` +
		`"local_material":{"local_file":0,"vector":0},"need_counter_evidence":false,"preferred_domains":[],"primary_subject":"<a&b>` + "\u2028\u2029" + `\\u2028\"","retrieval_only":false,"task_type":""}`
	if string(raw) != want {
		t.Errorf("got\n%s\nwant\n%s", raw, want)
	}
}

func FuzzPlan(f *testing.F) {
	plans, err := os.ReadFile("testdata/plans.json")
	if err != nil {
		f.Fatal(err)
	}
	var cases []struct{ Document json.RawMessage }
	if err := json.Unmarshal(plans, &cases); err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		f.Add([]byte(c.Document))
	}
	f.Add([]byte(`{"available_sources":[null,"web",{}],"budget_limit":-0,"local_material":{"vector":1e9},"x":null}`))
	r := router(f)
	f.Fuzz(func(t *testing.T, document []byte) {
		p, faults := r.Plan(document)
		if (len(faults) > 0) != (p.TaskID == "") {
			t.Fatalf("%d faults and plan %q", len(faults), p.TaskID)
		}
		if len(faults) > 0 {
			return
		}
		in, _ := read(document, r.providers)
		if broken := law(in, p); broken != "" {
			t.Fatalf("%s: %+v", broken, p)
		}
		canonical, err := in.canonical()
		if err != nil || !utf8.Valid(canonical) {
			t.Fatalf("canonical %q, %v", canonical, err)
		}
		again, faults := read(canonical, r.providers)
		if again.repeated = in.repeated; faults != nil || !cmp.Equal(in, again, cmp.AllowUnexported(input{})) {
			t.Fatalf("normalised twice: %v\n%+v\n%+v", faults, in, again)
		}
	})
}
