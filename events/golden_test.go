package events_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

// Goldens are written once, when a type or version is new, and then kept for ever: -update adds what
// is missing and changes nothing. They are what a store from that release holds.
var update = flag.Bool("update", false, "write goldens that do not exist yet")

const goldenPayloads = "testdata/golden"

// keep gives the golden's bytes; with -update it writes those that do not exist yet.
func keep(t *testing.T, path string, now []byte) []byte {
	t.Helper()
	kept, err := os.ReadFile(path)
	if os.IsNotExist(err) && *update {
		if err := os.WriteFile(path, now, 0o644); err != nil {
			t.Fatal(err)
		}
		return now
	}
	if err != nil {
		t.Fatalf("%v; a new type or version gets its golden with -update", err)
	}
	return kept
}

func TestEveryFactHasAGolden(t *testing.T) {
	t.Parallel()
	for _, e := range events.Catalogue {
		t.Run(e.Type, func(t *testing.T) {
			t.Parallel()
			now, err := events.Marshal(sampleData(t, e))
			if err != nil {
				t.Fatal(err)
			}
			kept := keep(t, goldenPath(e.Type, e.V), now)
			if diff := cmp.Diff(fields(t, kept), fields(t, now)); diff != "" {
				t.Errorf("%s v%d has other fields than it was kept with; give the new shape a new version, or, "+
					"if no release has this one yet, delete the golden and the frames (-kept +now):\n%s", e.Type, e.V, diff)
			}
			again, err := events.Marshal(readGolden(t, e.Type, e.V, kept).Data)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again, kept) {
				t.Errorf("%s v%d is not stored as it was read:\n%s", e.Type, e.V, cmp.Diff(string(kept), string(again)))
			}
		})
	}
}

func goldenPath(stored string, v int) string {
	return filepath.Join(goldenPayloads, fmt.Sprintf("%s.v%d.json", stored, v))
}

func readGolden(t *testing.T, stored string, v int, payload []byte) events.Event {
	t.Helper()
	var e events.Event
	raw := fmt.Sprintf(`{"id":"e","type":%q,"v":%d,"time":"2026-02-03T04:05:06Z","data":%s}`, stored, v, payload)
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// fields lists the paths of all fields in a JSON document, with their kinds.
func fields(t *testing.T, payload []byte) []string {
	t.Helper()
	var document any
	if err := json.Unmarshal(payload, &document); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, one := range v {
				walk(path+"."+name, one)
			}
		case []any:
			for _, one := range v {
				walk(path+"[]", one)
			}
		default:
			found[fmt.Sprintf("%s %T", path, v)] = true
		}
	}
	walk("", document)
	return slices.Sorted(maps.Keys(found))
}

var goldenName = regexp.MustCompile(`^([a-z]+\.[a-z_]+)\.v([0-9]+)\.json$`)

// TestEveryGoldenIsRead reads what any release has stored, of any version, with today's code.
func TestEveryGoldenIsRead(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(goldenPayloads)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		t.Run(f.Name(), func(t *testing.T) {
			t.Parallel()
			name := goldenName.FindStringSubmatch(f.Name())
			if name == nil {
				t.Fatal("a golden is called <type>.v<version>.json")
			}
			payload, err := os.ReadFile(filepath.Join(goldenPayloads, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			v, _ := strconv.Atoi(name[2]) // digits
			e := readGolden(t, name[1], v, payload)
			entry, ok := events.Lookup(name[1])
			if !ok {
				t.Fatalf("%s has left the catalogue; a stored name stays for ever", name[1])
			}
			if v > entry.V || e.V != entry.V {
				t.Errorf("read version %d as %d, the catalogue is at %d", v, e.V, entry.V)
			}
			if got, want := reflect.TypeOf(e.Data), reflect.TypeOf(entry.Zero()); got != want {
				t.Errorf("read as %s, want %s", got, want)
			}
		})
	}
}

// compareEvents lets cmp into the sealed facts, which have one unexported embedded marker.
var compareEvents = cmp.Exporter(func(of reflect.Type) bool {
	return of.PkgPath() == reflect.TypeFor[events.Event]().PkgPath()
})
