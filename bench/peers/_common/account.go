package bench

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const clkTck = 100

func statOf(pid int) (ppid int, cpu, childCPU float64, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return
	}
	s := string(b)
	i := strings.LastIndexByte(s, ')')
	f := strings.Fields(s[i+1:])
	n := func(k int) float64 { v, _ := strconv.ParseFloat(f[k], 64); return v }
	return int(n(1)), (n(11) + n(12)) / clkTck, (n(13) + n(14)) / clkTck, true
}

func tree(root int) []int {
	kids := map[int][]int{}
	d, _ := os.ReadDir("/proc")
	for _, e := range d {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if pp, _, _, ok := statOf(pid); ok {
				kids[pp] = append(kids[pp], pid)
			}
		}
	}
	out := []int{root}
	for i := 0; i < len(out); i++ {
		out = append(out, kids[out[i]]...)
	}
	return out
}

// ExtPIDs are server processes outside this one (postgres, redis, restate).
var ExtPIDs []int

func extCPU() float64 {
	t := 0.0
	for _, r := range ExtPIDs {
		for _, p := range tree(r) {
			if _, c, cc, ok := statOf(p); ok {
				t += c
				if p == r {
					t += cc
				}
			}
		}
	}
	return t
}

func selfCPU() float64 {
	var ru syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
	tv := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return tv(ru.Utime) + tv(ru.Stime)
}

// sysBusy is the CPU seconds that the whole machine has used so far; with our
// own CPU taken off it tells how much others (noise) used during a run.
func sysBusy() float64 {
	b, _ := os.ReadFile("/proc/stat")
	f := strings.Fields(strings.SplitN(string(b), "\n", 2)[0])
	t := 0.0
	for i, x := range f[1:] {
		if v, _ := strconv.ParseFloat(x, 64); i != 3 && i != 4 && i < 8 { // not idle, not iowait
			t += v
		}
	}
	return t / clkTck
}

func pssKB(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	sc := bufio.NewScanner(strings.NewReader(string(b)))
	for sc.Scan() {
		if f := strings.Fields(sc.Text()); len(f) > 1 && f[0] == "Pss:" {
			v, _ := strconv.ParseFloat(f[1], 64)
			return v
		}
	}
	return 0
}

func rssKB(pid int) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, l := range strings.Split(string(b), "\n") {
		if f := strings.Fields(l); len(f) > 1 && f[0] == "VmRSS:" {
			v, _ := strconv.ParseFloat(f[1], 64)
			return v
		}
	}
	return 0
}

func du(dirs ...string) float64 {
	t := 0.0
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if i, e := d.Info(); e == nil {
					if st, ok := i.Sys().(*syscall.Stat_t); ok {
						t += float64(st.Blocks) * 512
					}
				}
			}
			return nil
		})
	}
	return t
}

// selfOf is the processor time of a process, in seconds.
func selfOf(pid int) float64 { _, c, _, _ := statOf(pid); return c }
