package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func BenchmarkRescanUnchanged(b *testing.B) {
	home := b.TempDir()
	const count = 20_000
	for i := range count {
		dir := filepath.Join(home, ".agents/skills", fmt.Sprintf("skill-%05d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		text := fmt.Sprintf("---\nname: skill-%05d\ndescription: does number %d\n---\nBody.\n", i, i)
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	places := Places{Home: home, Now: func() time.Time { return time.Now().Add(time.Hour) }}
	var cache Cache
	if _, _, err := Scan(b.Context(), places, &cache); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		x, _, err := Scan(b.Context(), places, &cache)
		if err != nil || len(x.Skills) != count {
			b.Fatalf("%d skills, %v", len(x.Skills), err)
		}
	}
}
