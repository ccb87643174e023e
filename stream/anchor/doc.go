// Package anchor keeps what a log must still hold when it is opened again: which installation it is of, in
// which epoch, and of every line the last commit that was flushed, by sequence, number and hash. It lies
// outside the store, whose own recovery cuts a damaged log without a word and hands out its sequences anew.
//
// Promises: a commit is in the anchor only after it is durable in the log, and nobody is told of it before
// it is in the anchor; so the anchor never asks for more than was kept, and never for less than was said.
// What it no longer finds is remembered until a person gives it up.
package anchor
