package bundle_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/bundle"
	"github.com/batonflow/baton/events/seal"
)

const large = `"a value that rests in the payload store"`

// whole is a bundle of three commits, the last of which names a large value.
func whole(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := bundle.NewWriter(&out, bundle.Head{Installation: "i", Session: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	link := events.Genesis("i", "s1")
	sum := events.Value{SHA256: "b1ae62a0e3b8ee7de4ce7b5ec57dc7bb6a1b4ea3ff7a8fbbf0b3a9d4b4d0f6b1", Size: int64(len(large))}
	for i, d := range []events.Data{
		events.SessionStarted{Goal: "g", Mode: "auto", Workspace: "/w"},
		events.ContextSet{Key: "k", Value: events.Value{JSON: json.RawMessage(`1`)}, Rev: 1},
		events.ContextSet{Key: "k", Value: sum, Rev: 2},
	} {
		e := events.New(d)
		e.ID, e.Time = fmt.Sprintf("e%d", i), time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
		f, err := events.Seal("s1", link, "p", []events.Event{e})
		if err != nil {
			t.Fatal(err)
		}
		link = f.Link()
		if err := w.Frame(f.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Value([]byte(large)), w.Erased(sum.SHA256), w.Seal(proofOf(t, link)), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// proofOf seals session s1 at the place, among others.
func proofOf(t testing.TB, at events.Link) seal.Proof {
	t.Helper()
	signing, verifying, err := note.GenerateKey(strings.NewReader(strings.Repeat("seed", 16)), seal.KeyName("i"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := seal.Make(seal.Checkpoint{Installation: "i", Epoch: 1, Sequence: 9}, []seal.Head{{Line: "session.s0"}, {Line: "session.s1", Link: at}, {Line: "skills"}}, signing, verifying)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := s.Prove("session.s1")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A seal that the chain does not go through is found, however well it is signed.
func TestASealOfAnotherPast(t *testing.T) {
	t.Parallel()
	text := whole(t)
	at := bytes.LastIndex(text, []byte(`{"seal":`))
	for what, link := range map[string]events.Link{
		"longer": {N: 4, Hash: strings.Repeat("ab", 32)}, "other": {N: 2, Hash: strings.Repeat("ab", 32)},
	} {
		var out bytes.Buffer
		out.Write(text[:at])
		line, err := json.Marshal(map[string]any{"seal": proofOf(t, link)})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
		sum := sha256.Sum256(out.Bytes())
		fmt.Fprintf(&out, `{"end":{"commits":3,"values":1,"sha256":"%x"}}`+"\n", sum)
		if _, err := bundle.Verify(&out); !errors.Is(err, seal.ErrSeal) {
			t.Errorf("a seal of a %s past: %v", what, err)
		}
	}
}

func TestAWholeBundleVerifies(t *testing.T) {
	t.Parallel()
	got, err := bundle.Verify(bytes.NewReader(whole(t)))
	if err != nil || got.Commits != 3 || got.Events != 3 || got.Values != 1 || got.Erased != 1 || got.Session != "s1" || len(got.Seals) != 1 {
		t.Errorf("verified as %+v, %v", got, err)
	}
}

// Whatever byte is changed, taken out or put in, wherever it stands, is found.
func TestAnyChangedByteIsFound(t *testing.T) {
	t.Parallel()
	text := whole(t)
	for i := range text {
		flipped := bytes.Clone(text)
		flipped[i] ^= 1
		for what, changed := range map[string][]byte{
			"flipped": flipped, "gone": append(bytes.Clone(text[:i]), text[i+1:]...), "doubled": append(bytes.Clone(text[:i+1]), text[i:]...),
		} {
			if i == len(text)-1 && what == "gone" {
				continue // a last line without its end says the same
			}
			if _, err := bundle.Verify(bytes.NewReader(changed)); err == nil {
				t.Fatalf("byte %d %s and not found: %q", i, what, text[max(0, i-20):min(len(text), i+20)])
			}
		}
	}
}

func TestLinesThatAreMovedOrGoneAreFound(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(string(whole(t)), "\n")
	for i := 1; i < len(lines)-2; i++ {
		gone := strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "")
		if _, err := bundle.Verify(strings.NewReader(gone)); err == nil {
			t.Errorf("line %d is gone and not missed", i+1)
		}
	}
	for _, text := range []string{"", "{}\n", strings.Join(lines[:len(lines)-2], "")} {
		if _, err := bundle.Verify(strings.NewReader(text)); !errors.Is(err, bundle.ErrBundle) {
			t.Errorf("%q is taken for a bundle: %v", text, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add(whole(f))
	f.Add([]byte("{\"bundle\":1}\n{\"end\":{}}\n"))
	f.Fuzz(func(_ *testing.T, text []byte) {
		_, _ = bundle.Verify(bytes.NewReader(text)) // any text gets an answer
	})
}
