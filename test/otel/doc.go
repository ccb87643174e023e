// Package otel holds what Baton sends against a real OpenTelemetry collector, and its names against the
// constants of the conventions.
//
// It is a module of its own, so that the program's go.mod stays short; `make otel` runs it. It promises
// that what trace writes, what is exported and what is exported again are the same spans.
package otel
