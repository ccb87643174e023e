//go:build !unix

package shim

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Main says that there is no shim on this system.
func Main([]string) int {
	fmt.Fprintln(os.Stderr, "baton: running programs is not supported on this system")
	return 1
}

// Run fails: without process groups nothing could be promised.
func (c Command) Run(context.Context) (End, error) {
	return End{}, fmt.Errorf("run %s: %w: %w", c.Path, ErrNotStarted, errors.ErrUnsupported)
}

// Landlock is 0: only Linux has it.
func Landlock() int { return 0 }

// Overran is false: nothing bounds a program here.
func (e End) Overran() bool { return false }
