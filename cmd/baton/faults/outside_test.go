//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// language is one of the worked workers that ask over HTTP.
type language struct {
	name, program string
	file          string // what the program runs
}

// languages are the workers in examples/workers that can be run here.
func languages(t *testing.T) (out []language) {
	t.Helper()
	folder, err := filepath.Abs("../../../examples/workers")
	if err != nil {
		t.Fatal(err)
	}
	if path, err := exec.LookPath("python3"); err == nil {
		out = append(out, language{"python", path, filepath.Join(folder, "measure_http.py")})
	}
	if path, err := exec.LookPath("node"); err == nil {
		out = append(out, language{"typescript", path, untyped(t, filepath.Join(folder, "measure_http.mts"))})
	}
	if len(out) == 0 {
		t.Skip("there is neither Python nor Node here")
	}
	return out
}

// untyped is a TypeScript program without its types, for a Node that does not take them out itself.
func untyped(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := api.Transform(string(text), api.TransformOptions{Loader: api.LoaderTS, Format: api.FormatESModule, Target: api.ES2022})
	if len(got.Errors) > 0 {
		t.Fatalf("%s: %+v", path, got.Errors)
	}
	out := filepath.Join(t.TempDir(), "measure_http.mjs")
	write(t, out, got.Code)
	return out
}

// measuring is a home with a server and the run of a step for workers outside.
type measuring struct {
	*home
	server  *child
	example string
	run     run
}

// worker is a worker outside, with what it prints.
type worker struct {
	*child
	out *said
}

func newMeasuring(t *testing.T, words string) *measuring {
	t.Helper()
	m := &measuring{home: newHome(t)}
	m.server = m.serve("--workers", "1")
	var err error
	if m.example, err = filepath.Abs("../../../examples/workflows/by-hand.yaml"); err != nil {
		t.Fatal(err)
	}
	m.run = m.detach(m.example, "--input", "text="+words)
	return m
}

// outside starts a worker that needs a while for each word; it beats four times a lease.
func (m *measuring) outside(l language, pace time.Duration, env ...string) worker {
	m.t.Helper()
	cmd := exec.Command(l.program, l.file, "lengths")
	cmd.Dir, cmd.Env = m.work, append(append([]string{}, m.env...), append(env, "BEAT_SECONDS=0.5", "MEASURE_SECONDS="+seconds(pace))...)
	out := new(said)
	return worker{m.launch(cmd, out), out}
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// holds waits until a worker has an attempt at the step under way, and knows of it.
func (m *measuring) holds(w worker, attempt int) {
	m.t.Helper()
	await(m.t, "an attempt at the step", func() bool {
		step := m.show(m.run.Run).Steps[1]
		return step.Status == "running" && step.Attempts == attempt && strings.Contains(w.out.String(), fmt.Sprintf(": attempt %d", attempt))
	})
}

// counted checks that the run completed, and gives the attempts at the step: the last one counts.
func (m *measuring) counted(many int, longest string) []attempt {
	m.t.Helper()
	last := m.over(m.run.Run)
	if last.Status != "completed" || last.Steps[1].Attempts != many {
		m.t.Fatalf("the run ended as %+v", last)
	}
	if got := ask[struct{ Value json.RawMessage }](m.home, "ctx", "get", "longest", "--session", last.Session); string(got.Value) != longest {
		m.t.Errorf("the longest word has %s letters, want %s", got.Value, longest)
	}
	events := m.events(last.Session)
	m.checkWhole(last.Session, events)
	tries := attempts(m.t, events)[last.Steps[1].CallID]
	if len(tries) != many || tries[many-1].end != "call.closed" {
		m.t.Fatalf("the attempts were %+v", tries)
	}
	for _, lost := range tries[:many-1] {
		if lost.end != "call.lost" {
			m.t.Errorf("an attempt that was lost ended with %s", lost.end)
		}
	}
	return tries
}

// late waits until a worker says that its attempt does not count.
func late(t *testing.T, c worker) {
	t.Helper()
	await(t, "word that the attempt is stale", func() bool {
		return strings.Contains(c.said.String(), "attempt 1 of ") && strings.Contains(c.said.String(), "does not count: ") && strings.Contains(c.said.String(), "stale")
	})
}

// eachPair runs a test with each worker as the first and another as the second.
func eachPair(t *testing.T, test func(t *testing.T, first, second language)) {
	all := languages(t)
	for i, l := range all {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			test(t, l, all[(i+1)%len(all)])
		})
	}
}

