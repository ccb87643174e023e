package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cold starts the peer on an empty folder and again on what that left, each time up to its first step, and
// looks at it when it has nothing to do.
func (h *harness) cold(context.Context) {
	m := map[string]any{}
	exe, _ := os.Executable()
	st, _ := os.Stat(exe)
	m["binary_mb"] = r3(float64(st.Size()) / 1e6)
	for _, k := range []string{"cold_fresh_ms", "cold_again_ms"} {
		begun := time.Now()
		cmd := exec.Command(exe, "-mode", "w5child", "-dir", h.dir, "-ext", h.ext)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		check(err)
		check(cmd.Start())
		if ns, ok := firstStepOf(out); ok {
			m[k] = r3(float64(ns-begun.UnixNano()) / 1e6)
		}
		h.idle(cmd.Process.Pid, m)
		cmd.Process.Kill()
		cmd.Wait()
	}
	h.emit("w5", m)
}

// started is the child of cold: one step, and then nothing until it is killed.
func (h *harness) started(ctx context.Context) {
	p := h.open(ctx)
	check(p.Seq(ctx, fmt.Sprintf("cold-%d", os.Getpid()), 1))
	fmt.Println("FIRSTSTEP", firstStep.Load())
	select {}
}

func firstStepOf(out io.Reader) (ns int64, ok bool) {
	for sc := bufio.NewScanner(out); sc.Scan(); {
		f := strings.Fields(sc.Text())
		if len(f) == 2 && f[0] == "FIRSTSTEP" {
			ns, err := strconv.ParseInt(f[1], 10, 64)
			return ns, err == nil
		}
	}
	return 0, false
}

// idle measures what a process and its outside servers take once they have settled.
func (h *harness) idle(pid int, m map[string]any) {
	time.Sleep(4 * time.Second)
	if b, err := os.ReadFile(filepath.Join(h.dir, "ext.pid")); err == nil {
		ExtPIDs = nil
		for _, f := range strings.Fields(string(b)) {
			v, _ := strconv.Atoi(f)
			ExtPIDs = append(ExtPIDs, v)
		}
	}
	c0 := selfOf(pid) + extCPU()
	time.Sleep(2 * time.Second)
	m["idle_rss_mb"] = r3(rssKB(pid) / 1024)
	m["idle_cpu_pct"] = r3((selfOf(pid) + extCPU() - c0) / 2 * 100)
	x := 0.0
	for _, r := range ExtPIDs {
		for _, p := range tree(r) {
			x += pssKB(p)
		}
	}
	m["ext_idle_pss_mb"] = r3(x / 1024)
}
