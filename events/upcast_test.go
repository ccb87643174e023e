package events

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

// parcelSent is a fact that only this test knows, in its third version: v1 had its weight in grams
// and no city, v2 no city.
type parcelSent struct {
	mark
	Kilos float64 `json:"kilos"`
	City  string  `json:"city"`
}

var errNoWeight = errors.New("no weight")

// TestMain lets the codec know parcelSent; the catalogue, which other tests go through, stays as it is.
func TestMain(m *testing.M) {
	e := entry[parcelSent]("parcel.sent", 3, "a parcel was sent",
		func(raw json.RawMessage) (json.RawMessage, error) {
			var v1 struct{ Grams *float64 }
			if err := json.Unmarshal(raw, &v1); err != nil {
				return nil, err
			}
			if v1.Grams == nil {
				return nil, errNoWeight
			}
			return json.Marshal(map[string]float64{"kilos": *v1.Grams / 1000})
		},
		func(raw json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(strings.TrimSuffix(string(raw), "}") + `,"city":"unknown"}`), nil
		})
	byType[e.Type], byKind[reflect.TypeFor[parcelSent]()] = &e, &e
	os.Exit(m.Run())
}

func TestUpcast(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		v    int
		data string
		want Data
		err  error
	}{
		"two steps":          {1, `{"grams":2500}`, parcelSent{Kilos: 2.5, City: "unknown"}, nil},
		"one step":           {2, `{"kilos":2.5}`, parcelSent{Kilos: 2.5, City: "unknown"}, nil},
		"today's":            {3, `{"kilos":2.5,"city":"Genoa"}`, parcelSent{Kilos: 2.5, City: "Genoa"}, nil},
		"newer":              {4, `{"stones":1}`, Unknown{Raw: json.RawMessage(`{"stones":1}`)}, nil},
		"a step that cannot": {1, `{"pounds":5}`, nil, errNoWeight},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stored, err := Marshal(Event{ID: "e", Type: "parcel.sent", V: tt.v, Data: Unknown{Raw: json.RawMessage(tt.data)}})
			if err != nil {
				t.Fatal(err)
			}
			var got Event
			if err := json.Unmarshal(stored, &got); !errors.Is(err, tt.err) {
				t.Fatalf("read with %v, want %v", err, tt.err)
			}
			if !reflect.DeepEqual(got.Data, tt.want) {
				t.Errorf("got %#v, want %#v", got.Data, tt.want)
			}
			if want := max(tt.v, 3); tt.err == nil && got.V != want {
				t.Errorf("got version %d, want %d", got.V, want)
			}
		})
	}
}

// TestUpcastRewritesNothing: the message keeps the old version, whatever its reader makes of it.
func TestUpcastRewritesNothing(t *testing.T) {
	t.Parallel()
	old := Event{ID: "e", Type: "parcel.sent", V: 1, Data: Unknown{Raw: json.RawMessage(`{"grams":2500}`)}}
	written, err := Seal("s", Genesis("i", "s"), "w", []Event{old})
	if err != nil {
		t.Fatal(err)
	}
	read, err := Open(written.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := read.Events[0].Data.(parcelSent); !ok {
		t.Errorf("read %T", read.Events[0].Data)
	}
	if string(read.Bytes()) != string(written.Bytes()) || read.Hash != written.Hash {
		t.Error("the stored message changed")
	}
}
