//go:build unix && !linux

package shim

import (
	"fmt"
	"os"
)

// Landlock is 0: only Linux has it.
func Landlock() int { return 0 }

func confine([]string) error {
	fmt.Fprintln(os.Stderr, "baton: only Linux has Landlock, so writing is not confined")
	return nil
}
