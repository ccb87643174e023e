package task

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/batonflow/baton/routing/words"
)

// Data are files that take the place of the embedded ones; nil: the embedded one.
type Data struct {
	Rules []byte // rules.yaml
	Genes []byte // genes.yaml
	Atoms []byte // atoms.yaml
}

// or gives the files with those of the binary in place of what is not there.
func (d Data) or(own Data) Data {
	return Data{given(d.Rules, own.Rules), given(d.Genes, own.Genes), given(d.Atoms, own.Atoms)}
}

func given(file, own []byte) []byte {
	if file == nil {
		return own
	}
	return file
}

// DefaultData are the embedded files.
func DefaultData() Data {
	return Data{bytes.Clone(rulesFile), bytes.Clone(genesFile), bytes.Clone(atomsFile)}
}

// Router routes queries. The zero value knows no rule; New makes one.
type Router struct {
	rules rules
	atoms atoms
	genes genes
}

var embedded = sync.OnceValues(func() (Router, error) { return load(Data{rulesFile, genesFile, atomsFile}) })

// New makes a router. The error, E_TASK_DATA, says what is wrong with the data given.
func New(d Data) (Router, error) {
	if d.Rules == nil && d.Genes == nil && d.Atoms == nil {
		return embedded()
	}
	return load(d.or(Data{rulesFile, genesFile, atomsFile}))
}

func load(d Data) (Router, error) {
	var r Router
	var errs [3]error
	r.atoms, errs[0] = readAtoms(d.Atoms)
	r.genes, errs[1] = readGenes(d.Genes, r.atoms)
	r.rules, errs[2] = readRules(d.Rules, r.atoms)
	if err := errors.Join(errs[:]...); err != nil {
		return Router{}, err
	}
	if i := r.rules.ofMode(Parallel); i >= 0 {
		r.rules.Targets.triggers = r.rules.Rules[i].Words
	}
	return r, nil
}

// Request is a query with what the session knows.
type Request struct {
	Query    string
	Context  Context
	ModeHint string // a mode that replaces the words of the query; "" and auto: none
}

// Route decides. It refuses a blank query with E_EMPTY_QUERY, an unknown hint with E_MODE_HINT and a
// context that cannot be with E_CONTEXT.
func (r Router) Route(req Request) (Decision, error) {
	hint, err := r.check(req)
	if err != nil {
		return Decision{}, err
	}
	if skill, ok := slash(req.Query, r.rules.Reserved); ok {
		return activated(skill), nil
	}
	return r.decision(req, r.choose(req, hint)), nil
}

// check gives the mode that is asked for; "": that of the words.
func (r Router) check(req Request) (mode string, err error) {
	switch {
	case !utf8.ValidString(req.Query):
		return "", refuse(codeQueryEncoding, "give the query in UTF-8", "the query is not UTF-8, so it could not be handed on as it is")
	case strings.TrimSpace(words.Fold(req.Query)) == "":
		return "", refuse(codeEmptyQuery, "say what is to be done", "the query is blank")
	}
	if err := req.Context.checkItems(); err != nil {
		return "", refuse(codeContext, "split the work into several queries", "items in the context: %v", err)
	}
	if req.ModeHint == "" || req.ModeHint == "auto" {
		return "", nil
	}
	mode, ok := r.rules.Hints[req.ModeHint]
	if !ok {
		return "", refuse(codeModeHint, "use auto, simple, exploratory, research or parallel", "there is no mode %q", req.ModeHint)
	}
	return mode, nil
}

// Chain makes a chain of codes, aliases or skill names. It refuses a name that is no atom with
// E_ATOM_UNKNOWN and an atom before one that it depends on with E_CHAIN_ORDER.
func (r Router) Chain(names ...string) ([]Atom, error) { return r.atoms.chain(names) }

// Joiner is the atom that brings the outputs of parallel children together.
func (r Router) Joiner() Atom { return r.atoms.Chain[r.atoms.place(r.atoms.Join)] }

// Bootstrap gives the atoms that have to run before a chain that starts in the middle, when the
// session holds nothing for it to start from.
func (r Router) Bootstrap(chain []Atom, c Context) []Atom {
	first := r.atoms.Chain[0].Code
	if len(chain) == 0 || chain[0].Code == first || len(c.Executed) > 0 || len(c.Outputs) > 0 {
		return nil
	}
	return slices.Clone(r.atoms.first)
}
