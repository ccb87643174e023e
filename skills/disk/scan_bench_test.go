package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const benchSkills = 20_000

// manySkills writes as many skills as a large machine has, each of a usual size.
func manySkills(b *testing.B) Places {
	home := b.TempDir()
	body := "# Title\n\n" + strings.Repeat("Some words about how it is used. ", 60)
	for i := range benchSkills {
		dir := filepath.Join(home, ".agents/skills", fmt.Sprintf("skill-%05d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		text := fmt.Sprintf("---\nname: skill-%05d\ndescription: Makes reports of kind %d. 制作第%d类报告。\ntags: [report, t%d]\n---\n%s", i, i, i, i%50, body)
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return Places{Home: home, Now: func() time.Time { return time.Now().Add(time.Hour) }}
}

// Budget: under 3 s and 200 MB.
func BenchmarkScanCold(b *testing.B) {
	places := manySkills(b)
	for b.Loop() {
		x, report, err := Scan(b.Context(), places, nil)
		if err != nil || len(x.Skills) != benchSkills || len(report.Unusable) != 0 {
			b.Fatalf("%d skills, %d unusable, %v", len(x.Skills), len(report.Unusable), err)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys>>20), "MB-of-the-system")
}

// Budget: under 300 ms.
func BenchmarkRescanUnchanged(b *testing.B) {
	places := manySkills(b)
	var cache Cache
	if _, _, err := Scan(b.Context(), places, &cache); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		x, report, err := Scan(b.Context(), places, &cache)
		if err != nil || len(x.Skills) != benchSkills || report.Read != 0 {
			b.Fatalf("%d skills, %d read, %v", len(x.Skills), report.Read, err)
		}
	}
}
