package task

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Activation says which genes a task expresses. As JSON it is one object: a list of ids for each
// code, then activated_count, suppressed_count and reason.
type Activation struct {
	Atoms      []AtomGenes
	Activated  int
	Suppressed int // genes of these atoms that are silent
	Reason     string
}

// AtomGenes are the active genes of one atom, by id.
type AtomGenes struct {
	Code string
	IDs  []string
}

// MarshalJSON keeps the atoms in the order of the chain.
func (a Activation) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, atom := range a.Atoms {
		ids, err := json.Marshal(atom.IDs)
		if err != nil {
			return nil, fmt.Errorf("encode the genes of %s: %w", atom.Code, err)
		}
		fmt.Fprintf(&b, "%q:%s,", atom.Code, ids)
	}
	reason, err := json.Marshal(a.Reason)
	if err != nil {
		return nil, fmt.Errorf("encode the reason: %w", err)
	}
	fmt.Fprintf(&b, `"activated_count":%d,"suppressed_count":%d,"reason":%s}`, a.Activated, a.Suppressed, reason)
	return b.Bytes(), nil
}

func (a *Activation) add(code string, active []gene, all int) {
	ids := make([]string, len(active))
	for i, g := range active {
		ids[i] = g.ID
	}
	slices.Sort(ids)
	a.Atoms = append(a.Atoms, AtomGenes{code, ids})
	a.Activated += len(ids)
	a.Suppressed += all - len(ids)
}

// Activate gives the genes that a chain expresses: of a single atom all that are not silent, of each
// of several the heaviest few.
func (r Router) Activate(chain []Atom, f Flags) Activation {
	a := Activation{Reason: "single-atom task: all unsuppressed"}
	composite := len(chain) > 1
	if composite {
		a.Reason = fmt.Sprintf("composite task: top %d per atom by weight, then id", r.genes.MostPerAtom)
	}
	for _, atom := range chain {
		all := r.genes.of(atom.Gene)
		active := slices.DeleteFunc(slices.Clone(all), func(g gene) bool {
			return g.silent(f) || composite && g.Weight < r.genes.LeastWeight
		})
		if composite {
			active = active[:min(len(active), r.genes.MostPerAtom)]
		}
		a.add(atom.Code, active, len(all))
	}
	return a
}

// Evolve gives the genes for a task that works on an atom itself. They are what is to be changed, so
// none of them is silent.
func (r Router) Evolve(atom Atom) Activation {
	a := Activation{Reason: "evolution task"}
	router, _ := r.atoms.withGenes(routerGenes)
	for _, of := range []Atom{router, atom} {
		all := r.genes.of(of.Gene)
		a.add(of.Code, all, len(all))
	}
	return a
}
