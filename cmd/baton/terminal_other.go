//go:build !unix

package main

import "os"

// openTerminal finds no terminal on this system: whoever must be asked answers by `workflow approve`.
func openTerminal() (*os.File, bool) { return nil, false }
