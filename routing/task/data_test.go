package task

import (
	"strings"
	"testing"
)

// TestBrokenData: a file is refused as a whole when anything in it cannot be right.
func TestBrokenData(t *testing.T) {
	t.Parallel()
	swap := func(file []byte, old, with string) []byte {
		if !strings.Contains(string(file), old) {
			t.Fatalf("there is no %q to break", old)
		}
		return []byte(strings.Replace(string(file), old, with, 1))
	}
	for name, d := range map[string]Data{
		"no YAML":                         {Rules: []byte("{")},
		"empty":                           {Rules: []byte("")},
		"no rule":                         {Rules: []byte("rules: []")},
		"unknown field":                   {Rules: swap(rulesFile, "reserved:", "reserve:")},
		"unknown mode":                    {Rules: swap(rulesFile, "mode: exploratory", "mode: loop")},
		"unknown atom":                    {Rules: swap(rulesFile, "[HYP, ARG, VER]", "[HYP, ARG, VIR]")},
		"against the dependencies":        {Rules: swap(rulesFile, "[HYP, ARG, VER]", "[ARG, HYP, VER]")},
		"no chain":                        {Rules: swap(rulesFile, "  chain: [HYP, ARG, VER]\n", "")},
		"two of one name":                 {Rules: swap(rulesFile, "rule: verify", "rule: argue")},
		"no words":                        {Rules: swap(rulesFile, "words: [假说, 假设, 提出假设, hypothesis, propose]", "words: []")},
		"words in the last":               {Rules: swap(rulesFile, "- rule: default\n", "- rule: default\n  words: [x]\n")},
		"a word never met: upper case":    {Rules: swap(rulesFile, "optimize, optimise, improve, iterate]\n  chain", "Optimize]\n  chain")},
		"a word never met: blank":         {Rules: swap(rulesFile, "[批量, batch]", "[批量, '']")},
		"an exception for another word":   {Rules: swap(rulesFile, "{word: 分析,", "{word: 关联,")},
		"a hint for no mode":              {Rules: swap(rulesFile, "simple: standard", "simple: easy")},
		"unknown flag of words":           {Rules: swap(rulesFile, "one_paper:", "two_papers:")},
		"a legacy rule that catches all":  {Rules: swap(rulesFile, "  words: [写, 撰写, write, draft]\n", "")},
		"a gene of nothing":               {Genes: swap(genesFile, "KA-001", "XX-001")},
		"a gene twice":                    {Genes: swap(genesFile, "KA-002", "KA-001")},
		"a gene without strategy":         {Genes: swap(genesFile, "then: drop duplicates while importing", "then: ''")},
		"a weight above one":              {Genes: swap(genesFile, "weight: 1,", "weight: 1.1,")},
		"a weight that is no number":      {Genes: swap(genesFile, "weight: 1,", "weight: .nan,")},
		"a gene that asks for no flag":    {Genes: swap(genesFile, "only_if: batch", "only_if: bulk")},
		"no gene of an atom may be taken": {Genes: swap(genesFile, "most_per_atom: 2", "most_per_atom: 0")},
	} {
		if _, err := New(d); code(unjoined(err)) != codeData {
			t.Errorf("%s: %v, want %s", name, err, codeData)
		}
	}
}

// unjoined gives the only error of several that were joined.
func unjoined(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok && len(many.Unwrap()) == 1 {
		return many.Unwrap()[0]
	}
	return err
}

func TestBrokenAtoms(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"a code twice":               {"code: EXT", "code: ACQ"},
		"a gene prefix twice":        {"gene: KE", "gene: KA"},
		"no prefix":                  {", prefix: ke", ""},
		"an alias of nothing":        {"{GAP: ASC}", "{GAP: GAP}"},
		"an alias that hides":        {"{GAP: ASC}", "{EXT: ASC}"},
		"the bootstrap out of order": {"[ACQ, EXT]", "[EXT, ACQ]"},
		"no genes of the router":     {"{code: TR, skill: task-router, gene: TR}", "{code: TR, skill: task-router, gene: TX}"},
	} {
		file := strings.Replace(string(atomsFile), change[0], change[1], 1)
		if _, err := readAtoms([]byte(file)); file == string(atomsFile) || code(err) != codeData {
			t.Errorf("%s: %v, want %s", name, err, codeData)
		}
	}
	if _, err := readAtoms([]byte("atoms: []")); code(err) != codeData {
		t.Errorf("without an atom: %v", err)
	}
}

// TestDataOfTheUser: words and genes of the user take the place of the embedded ones.
func TestDataOfTheUser(t *testing.T) {
	t.Parallel()
	r, err := New(Data{
		Rules: []byte(strings.Replace(string(rulesFile), "words: [评估,", "words: [核实, 评估,", 1)),
		Genes: []byte(strings.Replace(string(genesFile), "most_per_atom: 2", "most_per_atom: 1", 1)),
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Route(Request{Query: "核实"})
	if err != nil || d.Rule != "verify" || d.Genes.Activated != 6 {
		t.Errorf("%+v, %v", d.Plan, err)
	}
}

func TestChain(t *testing.T) {
	t.Parallel()
	r := router(t)
	chain, err := r.Chain("acq", "GAP", "association-discovery", "HYP")
	if got := strings.Join(codes(chain), " "); err != nil || got != "ACQ ASC HYP" {
		t.Errorf("%s, %v", got, err)
	}
	for want, names := range map[string][]string{codeAtom: {"ACQ", "TR"}, codeChainOrder: {"EXT", "ACQ"}} {
		if _, err := r.Chain(names...); code(err) != want {
			t.Errorf("%v: %v, want %s", names, err, want)
		}
	}
	if got := chain[0].File(7) + " " + chain[0].File(100); got != "ka_07.json ka_100.json" {
		t.Errorf("files %s", got)
	}
}
