package task

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// pieces are what queries are made of in the laws: rule words, targets, connectors and noise.
var pieces = []string{
	"同时", "分别", "写论文", "怎么优化", "验证", "假设", "分析", "矛盾", "关系", "搜索", "文献", "批量", "这篇", "眼震", "和", "、", "以及", "的", "VOR", "BPPV",
	" in parallel ", " search ", " papers ", " and ", " Kafka ", ", ", ". ", "\n", "“", "”", "\u200b", "ＦＩＮＤ", "🔬", "/", "https://x.org/a", "/goal ", "/skill-x ",
}

// requests draws requests that are mostly valid.
func requests(t *rapid.T) Request {
	return Request{
		Query:    strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "") + rapid.StringN(0, 4, -1).Draw(t, "noise"),
		ModeHint: rapid.SampledFrom([]string{"", "", "", "auto", "simple", "exploratory", "research", "parallel"}).Draw(t, "hint"),
		Context: Context{
			Executed:     rapid.SliceOfN(rapid.SampledFrom([]string{"ACQ", "knowledge-extraction", "ASC", "GAP", "HYP", "x"}), 0, 4).Draw(t, "executed"),
			Items:        rapid.IntRange(0, 200).Draw(t, "items"),
			Subtasks:     rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "A", " "}), 0, 4).Draw(t, "subtasks"),
			SingleSource: rapid.Bool().Draw(t, "single source"),
		},
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	r := router(t)
	rapid.Check(t, func(t *rapid.T) {
		req := requests(t)
		d, err := r.Route(req)
		again, errAgain := r.Route(req)
		if diff := cmp.Diff(d, again); diff != "" || code(err) != code(errAgain) {
			t.Fatalf("decided again it differs: %v, %v\n%s", err, errAgain, diff)
		}
		if err != nil {
			if code(err) != codeEmptyQuery {
				t.Fatalf("%q: %v", req.Query, err)
			}
			return
		}
		holds(t, r, req, d)
	})
}

// holds checks what is true of every decision.
func holds(t interface{ Fatalf(string, ...any) }, r Router, req Request, d Decision) {
	if d.Plan == nil {
		if d.Activated == nil || d.Route != Slash || !strings.HasPrefix(req.Query, "/"+d.Skill) {
			t.Fatalf("%q: neither a plan nor a skill: %+v", req.Query, d)
		}
		return
	}
	if !subsequence(d.AtomChain, skills(r.atoms.Chain)) || len(d.AtomChain) == 0 {
		t.Fatalf("%q: %v is out of order", req.Query, d.AtomChain)
	}
	if d.StartAt < 0 || d.StartAt > len(d.AtomChain) || d.Parallel != (d.Route == Parallel) || d.Parallel != (len(d.Subtasks) > 1) {
		t.Fatalf("%q: start %d, parallel %v, subtasks %q", req.Query, d.StartAt, d.Parallel, d.Subtasks)
	}
	if len(d.Files) != len(d.AtomChain)*len(d.Delegations) || len(slices.Compact(slices.Sorted(slices.Values(d.Files)))) != len(d.Files) {
		t.Fatalf("%q: %d files for %d atoms and %d children", req.Query, len(d.Files), len(d.AtomChain), len(d.Delegations))
	}
	genesHold(t, r, d)
	delegationsHold(t, req, d)
}

// subsequence says whether the names stand in a list in the same order, each once.
func subsequence(names, in []string) bool {
	for _, name := range names {
		i := slices.Index(in, name)
		if i < 0 {
			return false
		}
		in = in[i+1:]
	}
	return true
}

// genesHold: the counts are those of the lists and add up to all genes of the atoms.
func genesHold(t interface{ Fatalf(string, ...any) }, r Router, d Decision) {
	active, all := 0, 0
	for i, atom := range d.Genes.Atoms {
		place := r.atoms.place(d.AtomChain[i])
		if place < 0 || r.atoms.Chain[place].Code != atom.Code {
			t.Fatalf("genes of %s for %s", atom.Code, d.AtomChain[i])
		}
		active += len(atom.IDs)
		all += len(r.genes.of(r.atoms.Chain[place].Gene))
		if len(d.AtomChain) > 1 && len(atom.IDs) > r.genes.MostPerAtom {
			t.Fatalf("%s expresses %v in a chain", atom.Code, atom.IDs)
		}
	}
	if active != d.Genes.Activated || all != active+d.Genes.Suppressed || len(d.Genes.Atoms) != len(d.AtomChain) {
		t.Fatalf("%d active of %d: %+v", active, all, d.Genes)
	}
}

// delegationsHold: every child passes the lint, and each item of each target is in one scope.
func delegationsHold(t interface{ Fatalf(string, ...any) }, req Request, d Decision) {
	covered := map[string][]bool{}
	for i, child := range d.Delegations {
		if codes := Lint(req.Query, child.Proposal()); len(codes) > 0 {
			t.Fatalf("%+v: %v", child, codes)
		}
		scope := child.Scope
		if scope == nil {
			scope = &Scope{Index: 1, Of: 1}
		}
		if scope.Index != i+1 || scope.Of != len(d.Delegations) {
			t.Fatalf("child %d of %d says %+v", i+1, len(d.Delegations), scope)
		}
		if covered[scope.Item] == nil {
			covered[scope.Item] = make([]bool, req.Context.Items)
		}
		first, count := scope.FirstItem, scope.ItemCount
		if first == 0 {
			first, count = 1, req.Context.Items
		}
		for item := first; item < first+count; item++ {
			if item > req.Context.Items || covered[scope.Item][item-1] {
				t.Fatalf("item %d of %q is worked on twice or is not there", item, scope.Item)
			}
			covered[scope.Item][item-1] = true
		}
	}
	for target, items := range covered {
		if slices.Contains(items, false) {
			t.Fatalf("an item of %q is left out", target)
		}
	}
	if len(d.Subtasks) > 0 && len(covered) != len(d.Subtasks) {
		t.Fatalf("%d targets are worked on, there are %q", len(covered), d.Subtasks)
	}
}
