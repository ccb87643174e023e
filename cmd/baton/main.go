// Package main is the baton command: it reads what was typed, asks the server, and prints the answer.
//
// Nothing is decided here. A command line becomes one command or query of package engine, and the
// answer goes to stdout as text or, with --json, as the JSON that the server gave. Every refusal has
// one line on stderr and an exit status that follows from its kind.
//
// There are no globals: run builds the whole program from its arguments, so tests run it in-process.
package main

import (
	"os"

	"github.com/batonflow/baton/workers/shim"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == shim.Arg {
		os.Exit(shim.Main(os.Args[2:]))
	}
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
