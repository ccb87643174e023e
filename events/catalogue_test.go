package events_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

func TestCatalogueKeepsItsRules(t *testing.T) {
	t.Parallel()
	stored := regexp.MustCompile(`^[a-z]+\.[a-z]+(_[a-z]+)*$`)
	seen := map[string]bool{}
	for _, e := range events.Catalogue {
		if !stored.MatchString(e.Type) {
			t.Errorf("%s is not noun.verbed", e.Type)
		}
		if seen[e.Type] {
			t.Errorf("%s stands twice", e.Type)
		}
		seen[e.Type] = true
		if e.V < 1 || len(e.Upcast) != e.V-1 {
			t.Errorf("%s is at version %d with %d upcasters, want one for each older version", e.Type, e.V, len(e.Upcast))
		}
		if e.Meaning == "" || strings.HasSuffix(e.Meaning, ".") {
			t.Errorf("the meaning of %s is %q, want one line without a full stop", e.Type, e.Meaning)
		}
		if got := events.TypeOf(e.Zero()); got != e.Type {
			t.Errorf("TypeOf the zero %s = %q", e.Type, got)
		}
		name := strings.ReplaceAll(strings.ReplaceAll(e.Type, ".", ""), "_", "")
		if got := strings.ToLower(reflect.TypeOf(e.Zero()).Name()); got != name && e.Type != "context.rolled_back" {
			t.Errorf("%s is the struct %s, want the same words", e.Type, got)
		}
	}
}

// TestStoredNamesAreWritten makes sure that no field is stored by its Go name, where renaming a
// field would break history.
func TestStoredNamesAreWritten(t *testing.T) {
	t.Parallel()
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Slice, reflect.Map:
			check(of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				f := of.Field(i)
				if !f.IsExported() {
					continue
				}
				if !snake.MatchString(storedName(f)) {
					t.Errorf("%s.%s is stored as %q, want a name in snake case", of, f.Name, storedName(f))
				}
				check(f.Type)
			}
		}
	}
	for _, e := range events.Catalogue {
		check(reflect.TypeOf(e.Zero()))
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for i, entry := range events.Catalogue {
		t.Run(entry.Type, func(t *testing.T) {
			t.Parallel()
			full, zero := sampleEvent(i+1, sampleData(t, entry)), sampleEvent(i+1, entry.Zero())
			full.Request, full.Command = "req-7", strings.Repeat("c0", 32)
			for _, want := range []events.Event{full, zero} {
				raw, err := events.Marshal(want)
				if err != nil {
					t.Fatal(err)
				}
				var got events.Event
				if err := json.Unmarshal(raw, &got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, compareEvents); diff != "" {
					t.Errorf("round trip (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	if e, ok := events.Lookup("call.opened"); !ok || e.Type != "call.opened" {
		t.Errorf("Lookup(call.opened) = %v, %v", e.Type, ok)
	}
	if _, ok := events.Lookup("call.imagined"); ok {
		t.Error("Lookup found call.imagined")
	}
	if got := events.TypeOf(events.Unknown{}); got != "" {
		t.Errorf("TypeOf(Unknown) = %q, want none", got)
	}
}

func TestUncataloguedFactIsNotStored(t *testing.T) {
	t.Parallel()
	var b events.Batch
	err := b.Add(events.New(events.Unknown{Raw: json.RawMessage(`{}`)}))
	if !errors.Is(err, events.ErrUncatalogued) {
		t.Errorf("Add gives %v, want ErrUncatalogued", err)
	}
	if b.Len() != 0 || b.Size() != 0 {
		t.Errorf("the batch holds %d events, %d bytes after a refused one", b.Len(), b.Size())
	}
}

// TestNullIsAValue: a context key may hold null, which is not the same as holding nothing.
func TestNullIsAValue(t *testing.T) {
	t.Parallel()
	raw, err := events.Marshal(events.New(events.CallClosed{Value: events.Value{JSON: json.RawMessage("null")}}))
	if err != nil {
		t.Fatal(err)
	}
	var got events.Event
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if v := got.Data.(events.CallClosed).Value; v.IsZero() || string(v.JSON) != "null" {
		t.Errorf("null became %+v from %s", v, raw)
	}
	if v := (events.Value{}); !v.IsZero() || v.Stored() {
		t.Errorf("the zero value says IsZero=%v Stored=%v", v.IsZero(), v.Stored())
	}
}
