package quality

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record the figures of the own set anew")

const recorded = "testdata/figures.json"

func own(t testing.TB) Set {
	t.Helper()
	sets, err := ReadSets(os.DirFS("testdata"))
	if err != nil || len(sets) != 1 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	return sets[0]
}

// TestFiguresDoNotFall: what was reached once stays reached.
func TestFiguresDoNotFall(t *testing.T) {
	t.Parallel()
	rows, _, err := MeasureAll([]Set{own(t)})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		data, err := json.MarshalIndent(rows, "", " ")
		if err == nil {
			err = os.WriteFile(recorded, append(data, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	var before []Row
	if err := json.Unmarshal(data, &before); err != nil {
		t.Fatal(err)
	}
	if len(before) != len(rows) {
		t.Fatalf("%d rows, %d are recorded", len(rows), len(before))
	}
	for i, row := range rows {
		was := before[i]
		for name, pair := range map[string][2]float64{
			"hit@1": {row.Ours.Hit, was.Ours.Hit}, "recall@5": {row.Ours.Recall, was.Ours.Recall}, "complete@5": {row.Ours.Complete, was.Ours.Complete},
			"decided right": {row.Ours.Right, was.Ours.Right}, "not wrong": {1 - row.Ours.Wrong, 1 - was.Ours.Wrong},
		} {
			if pair[0] < pair[1]-1e-9 {
				t.Errorf("%s, %s half: %s fell to %.1f from %.1f", row.Set, row.Half, name, 100*pair[0], 100*pair[1])
			}
		}
		if row.Ours.Hit < row.Plain.Hit {
			t.Errorf("%s, %s half: plain BM25 is better, %.1f to %.1f", row.Set, row.Half, 100*row.Plain.Hit, 100*row.Ours.Hit)
		}
	}
}

// TestTheTablesOfTheDocumentAreKept measures the large sets again where they are.
func TestTheTablesOfTheDocumentAreKept(t *testing.T) {
	t.Parallel()
	data := os.Getenv("BATON_EVAL_DATA")
	if data == "" {
		t.Skip("BATON_EVAL_DATA names no folder with the sets")
	}
	if _, err := os.Stat(filepath.Join(data, "routing")); err == nil {
		data = filepath.Join(data, "routing")
	}
	sets, err := ReadSets(os.DirFS(data))
	if err != nil {
		t.Fatal(err)
	}
	rows, unfit, err := MeasureAll(sets)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/routing-quality.md")
	if err != nil {
		t.Fatal(err)
	}
	was := table(string(doc))
	for key, now := range table(Results{Sets: rows, NoFit: unfit}.Text()) {
		if len(was[key]) == 0 {
			t.Errorf("%s is not in the document: make eval WRITE=docs/routing-quality.md", key)
			continue
		}
		for i := range min(2, len(now)) { // the first figures: hit@1 and recall@5, or AUROC
			if now[i] < was[key][i]-0.051 {
				t.Errorf("%s fell: %v, the document has %v", key, now, was[key])
				break
			}
		}
	}
}

// table reads the figures of tables in Markdown by what their first cells say; counts are left out.
func table(text string) map[string][]float64 {
	out := map[string][]float64{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) < 6 {
			continue
		}
		key, from := strings.TrimSpace(cells[0]), 2
		if len(cells) > 7 {
			key, from = key+", "+strings.TrimSpace(cells[1]), 3
		}
		var numbers []float64
		for _, c := range cells[from:] {
			if x, err := strconv.ParseFloat(strings.TrimSpace(c), 64); err == nil {
				numbers = append(numbers, x)
			}
		}
		if len(numbers) > 0 {
			out[key] = numbers
		}
	}
	return out
}

func TestHalvesAreFixed(t *testing.T) {
	t.Parallel()
	count := map[Half]int{}
	for i := range 1000 {
		count[HalfOf(fmt.Sprintf("q-%d", i))]++
	}
	if count[Tuning] < 400 || count[Report] < 400 {
		t.Errorf("halves of %v", count)
	}
	if Tuning.String() == Report.String() {
		t.Error("the halves have one name")
	}
}

func TestAUROC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		high, low []float64
		want      float64
	}{{[]float64{2, 3}, []float64{0, 1}, 1}, {[]float64{0, 1}, []float64{2, 3}, 0}, {[]float64{1, 1}, []float64{1, 1}, 0.5}, {nil, []float64{1}, 0}} {
		if got := auroc(c.high, c.low); got != c.want {
			t.Errorf("%v over %v: %v, want %v", c.high, c.low, got, c.want)
		}
	}
}

