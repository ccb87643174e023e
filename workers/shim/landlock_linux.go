package shim

import (
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Landlock is the version of Landlock that the kernel speaks; 0: none, so that writing cannot be
// confined.
func Landlock() int {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}

// written are devices that programs write to wherever they may write else.
var written = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm",
}

// confine leaves reading and executing free and writing only to the paths. A kernel without Landlock
// cannot, which is said on stderr and is no error: what else is bounded still holds.
func confine(paths []string) error {
	if Landlock() == 0 {
		fmt.Fprintln(os.Stderr, "baton: this kernel has no Landlock, so writing is not confined")
		return nil
	}
	rules := []landlock.Rule{landlock.RODirs("/")}
	for _, path := range append(written, paths...) {
		switch st, err := os.Stat(path); {
		case err != nil: // not there, so that nothing can be written to it
		case st.IsDir():
			rules = append(rules, landlock.RWDirs(path).WithRefer())
		default:
			rules = append(rules, landlock.RWFiles(path))
		}
	}
	// Version 3 knows all ways to write to files; what later ones add is not about that.
	return landlock.V3.BestEffort().RestrictPaths(rules...)
}
