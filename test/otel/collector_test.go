package otel

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

// collector starts an OTLP receiver of the collector, with what it takes put aside.
func collector(t *testing.T) (url string, took *consumertest.TracesSink) {
	t.Helper()
	factory, took := otlpreceiver.NewFactory(), new(consumertest.TracesSink)
	config := factory.CreateDefaultConfig()
	address := free(t)
	settings := confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": address}}})
	if err := settings.Unmarshal(config); err != nil {
		t.Fatal(err)
	}
	receiver, err := factory.CreateTraces(t.Context(), receivertest.NewNopSettings(factory.Type()), config, took)
	if err != nil {
		t.Fatal(err)
	}
	if err := receiver.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, receiver) })
	return "http://" + address, took
}

// free is an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func stop(t *testing.T, c component.Component) {
	if err := c.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

// baton is an installation that exports to a collector.
type baton struct {
	t      *testing.T
	binary string
	home   string
	work   string
}

func install(t *testing.T, endpoint string) *baton {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	b := &baton{t: t, binary: filepath.Join(t.TempDir(), "baton"), home: t.TempDir(), work: t.TempDir()}
	build := exec.Command("go", "build", "-o", b.binary, "./cmd/baton")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	b.write(filepath.Join(b.home, "config.yaml"), "telemetry:\n  endpoint: "+endpoint+"\n  content: on\n")
	b.write(filepath.Join(b.work, "chain.yaml"), `name: chain
order: dataflow
steps:
  - {id: read, run: {exec: [sh, -c, 'echo "{\"words\": 3}"']}, output: words}
  - {id: flaky, run: {exec: [sh, -c, 'test "$BATON_ATTEMPT" = 2']}, retry: {attempts: 2, backoff: 1ms}}
`)
	t.Cleanup(func() { b.run("stop", "--force") })
	return b
}

func (b *baton) write(path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *baton) run(args ...string) []byte {
	b.t.Helper()
	command := exec.Command(b.binary, args...)
	command.Dir = b.work
	command.Env = []string{"HOME=" + b.home, "BATON_HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		b.t.Fatalf("baton %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.Bytes()
}

// spans are all spans of some documents, one line each, sorted: what they hold and whose they are.
func spans(t *testing.T, documents ...ptrace.Traces) []string {
	t.Helper()
	var out []string
	for _, d := range documents {
		for _, resource := range d.ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					alone := ptrace.NewTraces()
					r := alone.ResourceSpans().AppendEmpty()
					resource.Resource().CopyTo(r.Resource())
					r.SetSchemaUrl(resource.SchemaUrl())
					s := r.ScopeSpans().AppendEmpty()
					scope.Scope().CopyTo(s.Scope())
					span.CopyTo(s.Spans().AppendEmpty())
					raw, err := new(ptrace.JSONMarshaler).MarshalTraces(alone)
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, string(raw))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// await waits until the collector has so many spans.
func await(t *testing.T, took *consumertest.TracesSink, n int) []string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); took.SpanCount() < n; {
		if time.Now().After(deadline) {
			t.Fatalf("the collector has %d of %d spans", took.SpanCount(), n)
		}
		time.Sleep(20 * time.Millisecond)
	}
	got := spans(t, took.AllTraces()...)
	took.Reset()
	return got
}

// What is exported, what trace writes, and what is exported once more are the same spans, and the
// collector takes all of them.
func TestTheCollectorTakesTheSameSpansEachTime(t *testing.T) {
	endpoint, took := collector(t)
	b := install(t, endpoint)
	b.run("session", "new", "--goal", "a goal")
	b.run("call", "open", "--skill", "writer", "--intent", "write")
	b.run("call", "close", "--status", "ok")
	b.run("workflow", "run", "chain.yaml")

	written := b.run("trace", "--format", "otlp")
	if again := b.run("trace", "--format", "otlp"); !bytes.Equal(written, again) {
		t.Errorf("trace wrote\n%s\nand then\n%s", written, again)
	}
	document, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(written)
	if err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	want := spans(t, document)
	names := whole(t, document)
	if got := strings.Join(names, ", "); got != "execute_tool flaky, execute_tool flaky, execute_tool read, execute_tool writer, invoke_workflow chain" {
		t.Errorf("spans are %s", got)
	}
	same(t, "exported", want, await(t, took, len(want)))

	answer, err := http.Post(endpoint+"/v1/traces", "application/json", bytes.NewReader(written))
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("what trace writes is not taken: %v %v", answer, err)
	}
	answer.Body.Close()
	same(t, "posted", want, await(t, took, len(want)))

	b.run("stop")
	position := filepath.Join(b.home, "views", "telemetry.json")
	var kept map[string]any
	raw, err := os.ReadFile(position)
	if err == nil {
		err = json.Unmarshal(raw, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.write(position, fmt.Sprintf(`{"installation": %q, "sequence": 0}`, kept["installation"]))
	b.run("status")
	same(t, "exported again", want, await(t, took, len(want)))
}

func same(t *testing.T, what string, want, got []string) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Errorf("%s:\n%s\nwritten by trace:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// whole gives the names of the spans, after checking that they are trees.
func whole(t *testing.T, d ptrace.Traces) (names []string) {
	t.Helper()
	all := d.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All()
	at := map[pcommon.SpanID]pcommon.TraceID{}
	for _, span := range all {
		at[span.SpanID()] = span.TraceID()
		names = append(names, span.Name())
	}
	for _, span := range all {
		if parent := span.ParentSpanID(); !parent.IsEmpty() && at[parent] != span.TraceID() {
			t.Errorf("%s hangs on a span that is not in its trace", span.Name())
		}
		if span.SpanID().IsEmpty() || span.TraceID().IsEmpty() || span.StartTimestamp() == 0 || cmp.Compare(span.EndTimestamp(), span.StartTimestamp()) < 0 {
			t.Errorf("%s is not whole", span.Name())
		}
	}
	slices.Sort(names)
	return names
}
