package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// chains measures runs of ten steps, so many in flight.
func (h *harness) chains(ctx context.Context) {
	p := h.open(ctx)
	for i := 0; i < 3; i++ {
		check(p.Seq(ctx, fmt.Sprintf("warm-%d-%d", os.Getpid(), i), 10))
	}
	var mu sync.Mutex
	var lat []float64
	var seq atomic.Int64
	d0, b0 := du(h.dir, h.extDir), sysBusy()
	x0, s0 := extCPU(), selfCPU()
	t0 := time.Now()
	end := t0.Add(time.Duration(h.secs * float64(time.Second)))
	var wg sync.WaitGroup
	for range h.c {
		wg.Go(func() {
			for time.Now().Before(end) {
				t := time.Now()
				check(p.Seq(ctx, fmt.Sprintf("w1-%d-%d", os.Getpid(), seq.Add(1)), 10))
				l := float64(time.Since(t).Microseconds()) / 1e3
				mu.Lock()
				lat = append(lat, l)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	el := time.Since(t0).Seconds()
	cs, cx := selfCPU()-s0, extCPU()-x0
	noise := (sysBusy() - b0 - cs - cx) / el
	d1 := du(h.dir, h.extDir)
	sort.Float64s(lat)
	steps := float64(len(lat) * 10)
	h.emit(fmt.Sprintf("w1_c%d", h.c), map[string]any{
		"runs": len(lat), "secs": r3(el), "runs_s": r3(float64(len(lat)) / el), "steps_s": r3(steps / el),
		"p50_ms": r3(pct(lat, .5)), "p99_ms": r3(pct(lat, .99)),
		"cpu_s_per_1k_steps": r3((cs + cx) / steps * 1000), "cpu_self": r3(cs), "cpu_ext": r3(cx),
		"disk_bytes_per_step": math.Round((d1 - d0) / steps), "rss_mb": r3(rssKB(os.Getpid()) / 1024),
		"noise_cpus": r3(noise), "durability": p.Durability(ctx)})
}

// fan measures one run with so many branches and a join.
func (h *harness) fan(ctx context.Context) {
	p := h.open(ctx)
	check(p.Fan(ctx, fmt.Sprintf("warm-%d", os.Getpid()), 10))
	x0, s0, b0 := extCPU(), selfCPU(), sysBusy()
	t := time.Now()
	check(p.Fan(ctx, fmt.Sprintf("w2-%d", os.Getpid()), h.n))
	el := time.Since(t).Seconds()
	cpu := selfCPU() - s0 + extCPU() - x0
	h.emit(fmt.Sprintf("w2_n%d", h.n), map[string]any{"ms": r3(el * 1e3), "steps_s": r3(float64(h.n) / el),
		"cpu_s_per_1k_steps": r3(cpu / float64(h.n) * 1000), "noise_cpus": r3((sysBusy() - b0 - cpu) / el)})
}

// history measures reading a finished run, and replaying it where the peer can.
func (h *harness) history(ctx context.Context) {
	p := h.open(ctx)
	id := fmt.Sprintf("w4-%d", os.Getpid())
	t := time.Now()
	check(p.Seq(ctx, id, h.n))
	el := time.Since(t).Seconds()
	var ms []float64
	ev := 0
	for range 15 {
		t := time.Now()
		k, err := p.Load(ctx, id)
		check(err)
		ev = k
		ms = append(ms, float64(time.Since(t).Microseconds())/1e3)
	}
	m := map[string]any{"first_ms": r3(ms[0]), "events": ev, "seq_run_s": r3(el)}
	sort.Float64s(ms)
	m["load_ms"] = r3(pct(ms, .5))
	if rp, ok := p.(Replayer); ok {
		var rs []float64
		for range 5 {
			t := time.Now()
			check(rp.Replay(ctx, id))
			rs = append(rs, float64(time.Since(t).Microseconds())/1e3)
		}
		sort.Float64s(rs)
		m["load_and_replay_ms"] = r3(pct(rs, .5))
	}
	h.emit("w4", m)
}
