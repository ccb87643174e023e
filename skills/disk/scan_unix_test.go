//go:build unix

package disk

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestScanDoesNotWaitOnAPipe(t *testing.T) {
	t.Parallel()
	m := setup(t)
	folder := m.home(".agents/skills/pipe")
	m.mkdir(folder)
	if err := syscall.Mkfifo(filepath.Join(folder, "SKILL.md"), 0o644); err != nil {
		t.Skip(err)
	}
	x, report := m.scan()
	if len(x.Skills) != 0 || len(report.Unusable) != 1 || !strings.Contains(report.Unusable[0].Reason, "regular") {
		t.Errorf("skills %v, unusable %+v", names(x), report.Unusable)
	}
}
