package bench

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine says what was measured on, and how busy it was with other things when that began.
func machine() string {
	parts := []string{runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d CPUs", runtime.NumCPU())}
	if raw, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for text := range strings.Lines(string(raw)) {
			if name, value, _ := strings.Cut(text, ":"); strings.TrimSpace(name) == "model name" {
				parts = append(parts, strings.TrimSpace(value))
				break
			}
		}
	}
	parts = append(parts, runtime.Version())
	if raw, err := os.ReadFile("/proc/loadavg"); err == nil {
		if load, _, ok := strings.Cut(string(raw), " "); ok {
			parts = append(parts, "load "+load+" before")
		}
	}
	return strings.Join(parts, ", ")
}
