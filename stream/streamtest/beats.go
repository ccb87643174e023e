package streamtest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/stream"
)

var beatTests = map[string]func(*testing.T, Fixture){
	"everybody hears": func(t *testing.T, f Fixture) {
		one, two := make(chan stream.Beat, 8), make(chan stream.Beat, 8)
		for _, heard := range []chan stream.Beat{one, two} {
			if err := f.Beats.Hear(t.Context(), func(b stream.Beat) { heard <- b }); err != nil {
				t.Fatal(err)
			}
		}
		for _, call := range []string{"c001", "r/fetch.2[3]", "r/ü *>"} {
			want := stream.Beat{Session: "s", Call: call, Attempt: 3, Worker: "p.1"}
			if err := f.Beats.Beat(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			for _, heard := range []chan stream.Beat{one, two} {
				expect(t, heard, want)
			}
		}
	},
	"a process is told": func(t *testing.T, f Fixture) {
		mine, other := make(chan stream.Beat, 8), make(chan stream.Beat, 8)
		for process, told := range map[string]chan stream.Beat{"p1": mine, "p2": other} {
			if err := f.Beats.Told(t.Context(), process, func(b stream.Beat) { told <- b }); err != nil {
				t.Fatal(err)
			}
		}
		for worker, told := range map[string]chan stream.Beat{"p1.0": mine, "p2.7": other, "p1.12": mine} {
			beat := stream.Beat{Session: "s", Call: "c", Attempt: 1, Worker: worker}
			if err := f.Beats.Tell(t.Context(), worker, beat); err != nil {
				t.Fatal(err)
			}
			expect(t, told, beat)
		}
		if len(mine)+len(other) > 0 {
			t.Error("a process was told what was for another")
		}
	},
	"who stops hears no more": func(t *testing.T, f Fixture) {
		ctx, stop := context.WithCancel(t.Context())
		first, second := make(chan stream.Beat, 8), make(chan stream.Beat, 8)
		if err := f.Beats.Hear(ctx, func(b stream.Beat) { first <- b }); err != nil {
			t.Fatal(err)
		}
		if err := f.Beats.Hear(t.Context(), func(b stream.Beat) { second <- b }); err != nil {
			t.Fatal(err)
		}
		stop()
		beat := stream.Beat{Session: "s", Call: "c", Attempt: 1}
		eventually(t, "a beat is heard by the second only", func() bool {
			if err := f.Beats.Beat(t.Context(), beat); err != nil {
				t.Fatal(err)
			}
			expect(t, second, beat)
			quiet := len(first) == 0
			for len(first) > 0 {
				<-first
			}
			return quiet
		})
	},
}

func expect(t *testing.T, heard <-chan stream.Beat, want stream.Beat) {
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
