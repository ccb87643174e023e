// Package baton is the root of an event-sourced orchestrator for multi-agent pipelines.
//
// It holds no code. The program is cmd/baton; what can happen is in package events; the rules are the
// pure packages sessions, workflows, projections, routing and skills; engine and workers put them to
// work on a log that package stream describes. ARCHITECTURE.md draws the picture.
//
// The tests of this package hold the tree to its own rules: which package may import which, what pure
// code may not touch, and how large files and functions may grow.
package baton
