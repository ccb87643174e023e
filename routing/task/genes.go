package task

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
)

//go:embed genes.yaml
var genesFile []byte

// gene is a strategy that is only told to an agent where the task calls for it.
type gene struct {
	ID     string  `yaml:"id"`
	Weight float64 `yaml:"weight"` // 0 to 1
	When   string  `yaml:"when"`
	Then   string  `yaml:"then"`
	OnlyIf string  `yaml:"only_if"` // flag without which it is silent
	NotIf  string  `yaml:"not_if"`  // flag with which it is silent
}

// Flags are what genes ask about a task.
type Flags struct {
	Biomedical   bool
	Batch        bool // more than one item
	SingleSource bool // all downloads come from one place
	CrossPaper   bool // papers are compared with one another
}

// of gives a flag by its name in the file.
func (f Flags) of(name string) (set, known bool) {
	switch name {
	case "biomedical":
		return f.Biomedical, true
	case "batch":
		return f.Batch, true
	case "single_source":
		return f.SingleSource, true
	case "cross_paper":
		return f.CrossPaper, true
	}
	return false, false
}

// genes is the table of genes.
type genes struct {
	LeastWeight float64 `yaml:"least_weight"`
	MostPerAtom int     `yaml:"most_per_atom"`
	All         []gene  `yaml:"genes"`
}

func readGenes(file []byte, t atoms) (genes, error) {
	var g genes
	if err := decode("genes.yaml", file, &g); err != nil {
		return genes{}, err
	}
	if g.MostPerAtom < 1 || !share(g.LeastWeight) {
		return genes{}, badData("genes.yaml", "most_per_atom is at least 1, least_weight between 0 and 1")
	}
	seen := map[string]bool{}
	for _, one := range g.All {
		prefix, _, _ := strings.Cut(one.ID, "-")
		_, owned := t.withGenes(prefix)
		switch {
		case !owned:
			return genes{}, badData("genes.yaml", "gene %q belongs to no atom", one.ID)
		case seen[one.ID]:
			return genes{}, badData("genes.yaml", "gene %s is given twice", one.ID)
		case one.When == "" || one.Then == "":
			return genes{}, badData("genes.yaml", "gene %s lacks its condition or strategy", one.ID)
		case !share(one.Weight):
			return genes{}, badData("genes.yaml", "the weight of gene %s is between 0 and 1", one.ID)
		}
		for _, flag := range []string{one.OnlyIf, one.NotIf} {
			if _, known := (Flags{}).of(flag); flag != "" && !known {
				return genes{}, badData("genes.yaml", "gene %s asks for a flag %q, which there is not", one.ID, flag)
			}
		}
		seen[one.ID] = true
	}
	return g, nil
}

// share says whether a number lies between 0 and 1; one that is no number does not.
func share(n float64) bool { return n >= 0 && n <= 1 }

// of gives the genes with a prefix, the heaviest first, then by id.
func (g genes) of(prefix string) []gene {
	var out []gene
	for _, one := range g.All {
		if strings.HasPrefix(one.ID, prefix+"-") {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b gene) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.ID, b.ID))
	})
	return out
}

// silent says whether a task does not call for a gene.
func (g gene) silent(f Flags) bool {
	wanted, _ := f.of(g.OnlyIf)
	barred, _ := f.of(g.NotIf)
	return g.OnlyIf != "" && !wanted || g.NotIf != "" && barred
}
