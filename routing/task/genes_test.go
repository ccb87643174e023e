package task

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestActivation(t *testing.T) {
	t.Parallel()
	type row struct {
		Chain     []string
		Evolution string
		Flags     struct {
			Biomedical   bool
			Batch        bool
			SingleSource bool `json:"single_source"`
			CrossPaper   bool `json:"cross_paper"`
		}
		Expected map[string]any
	}
	r := router(t)
	for _, c := range fixture[row](t, "genes.json") {
		names := c.Chain
		if c.Evolution != "" {
			names = []string{c.Evolution}
		}
		chain, err := r.Chain(names...)
		if err != nil {
			t.Fatal(err)
		}
		a := r.Activate(chain, Flags(c.Flags))
		if c.Evolution != "" {
			a = r.Evolve(chain[0])
		}
		if diff := cmp.Diff(c.Expected, asJSON(t, a)); diff != "" {
			t.Errorf("%v %+v (-want +got):\n%s", names, c.Flags, diff)
		}
	}
}

// TestGeneCounts holds the table against the numbers of the seed: 39 genes, 12 of which a full chain
// expresses. A router's and a gate's genes are in no chain.
func TestGeneCounts(t *testing.T) {
	t.Parallel()
	r := router(t)
	counts := map[string]int{"KA": 6, "KE": 5, "AS": 4, "HG": 5, "AE": 5, "VP": 5, "QG": 5, "TR": 4}
	for prefix, want := range counts {
		if got := len(r.genes.of(prefix)); got != want {
			t.Errorf("%d genes of %s, want %d", got, prefix, want)
		}
	}
	if len(r.genes.All) != 39 {
		t.Errorf("%d genes", len(r.genes.All))
	}
	if full := r.Activate(r.atoms.Chain, Flags{CrossPaper: true}); full.Activated != 12 || full.Suppressed != 18 {
		t.Errorf("a full chain expresses %d and silences %d", full.Activated, full.Suppressed)
	}
}

// TestFlags reads the flags of a query by what they do to the genes of one atom.
func TestFlags(t *testing.T) {
	t.Parallel()
	r := router(t)
	no := false
	chain, err := r.Chain("ACQ", "EXT", "ASC")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		req  Request
		want Flags
	}{
		{Request{Query: "搜索眼震文献"}, Flags{Biomedical: true, CrossPaper: true}},
		{Request{Query: "Search for NYSTAGMUS", Context: Context{Biomedical: &no}}, Flags{CrossPaper: true}},
		{Request{Query: "这篇的关联"}, Flags{}},
		{Request{Query: "Relationships in This  Paper"}, Flags{}},
		{Request{Query: "批量下载", Context: Context{SingleSource: true}}, Flags{Batch: true, SingleSource: true, CrossPaper: true}},
		{Request{Query: "x", Context: Context{Items: 2}}, Flags{Batch: true, CrossPaper: true}},
		{Request{Query: "batches", Context: Context{Items: 1}}, Flags{CrossPaper: true}},
	} {
		if diff := cmp.Diff(c.want, r.flags(c.req, chain)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.req, diff)
		}
	}
	if r.flags(Request{Query: "x"}, chain[:2]).CrossPaper {
		t.Error("papers are compared without the atom that compares them")
	}
}

// TestWeights: of an atom among several the heaviest genes are taken, light ones never.
func TestWeights(t *testing.T) {
	t.Parallel()
	r := router(t)
	r.genes.All = slices.Clone(r.genes.All)
	for i := range r.genes.All {
		switch g := &r.genes.All[i]; g.ID {
		case "KA-001", "KA-002":
			g.Weight = 0.9
		case "KE-001", "KE-003", "KE-004", "KE-005":
			g.Weight = 0.79
		}
	}
	chain, err := r.Chain("ACQ", "EXT")
	if err != nil {
		t.Fatal(err)
	}
	want := []AtomGenes{{"ACQ", []string{"KA-003", "KA-006"}}, {"EXT", []string{"KE-002"}}}
	if diff := cmp.Diff(want, r.Activate(chain, Flags{}).Atoms); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if alone := r.Activate(chain[1:], Flags{}); alone.Activated != 5 {
		t.Errorf("a single atom expresses %d of its 5 genes", alone.Activated)
	}
}

// TestActivationKeepsTheOrder: the JSON reads in the order of the chain.
func TestActivationKeepsTheOrder(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(Activation{Atoms: []AtomGenes{{"B", []string{"b"}}, {"A", []string{}}}, Activated: 1, Suppressed: 2, Reason: `"`})
	if want := `{"B":["b"],"A":[],"activated_count":1,"suppressed_count":2,"reason":"\""}`; err != nil || string(raw) != want {
		t.Errorf("%s, %v; want %s", raw, err, want)
	}
}
