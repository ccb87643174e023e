// Package faults breaks Baton and looks at what is left. It holds tests only.
//
// Every test runs the real binary as real processes in a home folder of its own: they are killed with
// SIGKILL, stopped, cut off and slowed down, and asked for nonsense. What happened is then judged by
// two witnesses that cannot have agreed: the events of the log, read by the command, and a ledger
// file that the steps themselves append to.
//
// Fault points are drawn from a seed, which is in the test's name. -faults.seeds N draws more of them,
// -faults.seed S repeats one. A test that ends leaves no process behind, and fails if one does.
//
// The tests need the Go tool, to build the binary, and /proc; they are skipped with -short.
package faults
