package host

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/telemetry"
	"github.com/batonflow/baton/workers/secret"
)

// Telemetry says where spans are sent and what they may hold.
type Telemetry struct {
	Endpoint string // "": nothing is sent
	Headers  map[string]string
	Content  bool
}

// otlpHeaders is the variable in which OpenTelemetry's programs are given headers.
const otlpHeaders = "OTEL_EXPORTER_OTLP_HEADERS"

// export sends spans until ctx is done, when an endpoint is set.
func (s *Server) export(ctx context.Context) {
	if s.Telemetry.Endpoint == "" {
		return
	}
	err := telemetry.NewExporter(telemetry.Config{
		Log: s.store, History: s.engine.History, Path: s.Home.path("views", "telemetry.json"), Source: s.source(),
		Target:  telemetry.Target{Endpoint: s.Telemetry.Endpoint, Headers: s.headers},
		Content: s.Telemetry.Content, Logger: s.logger,
	}).Run(ctx)
	if err != nil && ctx.Err() == nil {
		s.logger.Warn("no spans are exported any more", "err", err)
	}
}

func (s *Server) source() telemetry.Source {
	return telemetry.Source{Installation: s.store.Installation(), Version: s.Version}
}

// headers resolves what the settings name; those of OpenTelemetry's own variable come first.
func (s *Server) headers() (map[string]string, error) {
	out := map[string]string{}
	for pair := range strings.SplitSeq(s.Env[otlpHeaders], ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if plain, err := url.QueryUnescape(value); ok && err == nil {
			out[strings.TrimSpace(name)] = strings.TrimSpace(plain)
		}
	}
	book := secret.Book{Lookup: s.secret}
	given, err := book.ResolveAll(s.Telemetry.Headers)
	if err != nil {
		return nil, fmt.Errorf("telemetry.headers: %w", err)
	}
	for name, value := range given {
		out[name] = value
	}
	return out, nil
}

// traceAsked answers for the one format that is not the engine's: the same spans as are exported.
func (s *Server) traceAsked(others engine.Query) engine.Query {
	return func(ctx context.Context, session string, data json.RawMessage) (any, error) {
		var q engine.TraceAsk
		if err := json.Unmarshal(data, &q); err != nil || q.Format != "otlp" || q.Follow {
			return others(ctx, session, data)
		}
		spans := projections.Spans{Content: s.Telemetry.Content}
		for rec, err := range s.engine.History(ctx, session) {
			if err != nil {
				return nil, err
			}
			spans.Fold(rec.Sequence, rec.Frame)
		}
		text, err := s.source().JSON(spans.Drain())
		return engine.Traced{Text: string(text) + "\n"}, err
	}
}

// measure counts what comes in from now on.
func (s *Server) measure() {
	s.metrics = telemetry.NewMetrics(s.Version, s.state)
	s.projector.Watch(s.metrics.Seen)
}

// state is what stands open, as the index has it.
func (s *Server) state() telemetry.State {
	counts := &s.engine.Counts
	out := telemetry.State{
		Queued: map[string]int{}, Held: map[string]int{}, Slots: s.Workers, Unreadable: int64(len(s.projector.Unreadable())),
		Conflicts: counts.Conflicts.Load(), Duplicates: counts.Duplicates.Load(), Found: counts.Found.Load(),
	}
	if s.pool != nil {
		out.Busy, out.Redeliveries = s.pool.Busy(), s.pool.Redelivered()
	}
	if s.nats != nil {
		out.Flushes = s.nats.Flushes()
	}
	for _, queue := range s.Queues {
		out.Queued[queue], out.Held[queue] = 0, 0
	}
	s.projector.Index(func(x *projections.Index) {
		out.Sequence, out.Approvals, out.Timers = x.Sequence(), len(x.Approvals()), len(x.Timers())
		for _, c := range x.Queued() {
			if !c.Waits {
				out.Queued[c.Queue]++
			}
		}
		for _, c := range x.Held() {
			if c.Worker != "" {
				out.Held[c.Queue]++
			}
		}
	})
	return out
}
