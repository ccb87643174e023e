package events_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
)

// anyValue draws a value of a type, empty lists and texts included. What JSON cannot tell apart (an
// empty list that is left out, and none) is drawn as none.
func anyValue(t *rapid.T, of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	if of == reflect.TypeFor[json.RawMessage]() {
		raw := rapid.SampledFrom([]string{`null`, `0`, `""`, `"<&>\u2028"`, `[]`, `{"a":[{"b":1e9}]}`, `1.0`}).Draw(t, "json")
		v.SetBytes([]byte(raw))
		return v
	}
	switch of.Kind() {
	case reflect.String:
		v.SetString(rapid.StringN(0, 12, -1).Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "uint"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(t, "float"))
	case reflect.Slice:
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			v.Set(reflect.Append(v, anyValue(t, of.Elem())))
		}
	case reflect.Map:
		for range rapid.IntRange(0, 3).Draw(t, "size") {
			if v.IsNil() {
				v.Set(reflect.MakeMap(of))
			}
			v.SetMapIndex(reflect.ValueOf(rapid.StringN(0, 8, -1).Draw(t, "key")), anyValue(t, of.Elem()))
		}
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Field(i).IsExported() {
				v.Field(i).Set(anyValue(t, of.Field(i).Type))
			}
		}
	}
	return v
}

func anyEvent(t *rapid.T) events.Event {
	entry := rapid.SampledFrom(events.Catalogue).Draw(t, "entry")
	e := events.New(anyValue(t, reflect.TypeOf(entry.Zero())).Interface().(events.Data))
	e.ID = rapid.StringN(1, 26, -1).Draw(t, "id")
	e.Time = time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()
	e.Actor = rapid.StringN(0, 8, -1).Draw(t, "actor")
	return e
}

// TestWhatIsSealedIsOpened: any history of any facts reads back as it was written, and its chain holds.
func TestWhatIsSealedIsOpened(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		session := rapid.StringN(1, 20, -1).Draw(t, "session")
		last := events.Genesis("i", session)
		for range rapid.IntRange(1, 3).Draw(t, "commits") {
			want := rapid.SliceOfN(rapid.Custom(anyEvent), 1, 4).Draw(t, "events")
			sealed, err := events.Seal(session, last, rapid.StringN(0, 8, -1).Draw(t, "writer"), want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := events.Open(sealed.Bytes())
			if err != nil {
				t.Fatalf("%v in %s", err, sealed.Bytes())
			}
			if diff := cmp.Diff(want, got.Events, compareEvents); diff != "" {
				t.Fatalf("%s reads otherwise (-want +got):\n%s", sealed.Bytes(), diff)
			}
			if err := got.Follows(last); err != nil || got.Link() != sealed.Link() || got.ID() != want[0].ID {
				t.Fatalf("the frame does not stand where it was sealed: %v", err)
			}
			last = got.Link()
		}
	})
}

// TestNoCommitCanBeMoved: a frame fits in one place of one chain only.
func TestNoCommitCanBeMoved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		frames := []events.Frame{}
		last := events.Genesis("i", "s")
		for range rapid.IntRange(2, 5).Draw(t, "commits") {
			f, err := events.Seal("s", last, "w", []events.Event{anyEvent(t)})
			if err != nil {
				t.Fatal(err)
			}
			frames, last = append(frames, f), f.Link()
		}
		moved := rapid.IntRange(0, len(frames)-1).Draw(t, "moved")
		after := rapid.IntRange(-1, len(frames)-1).Draw(t, "after")
		link := events.Genesis("i", "s")
		if after >= 0 {
			link = frames[after].Link()
		}
		err := frames[moved].Follows(link)
		if fits := moved == after+1; fits != (err == nil) || err != nil && !errors.Is(err, events.ErrChain) {
			t.Fatalf("commit %d after commit %d: %v", moved+1, after+1, err)
		}
	})
}
