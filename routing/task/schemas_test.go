package task

import (
	"strings"
	"testing"

	"github.com/batonflow/baton/routing/table"
)

// valid checks a file against a schema.
func valid(t *testing.T, schema, file []byte) error {
	t.Helper()
	s, err := table.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	_, err = table.Read[any](file, s)
	return err
}

// TestSchemas: the files of the binary are valid, and what the router refuses the schemas refuse too,
// where a schema has words for it.
func TestSchemas(t *testing.T) {
	t.Parallel()
	schemas, data := Schemas(), DefaultData()
	for name, c := range map[string]struct {
		schema, file []byte
		breaks       [][2]string
	}{
		"rules": {schemas.Rules, data.Rules, [][2]string{
			{"mode: exploratory", "mode: loop"}, {"reserved:", "reserve:"}, {"simple: standard", "simple: easy"}, {"one_paper:", "two_papers:"}, {"within: 4", "within: -1"},
		}},
		"genes": {schemas.Genes, data.Genes, [][2]string{
			{"weight: 1,", "weight: 1.1,"}, {"only_if: batch", "only_if: bulk"}, {"most_per_atom: 2", "most_per_atom: 0"}, {"then: drop duplicates while importing", "then: ''"},
		}},
		"atoms": {schemas.Atoms, data.Atoms, [][2]string{
			{"code: EXT", "code: ''"}, {", finds: true}", ", finds: often}"}, {"join: ASC", "joins: ASC"}, {", prefix: ke", ""}, {"skill: knowledge-extraction", "skill: my.skill"}, {", inner: true}", ", outer: true}"},
		}},
	} {
		if err := valid(t, c.schema, c.file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, change := range c.breaks {
			broken := strings.Replace(string(c.file), change[0], change[1], 1)
			if broken == string(c.file) {
				t.Fatalf("%s: there is no %q to break", name, change[0])
			}
			if valid(t, c.schema, []byte(broken)) == nil {
				t.Errorf("%s: %q passes the schema", name, change[1])
			}
			d := map[string]Data{"rules": {Rules: []byte(broken)}, "genes": {Genes: []byte(broken)}, "atoms": {Atoms: []byte(broken)}}[name]
			if _, err := New(d); err == nil {
				t.Errorf("%s: %q passes the router", name, change[1])
			}
		}
	}
}
