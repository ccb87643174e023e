package telemetry

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/memory"
)

const session = "019ad3b0-0000-7000-8000-00000000000a"

// world is a log with an exporter on it and a collector that answers as it is told.
type world struct {
	t       *testing.T
	store   *memory.Store
	link    events.Link
	last    uint64
	path    string
	answers []string // the next ones: a status, or "away"; when there are none, 200
	heard   []string // names of the spans that were taken, in order
	ids     []string
	asked   int
}

func newWorld(t *testing.T) *world {
	store := memory.New("01TESTINSTALLATION", time.Now)
	return &world{t: t, store: store, link: events.Genesis(store.Installation(), session), path: filepath.Join(t.TempDir(), "position.json")}
}

func (w *world) commit(facts ...events.Data) {
	w.t.Helper()
	var evs []events.Event
	for _, fact := range facts {
		ev := events.New(fact)
		ev.Time = time.Now()
		evs = append(evs, ev)
	}
	frame, err := events.Seal(session, w.link, "p", evs)
	if err == nil {
		w.last, err = w.store.Append(w.t.Context(), stream.SessionEntity(session), w.last, frame)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.link = frame.Link()
}

// RoundTrip is the collector.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.asked++
	next := "200"
	if len(w.answers) > 0 {
		next, w.answers = w.answers[0], w.answers[1:]
	}
	if next == "away" {
		return nil, errors.New("connection refused")
	}
	if next == "200" {
		w.take(r)
	}
	status := map[string]int{"200": 200, "400": 400, "401": 401, "503": 503}[next]
	return &http.Response{StatusCode: status, Status: next, Header: http.Header{"Retry-After": {"30"}}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

func (w *world) take(r *http.Request) {
	unzipped, err := gzip.NewReader(r.Body)
	if err != nil {
		w.t.Error(err)
		return
	}
	body, err := io.ReadAll(unzipped)
	var got collector.ExportTraceServiceRequest
	if err := errors.Join(err, proto.Unmarshal(body, &got)); err != nil {
		w.t.Error(err)
		return
	}
	if r.URL.String() != "http://collector/v1/traces" || r.Header.Get("X-Key") != "k" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		w.t.Errorf("asked %s with %v", r.URL, r.Header)
	}
	for _, span := range got.ResourceSpans[0].ScopeSpans[0].Spans {
		w.heard = append(w.heard, span.Name)
		w.ids = append(w.ids, string(span.SpanId))
	}
}

// history reads the session as the engine does.
func (w *world) history(ctx context.Context, session string) iter.Seq2[stream.Record, error] {
	return w.store.Read(ctx, stream.SessionEntity(session), 0)
}

// export runs an exporter until the returned function is called.
func (w *world) export() (stop func()) {
	x := NewExporter(Config{
		Log: w.store, History: w.history, Path: w.path, Source: Source{w.store.Installation(), "test"},
		Target: Target{Endpoint: "http://collector/", Headers: func() (map[string]string, error) { return map[string]string{"X-Key": "k"}, nil }},
		Logger: slog.New(slog.DiscardHandler),
	})
	x.client.Transport = w
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- x.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	}
}

func opened(call string) []events.Data {
	return []events.Data{events.CallOpened{Call: call, Skill: call}, events.CallStarted{Call: call, Attempt: 1}}
}

func TestWhatEndsIsSentOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.commit(events.SessionStarted{Goal: "g"})
		w.commit(append(opened("before"), events.CallClosed{Call: "before", Attempt: 1, Status: "ok"})...)
		w.commit(opened("across")...)
		stop := w.export() // begins with what comes from now on
		synctest.Wait()
		w.commit(events.CallClosed{Call: "across", Attempt: 1, Status: "ok"})
		w.commit(opened("restart")...)
		time.Sleep(2 * sendEvery)
		stop()
		w.commit(events.CallClosed{Call: "restart", Attempt: 1, Status: "ok"})
		stop = w.export()
		time.Sleep(2 * sendEvery)
		stop()
		if diff := cmp.Diff([]string{"execute_tool across", "execute_tool restart"}, w.heard); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
	})
}

func TestSpansWaitForTheCollector(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		answers []string
		within  time.Duration
		sent    bool
	}{
		{"away and back", []string{"away", "away"}, 10 * time.Second, true},
		{"asked to wait", []string{"503"}, 29 * time.Second, false},
		{"waited", []string{"503"}, 33 * time.Second, true},
		{"a token that is mended", []string{"401", "401"}, 70 * time.Second, true},
		{"taken for wrong", []string{"400"}, time.Hour, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.answers = tt.answers
				w.commit(events.SessionStarted{Goal: "g"})
				stop := w.export()
				synctest.Wait()
				w.commit(append(opened("a"), events.CallClosed{Call: "a", Attempt: 1, Status: "ok"})...)
				time.Sleep(tt.within)
				synctest.Wait()
				if sent := slices.Contains(w.heard, "execute_tool a"); sent != tt.sent {
					t.Errorf("after %s sent: %v", tt.within, w.heard)
				}
				stop()
			})
		})
	}
}

