// Package telemetry shows Baton to the tools that people watch their systems with: spans of the log for
// whatever takes OpenTelemetry's protocol, and numbers for Prometheus.
//
// Spans are a projection ([projections.Spans]); this package only encodes and sends them. It reads the
// log at its own pace, from a position that it keeps on disk: a collector that is slow or away holds
// nothing else up, and misses nothing.
//
// Promises: the same log gives the same bytes; a span is sent at least once, and again under the same
// ids; nothing is sent unless an endpoint is set, and what people and skills wrote only when asked for.
package telemetry
