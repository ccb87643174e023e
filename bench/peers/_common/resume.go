package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ln is a line of the side file: a step that ran.
type ln struct {
	step, pid int
	ns        int64
}

func readSide(path string) (out []ln) {
	b, _ := os.ReadFile(path)
	for _, l := range strings.Split(string(b), "\n") {
		f := strings.Fields(l)
		if len(f) == 3 {
			s, _ := strconv.Atoi(f[0])
			p, _ := strconv.Atoi(f[1])
			ns, _ := strconv.ParseInt(f[2], 10, 64)
			out = append(out, ln{s, p, ns})
		}
	}
	return
}

// resume kills the process halfway, starts it again, and waits for the first step that had not run.
func (h *harness) resume(context.Context) {
	sf := filepath.Join(h.dir, "side.txt")
	m := map[string]any{}
	a := h.child(sf, true)
	h.untilHalf(sf)
	a.Process.Kill()
	a.Wait()
	before := readSide(sf)
	last := -1
	for _, l := range before {
		last = max(last, l.step)
	}
	m["killed_at_step"] = last
	again := time.Now()
	b := h.child(sf, false)
	res := h.firstAfter(sf, len(before), last, again)
	m["resume_ms"] = r3(res)
	re, fin := 0, 0
	for _, l := range readSide(sf)[len(before):] {
		if l.step <= last {
			re++
			if l.step < last {
				fin++
			}
		}
	}
	m["reexec_all"], m["reexec_finished"] = re, fin
	m["finished_within_limit"] = h.finished(sf, again)
	if res < 0 {
		m["note"] = fmt.Sprintf("no new step within %.0f s", h.limit)
	}
	b.Process.Kill()
	b.Wait()
	h.emit("w3", m)
}

// resumed is the child of resume: it starts the run or takes it up, until it is killed.
func (h *harness) resumed(ctx context.Context) {
	p := h.open(ctx)
	if h.fresh {
		check(p.StartSeq(ctx, "w3", h.n))
	}
	select {}
}

func (h *harness) child(sf string, fresh bool) *exec.Cmd {
	exe, _ := os.Executable()
	cmd := exec.Command(exe, "-mode", "w3child", "-dir", filepath.Join(h.dir, "data"), "-side", sf, "-n", strconv.Itoa(h.n),
		"-fresh="+strconv.FormatBool(fresh), "-ext", h.ext)
	cmd.Stderr = os.Stderr
	check(cmd.Start())
	return cmd
}

// untilHalf waits until half of the steps ran; a slow engine is killed where it stands.
func (h *harness) untilHalf(sf string) {
	for begun := time.Now(); ; time.Sleep(3 * time.Millisecond) {
		l := readSide(sf)
		if len(l) >= h.n/2 || len(l) > 20 && time.Since(begun).Seconds() > 15 {
			return
		}
	}
}

// firstAfter is how many milliseconds after a time the first step ran that had not run before; -1: none did
// within the limit.
func (h *harness) firstAfter(sf string, seen, last int, from time.Time) float64 {
	for ; time.Since(from).Seconds() < h.limit; time.Sleep(2 * time.Millisecond) {
		for _, l := range readSide(sf)[seen:] {
			if l.step > last {
				return float64(l.ns-from.UnixNano()) / 1e6
			}
		}
	}
	return -1
}

// finished says whether the last step ran within the limit.
func (h *harness) finished(sf string, from time.Time) bool {
	for ; time.Since(from).Seconds() < h.limit; time.Sleep(10 * time.Millisecond) {
		if l := readSide(sf); len(l) > 0 && l[len(l)-1].step >= h.n-1 {
			return true
		}
	}
	return false
}
