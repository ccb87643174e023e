package quality

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Row is the figures of one half of a set, with those of plain BM25 beside them.
type Row struct {
	Set   string  `json:"set"`
	Half  string  `json:"half"` // tuning or report
	Ours  Figures `json:"ours"`
	Plain Figures `json:"plain"`
}

// NoFitRow is how well unfit requests of one kind are told.
type NoFitRow struct {
	Kind string `json:"kind"`
	NoFit
}

// VectorRow is how many vectors of one kind are right.
type VectorRow struct {
	Kind string
	Vectors
}

// Results is everything that was measured.
type Results struct {
	Sets    []Row
	NoFit   []NoFitRow
	Vectors []VectorRow
}

// Suffixes of the two files of a set.
const (
	toolsFile = ".candidates.jsonl"
	asksFile  = ".queries.jsonl"
)

// ReadSets reads every set of a folder, by name.
func ReadSets(folder fs.FS) ([]Set, error) {
	files, err := fs.Glob(folder, "*"+asksFile)
	if err != nil || len(files) == 0 {
		return nil, errors.Join(errors.New("no sets: files *"+asksFile+" are looked for"), err)
	}
	var out []Set
	for _, file := range files {
		name := strings.TrimSuffix(file, asksFile)
		asks, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		tools, err := fs.ReadFile(folder, name+toolsFile)
		if err != nil {
			return nil, err
		}
		s, err := ReadSet(name, bytes.NewReader(tools), bytes.NewReader(asks))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Names of sets that more is asked of: past requests, and requests that nothing serves.
const (
	learnedSet = "metatool-toole-single"
	foreignSet = "fastskills-zh"
	fromSet    = "acebench-zh"
)

// frozen is the lexicon of the first release, which was written before any of these sets was measured.
// It is never changed: beside it one sees what the lexicon of today may have learned by heart.
//
//go:embed frozen.yaml
var frozen string

// frozenSets are measured with that lexicon too: those whose two languages only a lexicon joins.
var frozenSets = []string{foreignSet, fromSet}

var removedSets = []string{"acebench-en", "acebench-zh"}

// MeasureAll measures both halves of each set, and what becomes of requests that nothing serves.
func MeasureAll(sets []Set) ([]Row, []NoFitRow, error) {
	var rows []Row
	var unfit []NoFitRow
	byName := map[string]Set{}
	for _, s := range sets {
		byName[s.Name] = s
		both, err := measureHalves(s)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, both...)
	}
	for _, name := range frozenSets {
		s, ok := byName[name]
		if !ok {
			continue
		}
		s.Name, s.Lexicon = s.Name+", frozen lexicon", frozen
		both, err := measureHalves(s)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, both...)
	}
	if s, ok := byName[learnedSet]; ok {
		memory, err := Lessons(s.Only(Tuning))
		if err != nil {
			return nil, nil, err
		}
		f, err := Measure(s.Only(Report), memory)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, Row{s.Name + " + past requests", Report.String(), f, Baseline(s.Only(Report))})
	}
	for _, h := range []Half{Tuning, Report} {
		list, err := measureNoFit(byName, h)
		if err != nil {
			return nil, nil, err
		}
		unfit = append(unfit, list...)
	}
	return rows, unfit, nil
}

func measureHalves(s Set) ([]Row, error) {
	var rows []Row
	for _, h := range []Half{Tuning, Report} {
		f, err := Measure(s.Only(h), nil)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Row{s.Name, h.String(), f, Baseline(s.Only(h))})
	}
	return rows, nil
}

func measureNoFit(sets map[string]Set, h Half) ([]NoFitRow, error) {
	var out []NoFitRow
	pool, ok := sets[foreignSet]
	if from, also := sets[fromSet]; ok && also {
		f, err := Foreign(pool.Only(h), from.Only(h).Asks)
		if err != nil {
			return nil, err
		}
		out = append(out, NoFitRow{fromSet + " on " + foreignSet + ", " + h.String(), f})
	}
	for _, name := range removedSets {
		if s, ok := sets[name]; ok {
			f, err := Removed(s.Only(h))
			if err != nil {
				return nil, err
			}
			out = append(out, NoFitRow{name + " without the right tool, " + h.String(), f})
		}
	}
	return out, nil
}

// VectorFiles measures the vector files of a folder.
func VectorFiles(folder fs.FS) ([]VectorRow, error) {
	library, err := fs.ReadFile(folder, "route-skills.json")
	if err != nil {
		return nil, err
	}
	var out []VectorRow
	for _, kind := range Kinds() {
		file, err := fs.ReadFile(folder, kind+".json")
		if err != nil {
			return nil, err
		}
		v, err := MeasureVectors(kind, file, library)
		if err != nil {
			return nil, err
		}
		out = append(out, VectorRow{kind, v})
	}
	return out, nil
}

// String names a half.
func (h Half) String() string {
	if h == Tuning {
		return "tuning"
	}
	return "report"
}

// Text is the results as tables in Markdown.
func (r Results) Text() string {
	var b strings.Builder
	b.WriteString("| set | half | requests | hit@1 | recall@5 | complete@5 | decided right | wrong auto | BM25 hit@1 · recall@5 |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, row := range r.Sets {
		f := row.Ours
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s | %s | %s · %s |\n", row.Set, row.Half, f.Asks,
			percent(f.Hit), percent(f.Recall), percent(f.Complete), percent(f.Right), percent(f.Wrong), percent(row.Plain.Hit), percent(row.Plain.Recall))
	}
	b.WriteString("\n| requests that nothing serves | fitting · unfit | AUROC | no_match precision | no_match recall | wrong auto |\n|---|---|---|---|---|---|\n")
	for _, row := range r.NoFit {
		fmt.Fprintf(&b, "| %s | %d · %d | %.3f | %s | %s | %s |\n", row.Kind, row.Fitting, row.Unfit, row.AUROC, percent(row.Precision), percent(row.Recall), percent(row.Auto))
	}
	if len(r.Vectors) > 0 {
		b.WriteString("\n| vectors | right |\n|---|---|\n")
	}
	for _, row := range r.Vectors {
		fmt.Fprintf(&b, "| %s | %d of %d |\n", row.Kind, row.Right, row.All)
	}
	return b.String()
}

func percent(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

// Wrong lists the vectors that are wrong.
func (r Results) Wrong() []string {
	var out []string
	for _, row := range r.Vectors {
		for _, w := range row.Wrong {
			out = append(out, row.Kind+" "+w)
		}
	}
	return out
}

// Marks between which the tables of a document stand.
const (
	tablesBegin = "<!-- figures: make eval -->\n"
	tablesEnd   = "<!-- end of figures -->\n"
)

// ErrNoTables says that a document has no place for the tables.
var ErrNoTables = errors.New("there is no place for the tables, between " + strings.TrimSpace(tablesBegin) + " and " + strings.TrimSpace(tablesEnd))

// Into puts the tables into a document, and the exact figures behind them.
func (r Results) Into(doc []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(doc, []byte(tablesBegin))
	_, after, also := bytes.Cut(rest, []byte(tablesEnd))
	if !ok || !also {
		return nil, ErrNoTables
	}
	out := bytes.Join([][]byte{before, []byte(tablesBegin), []byte(r.Text()), []byte(tablesEnd), after}, nil)
	return out, nil
}
