//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// disk is a small ext4 on a file in memory, mounted where a home keeps everything. What its system has not
// flushed is not in the file: a copy of it is what a power loss leaves behind.
type disk struct {
	t     *testing.T
	home  *home
	image string
}

// newDisk mounts an empty disk of so many MiB at the home's folder, and skips the test where that is not
// allowed.
func newDisk(t *testing.T, h *home, size int) *disk {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may mount a disk")
	}
	dir, err := os.MkdirTemp("/dev/shm", "baton-disk-")
	if err != nil {
		t.Skipf("there is no memory to lay a disk in: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	d := &disk{t: t, home: h, image: filepath.Join(dir, "image")}
	if err := os.WriteFile(d.image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.image, int64(size)<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", d.image).CombinedOutput(); err != nil {
		t.Skipf("no ext4 can be made: %v %s", err, out)
	}
	if err := os.MkdirAll(h.baton(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.mount(); err != nil {
		t.Skipf("no disk can be mounted: %v", err)
	}
	t.Cleanup(func() {
		h.sweep()
		_ = d.unmount()
	})
	return d
}

func (d *disk) mount() error {
	if out, err := exec.Command("mount", "-o", "loop", d.image, d.home.baton()).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func (d *disk) unmount() error {
	if out, err := exec.Command("umount", d.home.baton()).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// losePower stops the server in the middle of what it does, keeps what is on the disk by then, and mounts
// that. acked is called when nothing can be acknowledged any more.
func (d *disk) losePower(pid int, acked func()) {
	d.t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		d.t.Fatal(err)
	}
	await(d.t, "a server that stands still", func() bool { return standsStill(pid) })
	left := d.image + ".left"
	// The kernel may still be writing: a copy that is not of one moment would lose what no power loss takes.
	await(d.t, "a copy of one moment", func() bool {
		if out, err := exec.Command("cp", "--sparse=always", d.image, left).CombinedOutput(); err != nil {
			d.t.Fatalf("%v %s", err, out)
		}
		return exec.Command("cmp", "--silent", d.image, left).Run() == nil
	})
	acked()
	kill(d.t, pid)
	var last error
	if !within(patience, func() bool {
		d.home.killAll() // a command may have started another server meanwhile
		last = d.unmount()
		return last == nil
	}) {
		d.t.Fatal(last)
	}
	if err := os.Rename(left, d.image); err != nil {
		d.t.Fatal(err)
	}
	if err := d.mount(); err != nil {
		d.t.Fatal(err)
	}
}

// standsStill says whether every thread of a process has stopped.
func standsStill(pid int) bool {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(tasks) == 0 {
		return false
	}
	for _, task := range tasks {
		raw, err := os.ReadFile(task)
		if err != nil {
			continue // it has ended
		}
		var id int
		var name, state string
		if _, err := fmt.Sscan(string(raw), &id, &name, &state); err != nil || state != "T" && state != "D" {
			return false
		}
	}
	return true
}