// Whoever is stopped between an answer and the position it keeps sends again, under the same ids.
func TestWhatIsSentAgainIsTheSame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.commit(events.SessionStarted{Goal: "g"})
		stop := w.export()
		synctest.Wait()
		early := w.path
		w.commit(append(opened("a"), events.CallClosed{Call: "a", Attempt: 1, Status: "ok"})...)
		time.Sleep(2 * sendEvery)
		stop()
		x := &Exporter{Config: Config{Log: w.store, Path: early}}
		x.keep(1) // as if the last position had not got to disk
		stop = w.export()
		time.Sleep(2 * sendEvery)
		stop()
		if len(w.ids) != 2 || w.ids[0] != w.ids[1] {
			t.Errorf("sent %v with ids %x", w.heard, w.ids)
		}
	})
}

// Nothing waits for a collector that is away: a log goes on, and all of it is sent in the end.
func TestACollectorThatIsAwayHoldsNothingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.answers = slices.Repeat([]string{"away"}, 8)
		w.commit(events.SessionStarted{Goal: "g"})
		stop := w.export()
		synctest.Wait()
		began := time.Now()
		for range 3000 {
			w.commit(append(opened("a"), events.CallClosed{Call: "a", Attempt: 1, Status: "ok"})...)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("the log waited %s for a collector", took)
		}
		time.Sleep(time.Hour)
		stop()
		if len(w.heard) != 3000 || w.asked > 20 {
			t.Errorf("%d spans in %d requests", len(w.heard), w.asked)
		}
	})
}

func TestAPositionOfAnotherLogIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.commit(events.SessionStarted{Goal: "g"})
	for _, other := range []position{{"01OTHER", 1}, {w.store.Installation(), 99}} {
		x := &Exporter{Config: Config{Log: other.log(w), Path: w.path}}
		x.keep(other.Sequence)
		x.Log = w.store
		if after, err := x.begin(t.Context()); err != nil || after != 1 {
			t.Errorf("%v: goes on after %d, %v", other, after, err)
		}
	}
}

func (p position) log(w *world) stream.Log {
	if p.Installation == w.store.Installation() {
		return w.store
	}
	return memory.New(p.Installation, time.Now)
}

func TestBothFormsAreTheSame(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_764_500_000, 123_456_789)
	spans := []projections.Span{{Trace: [16]byte{1}, ID: [8]byte{2}, Parent: [8]byte{3}, Name: "n", Start: at, End: at.Add(time.Second), State: "error", Message: "m",
		Attributes: []projections.Attribute{{Key: "t", Value: "x\ny <&>"}, {Key: "i", Value: int64(1) << 60}, {Key: "f", Value: 0.1}, {Key: "b", Value: true}, {Key: "l", Value: []string{"a"}}},
		Links:      []projections.SpanLink{{Trace: [16]byte{4}, ID: [8]byte{5}}}, Notes: []projections.SpanNote{{Name: "e", Time: at}}}}
	source := Source{"01TEST", "test"}
	first, err := source.JSON(spans)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"baton"}},{"key":"service.instance.id","value":{"stringValue":"01TEST"}}]},` +
		`"schemaUrl":"https://opentelemetry.io/schemas/1.41.0","scopeSpans":[{"schemaUrl":"https://opentelemetry.io/schemas/1.41.0","scope":{"name":"github.com/batonflow/baton","version":"test"},"spans":[` +
		`{"attributes":[{"key":"t","value":{"stringValue":"x\ny <&>"}},{"key":"i","value":{"intValue":"1152921504606846976"}},{"key":"f","value":{"doubleValue":0.1}},{"key":"b","value":{"boolValue":true}},{"key":"l","value":{"arrayValue":{"values":[{"stringValue":"a"}]}}}],` +
		`"endTimeUnixNano":"1764500001123456789","events":[{"name":"e","timeUnixNano":"1764500000123456789"}],"flags":1,"kind":1,"links":[{"flags":1,"spanId":"0500000000000000","traceId":"04000000000000000000000000000000"}],` +
		`"name":"n","parentSpanId":"0300000000000000","spanId":"0200000000000000","startTimeUnixNano":"1764500000123456789","status":{"code":2,"message":"m"},"traceId":"01000000000000000000000000000000"}]}]}]}`
	if diff := cmp.Diff(want, strings.TrimSpace(string(first))); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	one, err := source.Binary(spans)
	two, again := source.Binary(spans)
	if err != nil || again != nil || !slices.Equal(one, two) {
		t.Errorf("protobuf differs from one time to the next: %v, %v", err, again)
	}
}