func TestLessonsRaiseTheFigures(t *testing.T) {
	t.Parallel()
	s := own(t)
	memory, err := Lessons(s)
	if err != nil {
		t.Fatal(err)
	}
	before, err := Measure(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Measure(s, memory)
	if err != nil || after.Hit <= before.Hit || after.Hit < 0.95 {
		t.Errorf("hit@1 %.2f without, %.2f with what served each request (%v)", before.Hit, after.Hit, err)
	}
}

func TestTablesGoIntoADocument(t *testing.T) {
	t.Parallel()
	r := Results{Sets: []Row{{Set: "a", Half: "report", Ours: Figures{Asks: 3, Hit: 0.5}}}, Vectors: []VectorRow{{"intent", Vectors{Right: 1, All: 2, Wrong: []string{"i1: x"}}}}}
	doc, err := r.Into([]byte("before\n" + tablesBegin + "old\n" + tablesEnd + "after\n"))
	if err != nil || !bytes.Contains(doc, []byte("| a | report | 3 | 50.0 |")) || bytes.Contains(doc, []byte("old")) || !bytes.HasSuffix(doc, []byte("after\n")) {
		t.Errorf("%v:\n%s", err, doc)
	}
	if got := table(string(doc))["a, report"]; len(got) == 0 || got[0] != 50 {
		t.Errorf("read back: %v", got)
	}
	if _, err := r.Into([]byte("no marks")); !errors.Is(err, ErrNoTables) {
		t.Errorf("a document without marks: %v", err)
	}
	if got := r.Wrong(); len(got) != 1 || got[0] != "intent i1: x" {
		t.Errorf("wrong vectors: %q", got)
	}
}

const someVectors = `{"cases": [
 {"id": "1", "input": %s, "right_output": %s},
 {"id": "2", "input": %s, "right_output": %s}]}`

// TestVectorsTellRightFromWrong gives each kind one right answer and one wrong one.
func TestVectorsTellRightFromWrong(t *testing.T) {
	t.Parallel()
	library := []byte(`{"skills": [{"name": "mailer", "description": "Sends email."}]}`)
	for kind, v := range map[string][4]string{
		"intent":     {`"draw a diagram"`, `{"intent":"visualize","domain":"general","types":["visualize"],"parallelizable":true,"parallel_groups":[["visualize"]]}`, `"draw a diagram"`, `{"intent":"write","domain":"general","types":["write"],"parallelizable":true,"parallel_groups":[["write"]]}`},
		"sentinel":   {`{"text":"hack the server"}`, `{"proceed":false,"matched":"hack"}`, `{"text":"hack the server"}`, `{"proceed":true}`},
		"similarity": {`{"a":"x y","b":"X  Y"}`, `{"applied":true}`, `{"a":"x y","b":"X  Y"}`, `{"applied":false}`},
		"tokens":     {`"the web"`, `{"tokens":{"web":1},"mass":1}`, `"the web"`, `{"tokens":{"the":1},"mass":1}`},
		"route":      {`{"task":"send an email"}`, `{"decision":"auto","chosen":"mailer"}`, `{"task":"send an email"}`, `{"decision":"no_match"}`},
	} {
		got, err := MeasureVectors(kind, fmt.Appendf(nil, someVectors, v[0], v[1], v[2], v[3]), library)
		if err != nil || got.All != 2 || got.Right != 1 || !strings.HasPrefix(strings.Join(got.Wrong, ""), "2: ") {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
	}
	for _, kind := range Kinds() {
		if _, err := MeasureVectors(kind, []byte("{"), library); err == nil {
			t.Errorf("%s: a broken file is no error", kind)
		}
	}
}
