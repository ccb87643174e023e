//go:build linux

package faults_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a small file system in memory at the home's folder, and skips the test where that is not
// allowed.
func smallDisk(t *testing.T, h *home, size string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may mount a disk")
	}
	if err := os.MkdirAll(h.baton(), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", h.baton()).CombinedOutput(); err != nil {
		t.Skipf("no disk can be mounted: %v %s", err, out)
	}
	t.Cleanup(func() {
		h.sweep()
		_ = exec.Command("umount", h.baton()).Run()
	})
}

// refusesWhatIsNew waits until nothing new is begun.
func (h *home) refusesWhatIsNew() {
	h.t.Helper()
	await(h.t, "a refusal of what is new", func() bool {
		r := h.run("session", "new", "--goal", "another")
		return r.code == 8 && strings.Contains(r.stderr, "no_room")
	})
}

func roomValue(int) int { return 40_000 }

// TestFullDisk: before the disk is full nothing new is begun; when somebody else has filled it, nothing that
// was acknowledged is lost, a result in hand is tried until there is room, and Baton goes on by itself.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	smallDisk(t, h, "64m")
	server := h.serve("--workers", "2")
	session := h.session()
	run := h.detach(h.template(step("held", held), step("next", "true", "held")))
	await(t, "the first attempt", func() bool { return len(h.ledger()) == 1 })

	// Little is left: nothing new, but what runs goes on.
	ballast := h.baton("ballast")
	h.fill(ballast, 1<<20)
	h.refusesWhatIsNew()
	if r := h.run("--session", session, "workflow", "run", filepath.Join(h.work, "faults.yaml"), "--detach"); r.code != 8 || !strings.Contains(r.stderr, "no_room") {
		t.Errorf("a new run: exit %d %s%s", r.code, r.stdout, r.stderr)
	}
	h.must("ctx", "set", "k", "small", "--session", session)

	// Nothing is left: what was acknowledged before is all there is.
	w, client := newWriters(), h.client()
	err := w.write(t.Context(), client, session, roomValue, 10_000)
	if err == nil || w.of(session) == 0 {
		t.Fatalf("ten thousand values went into a full disk, %v", err)
	}
	t.Logf("after %d values: %v", w.of(session), err)
	h.fill(ballast, 0)
	write(t, filepath.Join(h.work, "go"), nil) // the result comes while there is no room for it
	within(2*lease, func() bool { return false })

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	await(t, "the end of the run", func() bool {
		return h.run("workflow", "show", run.Run, "--json").code == 0 && h.show(run.Run).Status == "completed"
	})
	if server.ended() || !strings.Contains(server.said.String(), "the embedded server was started again") {
		t.Fatalf("the server has ended, or was never stuck: %s", server.said)
	}
	h.must("session", "new", "--goal", "another")
	if found := h.found()[session]; found < w.of(session)+1 {
		t.Errorf("%d values are there, %d were acknowledged", found, w.of(session)+1)
	}
	h.must("audit", "verify")
	checkLedger(t, h.ledger(), attempts(t, h.events(run.Session)))
}

// fill leaves so many bytes free on the home's disk.
func (h *home) fill(path string, free int64) {
	h.t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for h.free() > free+int64(size) {
			if _, err := f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
}

func (h *home) free() int64 {
	h.t.Helper()
	var fs syscall.Statfs_t
	if err := syscall.Statfs(h.baton(), &fs); err != nil {
		h.t.Fatal(err)
	}
	return int64(fs.Bavail) * int64(fs.Bsize)
}

// TestFullStore: the store's own limit, below that of the disk, says so in time; a wider disk widens it.
func TestFullStore(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	smallDisk(t, h, "40m")
	server := h.serve("--workers", "0")
	session := h.session()
	w, client := newWriters(), h.client()
	err := w.write(t.Context(), client, session, roomValue, 10_000)
	if err == nil || !strings.Contains(err.Error(), "the stream") && !strings.Contains(err.Error(), "nothing was stored") {
		t.Errorf("after %d values: %v", w.of(session), err)
	}
	if h.free() < 1<<20 {
		t.Errorf("the disk has %d bytes left: it was full before the store was", h.free())
	}
	if r := h.run("ctx", "set", "k", strings.Repeat("x", 40_000), "--session", session); r.code != 8 || !strings.Contains(r.stderr, "store_full") {
		t.Errorf("a value into a full store: exit %d %s", r.code, r.stderr)
	}
	h.refusesWhatIsNew()
	if out, err := exec.Command("mount", "-o", "remount,size=120m", h.baton()).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	await(t, "room for what is new", func() bool { return h.run("session", "new", "--goal", "another").code == 0 })
	h.must("ctx", "set", "k", strings.Repeat("x", 40_000), "--session", session)
	if found := h.found()[session]; found < w.of(session)+1 || server.ended() {
		t.Errorf("%d values are there, %d were acknowledged", found, w.of(session)+1)
	}
	h.must("audit", "verify")
}
