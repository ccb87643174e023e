package task

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed atoms.yaml
var atomsFile []byte

// stepName is what a skill's name must be, since the steps of a run are called after it.
var stepName = regexp.MustCompile(`^[\p{Han}A-Za-z0-9_-]{1,50}$`)

// The prefixes of genes that the router asks for by name: its own, and those of the atom that compares
// papers with one another.
const (
	routerGenes      = "TR"
	associationGenes = "AS"
)

// Atom is one kind of work that a chain is made of.
type Atom struct {
	Code   string `yaml:"code"`   // in rules and genes: ACQ
	Skill  string `yaml:"skill"`  // what is called: knowledge-acquisition
	Gene   string `yaml:"gene"`   // prefix of its genes: KA
	Prefix string `yaml:"prefix"` // of the files it writes: ka
	CLI    string `yaml:"cli"`    // command line of a program that may stand in for the skill; empty: none
	Finds  bool   `yaml:"finds"`  // with nothing found there is nothing to go on with
	Inner  bool   `yaml:"inner"`  // it executes in the inner loop of research
}

// atoms is the table of atoms; those of Chain are in the order of dependency.
type atoms struct {
	Chain     []Atom            `yaml:"atoms"`
	Others    []Atom            `yaml:"others"`
	Aliases   map[string]string `yaml:"aliases"`
	Bootstrap []string          `yaml:"bootstrap"`
	Join      string            `yaml:"join"`
	first     []Atom            // Bootstrap as a chain
}

func readAtoms(file []byte) (atoms, error) {
	var t atoms
	if err := decode("atoms.yaml", file, &t); err != nil {
		return atoms{}, err
	}
	if len(t.Chain) == 0 {
		return atoms{}, badData("atoms.yaml", "there is no atom")
	}
	seen := map[string]bool{}
	for i, a := range append(t.Chain[:len(t.Chain):len(t.Chain)], t.Others...) {
		if a.Code == "" || a.Skill == "" || a.Gene == "" || i < len(t.Chain) && a.Prefix == "" {
			return atoms{}, badData("atoms.yaml", "atom %d lacks its code, skill, gene or prefix", i+1)
		}
		if !stepName.MatchString(a.Skill) || strings.Contains(a.CLI, "${") {
			return atoms{}, badData("atoms.yaml", "atom %s: its skill is letters, digits, hyphens and underscores, at most 50; its cli names values as $name", a.Code)
		}
		for _, name := range []string{"code " + a.Code, "skill " + a.Skill, "gene " + a.Gene, "prefix " + a.Prefix} {
			if seen[name] {
				return atoms{}, badData("atoms.yaml", "%s is given twice", name)
			}
			seen[name] = true
		}
	}
	for alias, code := range t.Aliases {
		if seen["code "+alias] || t.place(code) < 0 {
			return atoms{}, badData("atoms.yaml", "alias %s of %s hides an atom or names none", alias, code)
		}
	}
	for _, needed := range []string{routerGenes, associationGenes} {
		if _, ok := t.withGenes(needed); !ok {
			return atoms{}, badData("atoms.yaml", "nothing has the genes %s", needed)
		}
	}
	if t.place(t.Join) < 0 {
		return atoms{}, badData("atoms.yaml", "join names %q, which is no atom", t.Join)
	}
	var err error
	if t.first, err = t.chain(t.Bootstrap); err != nil {
		return atoms{}, badData("atoms.yaml", "bootstrap: %v", err)
	}
	return t, nil
}

// place finds an atom by its code, an alias or the name of its skill; -1: there is none.
func (t atoms) place(name string) int {
	if code, ok := t.Aliases[strings.ToUpper(name)]; ok {
		name = code
	}
	for i, a := range t.Chain {
		if strings.EqualFold(a.Code, name) || a.Skill == name {
			return i
		}
	}
	return -1
}

// chain makes a chain of names. Aliases of one atom in a row are one; no atom comes before another
// that it depends on.
func (t atoms) chain(names []string) ([]Atom, error) {
	var out []Atom
	last := -1
	for _, name := range names {
		at := t.place(name)
		switch {
		case at < 0:
			return nil, refuse(codeAtom, "use the codes or skill names of atoms.yaml", "there is no atom %q", name)
		case at < last:
			return nil, refuse(codeChainOrder, "name the atoms in the order of dependency", "%s comes before %s", t.Chain[at].Code, t.Chain[last].Code)
		case at > last:
			out = append(out, t.Chain[at])
			last = at
		}
	}
	return out, nil
}

// withGenes gives the atom, or what else has genes, whose genes have a prefix.
func (t atoms) withGenes(prefix string) (Atom, bool) {
	for _, list := range [][]Atom{t.Chain, t.Others} {
		for _, a := range list {
			if a.Gene == prefix {
				return a, true
			}
		}
	}
	return Atom{}, false
}

func skills(chain []Atom) []string {
	out := make([]string, len(chain))
	for i, a := range chain {
		out[i] = a.Skill
	}
	return out
}

func codes(chain []Atom) []string {
	out := make([]string, len(chain))
	for i, a := range chain {
		out[i] = a.Code
	}
	return out
}

// StandIns lists what is looked for when an atom is to run, in this order.
func (a Atom) StandIns() []string {
	tried := []string{a.Skill, "standalone-" + a.Skill}
	if program, _, _ := strings.Cut(a.CLI, " "); program != "" {
		tried = append(tried, "cli:"+program)
	}
	return tried
}
