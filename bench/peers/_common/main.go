package bench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// harness is one workload in this process, with what it was started with.
type harness struct {
	name   string
	mk     func() Peer
	dir    string
	c      int
	secs   float64
	n      int
	ext    string
	extDir string
	fresh  bool
	limit  float64
}

// workloads are those that -mode names; w3child and w5child are started by w3 and w5.
var workloads = map[string]func(h *harness, ctx context.Context){
	"w1": (*harness).chains, "w2": (*harness).fan, "w3": (*harness).resume, "w3child": (*harness).resumed,
	"w4": (*harness).history, "w5": (*harness).cold, "w5child": (*harness).started,
}

// Main runs one workload in this process and prints one JSON object.
func Main(name string, mk func() Peer) {
	h := &harness{name: name, mk: mk}
	mode := flag.String("mode", "", "w1|w2|w3|w4|w5 (w3child, w5child are internal)")
	flag.StringVar(&h.dir, "dir", "", "data directory")
	flag.IntVar(&h.c, "c", 1, "w1: runs in flight")
	flag.Float64Var(&h.secs, "secs", 5, "w1: measured seconds")
	flag.IntVar(&h.n, "n", 100, "w2: fan-out width; w3, w4: steps")
	flag.StringVar(&h.ext, "ext", "", "comma separated pids of outside servers")
	flag.StringVar(&h.extDir, "extdir", "", "outside server's data directory, for disk bytes")
	sidePath := flag.String("side", "", "internal")
	flag.BoolVar(&h.fresh, "fresh", true, "internal: w3child starts (true) or resumes")
	flag.Float64Var(&h.limit, "limit", 20, "give up after this many seconds")
	flag.Parse()
	work, ok := workloads[*mode]
	if !ok {
		fmt.Fprintln(os.Stderr, "unknown mode; there are", slices.Sorted(maps.Keys(workloads)))
		os.Exit(2)
	}
	for _, p := range strings.Split(h.ext, ",") {
		if v, err := strconv.Atoi(p); err == nil {
			ExtPIDs = append(ExtPIDs, v)
		}
	}
	check(os.MkdirAll(h.dir, 0o755))
	if *sidePath != "" {
		openSide(*sidePath)
	}
	work(h, context.Background())
}

// open brings the peer up.
func (h *harness) open(ctx context.Context) Peer {
	p := h.mk()
	check(p.Open(ctx, h.dir))
	return p
}

// emit prints what was measured and ends the process: engines may take seconds to stop, and the data
// directory is thrown away.
func (h *harness) emit(workload string, m map[string]any) {
	m["peer"], m["workload"] = h.name, workload
	b, _ := json.Marshal(m)
	fmt.Println(string(b))
	os.Exit(0)
}

func pct(v []float64, p float64) float64 {
	if len(v) == 0 {
		return 0
	}
	i := int(math.Ceil(p*float64(len(v)))) - 1
	if i < 0 {
		i = 0
	}
	return v[i]
}

func r3(f float64) float64 { return math.Round(f*1000) / 1000 }
