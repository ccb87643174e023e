//go:build linux

package faults_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	manySeeds = flag.Int("faults.seeds", 5, "how many seeds each row of the list of faults draws from; what is no row draws from a fifth of them")
	parallel  = flag.Int("faults.parallel", 0, "how many tests run beside each other at least")
	oneSeed   = flag.Uint64("faults.seed", 0, "the only seed to use")
)

// binaryVar hands the path of the binary from TestMain to the tests.
const binaryVar = "BATON_FAULTS_BINARY"

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("the fault suite is left out with -short")
		os.Exit(0)
	}
	// Most of the time these tests wait for processes, leases and clocks: twice as many as there are cores.
	if err := flag.Set("test.parallel", strconv.Itoa(max(*parallel, 2*runtime.GOMAXPROCS(0)))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(withBinary(m))
}

// withBinary builds the command once for all tests.
func withBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "baton-faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "baton")
	if err := build(path); err != nil {
		fmt.Fprintln(os.Stderr, "build the command:", err)
		return 1
	}
	if err := os.Setenv(binaryVar, path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func build(path string, flags ...string) error {
	args := append([]string{"build", "-buildvcs=false", "-o", path}, flags...)
	out, err := exec.Command("go", append(args, "github.com/batonflow/baton/cmd/baton")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// buildVersion builds the command as another release: the same code with another version in it.
func buildVersion(t *testing.T, version string) string {
	t.Helper()
	return buildOther(t, "../version.go", `version = "0.`, `version = "`+version+`" // 0.`)
}

// clockVar is by how much a command that was built with buildClock has a wrong time.
const clockVar = "BATON_FAULTS_CLOCK"

// buildClock builds the command with a clock that is wrong by what the environment says. The command as it
// is released knows of nothing like it.
func buildClock(t *testing.T) string {
	t.Helper()
	return buildOther(t, "../host/clock.go", `func clock() time.Time { return time.Now() }`, `func clock() time.Time {
	wrong, _ := time.ParseDuration(os.Getenv("`+clockVar+`"))
	return time.Now().Add(wrong)
}`, `import "time"`, `import ("os"; "time")`)
}

// buildOther builds the command with other words in one of its files: each pair is what stands there, and what
// stands there instead.
func buildOther(t *testing.T, file string, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(pairs, 2) {
		if !bytes.Contains(other, []byte(pair[0])) {
			t.Fatalf("%s does not say %s", source, pair[0])
		}
		other = bytes.Replace(other, []byte(pair[0]), []byte(pair[1]), 1)
	}
	replacement, overlay, binary := filepath.Join(dir, "other.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "baton")
	plan, err := json.Marshal(map[string]any{"Replace": map[string]string{source: replacement}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, replacement, other)
	write(t, overlay, plan)
	if err := build(binary, "-overlay", overlay); err != nil {
		t.Fatal(err)
	}
	return binary
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
}

// seeded runs a test of a row once for each seed, which is in its name.
func seeded(t *testing.T, test func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	draw(t, *manySeeds, test)
}

// some is seeded for what is no row of the list.
func some(t *testing.T, test func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	draw(t, max(1, *manySeeds/5), test)
}

func draw(t *testing.T, many int, test func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	first, last := uint64(1), uint64(many)
	if *oneSeed != 0 {
		first, last = *oneSeed, *oneSeed
	}
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("repeat with -faults.seed %d", seed)
			test(t, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}

// scaled is how much a test does: all of it for the first seed and every twentieth, less for the others, since
// what they vary is when a fault strikes.
func scaled(t *testing.T, full, less int) int {
	_, seed, _ := strings.Cut(t.Name(), "seed=")
	seed, _, _ = strings.Cut(seed, "/")
	if n, err := strconv.Atoi(seed); err == nil && n%20 == 1 {
		return full
	}
	return less
}
