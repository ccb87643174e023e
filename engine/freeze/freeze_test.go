package freeze_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/engine/freeze"
)

type inner struct {
	Name  string
	times []time.Time
	deep  *inner
}

type outer struct {
	*inner
	On      bool
	count   int
	seq     map[uint64]string
	byName  map[string]*inner
	places  map[int][]byte
	share   float64
	opaque  any
	derived func() `freeze:"-"`
}

var hidden = cmp.AllowUnexported(inner{}, outer{})

func drawInner(t *rapid.T, depth int) *inner {
	if depth == 0 || rapid.Bool().Draw(t, "nil") {
		return nil
	}
	out := &inner{Name: rapid.String().Draw(t, "name"), deep: drawInner(t, depth-1)}
	for _, s := range rapid.SliceOfN(rapid.Int64Range(-1e10, 1e10), 0, 3).Draw(t, "times") {
		out.times = append(out.times, time.Unix(s, s&0xffff).In(time.FixedZone("", int(s%12)*3600)))
	}
	if rapid.Bool().Draw(t, "empty") && out.times == nil {
		out.times = []time.Time{}
	}
	return out
}

// TestWhatIsThawedIsWhatWasFrozen: to the last field, hidden ones too, and nil stays nil; equal values give
// equal bytes, and no cut piece of them is taken for a value.
func TestWhatIsThawedIsWhatWasFrozen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := outer{
			derived: func() {},
			inner:   drawInner(t, 2), On: rapid.Bool().Draw(t, "on"), count: rapid.Int().Draw(t, "count"), share: rapid.Float64().Draw(t, "share"),
			seq:    rapid.MapOf(rapid.Uint64(), rapid.String()).Draw(t, "seq"),
			places: map[int][]byte{-1: nil, 2: {}, 3: rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")},
		}
		for _, name := range rapid.SliceOf(rapid.StringN(1, 3, 9)).Draw(t, "names") {
			if v.byName == nil {
				v.byName = map[string]*inner{}
			}
			v.byName[name] = drawInner(t, 2)
		}
		raw, err := freeze.Freeze(&v)
		if err != nil {
			t.Fatal(err)
		}
		var again outer
		if err := freeze.Thaw(raw, &again); err != nil {
			t.Fatal(err)
		}
		if again.derived != nil {
			t.Fatal("what is left out came back")
		}
		v.derived = nil
		if diff := cmp.Diff(v, again, hidden); diff != "" {
			t.Fatal(diff)
		}
		if twice, err := freeze.Freeze(&again); err != nil || !bytes.Equal(raw, twice) {
			t.Fatalf("the same value has other bytes: %v", err)
		}
		cut := raw[:rapid.IntRange(0, len(raw)-1).Draw(t, "cut")]
		if err := freeze.Thaw(cut, new(outer)); !errors.Is(err, freeze.ErrBroken) {
			t.Fatalf("%d of %d bytes: %v", len(cut), len(raw), err)
		}
	})
}

func TestWhatCannotBeFrozen(t *testing.T) {
	t.Parallel()
	if _, err := freeze.Freeze(&outer{opaque: 1}); !errors.Is(err, freeze.ErrOpaque) {
		t.Errorf("an interface: %v", err)
	}
	type named struct{ at map[bool]int }
	if _, err := freeze.Freeze(&named{map[bool]int{true: 1}}); !errors.Is(err, freeze.ErrOpaque) {
		t.Errorf("a map by bool: %v", err)
	}
	if _, err := freeze.Freeze(&struct{ f func() }{func() {}}); !errors.Is(err, freeze.ErrOpaque) {
		t.Errorf("a function: %v", err)
	}
}

func FuzzThaw(f *testing.F) {
	raw, err := freeze.Freeze(&outer{inner: &inner{Name: "n", times: []time.Time{{}}}, seq: map[uint64]string{1: "a"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		_ = freeze.Thaw(raw, new(outer)) // must not panic, whatever it is given
	})
}