// TestWorkersOverHTTP take a call, say how far they are, and close it. One word takes longer than the
// lease: beats keep it.
func TestWorkersOverHTTP(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, l, _ language) {
		m := newMeasuring(t, "ein längeres")
		c := m.outside(l, lease+lease/2)
		m.holds(c, 1)
		await(t, "what it says", func() bool {
			return strings.Contains(m.must("call", "show", "measure", "--session", m.run.Session, "--json"), "measured ein")
		})
		m.counted(1, "8")
		await(t, "its own word", func() bool { return strings.Contains(strings.ReplaceAll(c.out.String(), " ", ""), ":[3,8]") })
	})
}

// TestWorkerOverHTTPKilled: another one takes over, within the lease and a second.
func TestWorkerOverHTTPKilled(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, first, second language) {
		m := newMeasuring(t, "one three")
		c := m.outside(first, time.Hour)
		m.holds(c, 1)
		killed := time.Now()
		kill(t, c.Process.Pid)
		m.outside(second, 10*time.Millisecond)
		tries := m.counted(2, "5")
		if took := tries[1].started.Sub(killed); took > lease+time.Second+noise {
			t.Errorf("the other worker took over after %v, promised is the lease and a second", took)
		}
		if trace := m.must("trace", "--session", m.run.Session); !strings.Contains(trace, "lost") {
			t.Errorf("the trace does not say that an attempt was lost:\n%s", trace)
		}
	})
}

// TestWorkerOverHTTPStopped: its late result is refused, and it serves again.
func TestWorkerOverHTTPStopped(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, first, second language) {
		m := newMeasuring(t, "one three")
		c := m.outside(first, lease/4)
		m.holds(c, 1)
		c.signal(t, syscall.SIGSTOP)
		other := m.outside(second, 10*time.Millisecond)
		m.counted(2, "5")
		before := m.must("events", "--session", m.run.Session, "--json")
		kill(t, other.Process.Pid)
		c.signal(t, syscall.SIGCONT)
		late(t, c)
		if after := m.must("events", "--session", m.run.Session, "--json"); after != before {
			t.Errorf("the late attempt left something behind: %s", strings.TrimPrefix(after, before))
		}
		m.run = m.detach(m.example, "--session", m.run.Session)
		m.counted(1, "5")
	})
}

// TestWorkerOverHTTPIsNotHeard: the line is cut, its beats do not get through. It goes on, and learns
// that another attempt counts.
func TestWorkerOverHTTPIsNotHeard(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, first, second language) {
		m := newMeasuring(t, "one three")
		e, _ := m.home.server()
		line := newProxy(t, strings.TrimPrefix(e.HTTP, "http://"), 0)
		c := m.outside(first, lease/4, "BATON_URL=http://"+line.addr())
		m.holds(c, 1)
		line.setCut(true)
		m.outside(second, 10*time.Millisecond)
		m.counted(2, "5")
		line.setCut(false)
		late(t, c)
	})
}

// TestWorkerOverHTTPOutlivesTheServer: the server is killed while it works; it asks until another one
// answers, and its attempt counts.
func TestWorkerOverHTTPOutlivesTheServer(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, l, _ language) {
		m := newMeasuring(t, "one three")
		e, _ := m.home.server()
		m.holds(m.outside(l, lease/4), 1)
		kill(t, m.server.Process.Pid)
		<-m.server.done
		m.serve("--workers", "1", "--http", strings.TrimPrefix(e.HTTP, "http://"))
		m.counted(1, "5")
	})
}
