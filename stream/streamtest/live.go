package streamtest

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/stream"
)

var liveTests = map[string]func(*testing.T, Fixture){
	"who listens to a session hears it, in order": func(t *testing.T, f Fixture) {
		mine, all := make(chan stream.Said, 64), make(chan stream.Said, 64)
		for session, heard := range map[string]chan stream.Said{"s1": mine, "": all} {
			if err := f.Live.Listen(t.Context(), session, func(s stream.Said) { heard <- s }); err != nil {
				t.Fatal(err)
			}
		}
		said := []stream.Said{
			{Session: "s1", Call: "c001", Attempt: 1, Text: "half of it\n"},
			{Session: "s2", Call: "c001", Attempt: 1, Text: "not for s1"},
			{Session: "s1", Call: "r/ü *>[3]", Attempt: 12, Data: json.RawMessage(`{"done":3}`)},
			{Session: "s1", Call: "c001", Attempt: 1, Text: "the rest"},
		}
		for _, s := range said {
			if err := f.Live.Say(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range said {
			hears(t, all, want)
			if want.Session == "s1" {
				hears(t, mine, want)
			}
		}
	},
	"who speaks is alive": func(t *testing.T, f Fixture) {
		beats, said := make(chan stream.Beat, 8), make(chan stream.Said, 8)
		if err := f.Beats.Hear(t.Context(), func(b stream.Beat) { beats <- b }); err != nil {
			t.Fatal(err)
		}
		if err := f.Live.Listen(t.Context(), "", func(s stream.Said) { said <- s }); err != nil {
			t.Fatal(err)
		}
		// A mere beat is nothing that was said.
		if err := f.Beats.Beat(t.Context(), stream.Beat{Session: "s", Call: "c", Attempt: 1, Worker: "p.1"}); err != nil {
			t.Fatal(err)
		}
		word := stream.Said{Session: "s", Call: "c", Attempt: 2, Text: "word"}
		if err := f.Live.Say(t.Context(), word); err != nil {
			t.Fatal(err)
		}
		hears(t, said, word)
		want := map[stream.Beat]bool{{Session: "s", Call: "c", Attempt: 1, Worker: "p.1"}: true, {Session: "s", Call: "c", Attempt: 2}: true}
		for range len(want) {
			select {
			case b := <-beats:
				if !want[b] {
					t.Errorf("heard %+v", b)
				}
			case <-within(t, patience).Done():
				t.Fatal("who spoke was not heard as alive")
			}
		}
	},
}

func hears(t *testing.T, heard <-chan stream.Said, want stream.Said) {
	t.Helper()
	select {
	case got := <-heard:
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	case <-within(t, patience).Done():
		t.Fatalf("did not hear %+v", want)
	}
}
