package telemetry

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
)

// Scope names this program as what makes the spans.
const Scope = "github.com/batonflow/baton"

// Source says whose spans they are.
type Source struct {
	Installation string
	Version      string
}

// document is the message that both forms of the protocol carry. An export request has the same fields.
func (s Source) document(spans []projections.Span) *trace.TracesData {
	scoped := &trace.ScopeSpans{Scope: &common.InstrumentationScope{Name: Scope, Version: s.Version}, SchemaUrl: projections.Conventions}
	for _, span := range spans {
		scoped.Spans = append(scoped.Spans, encode(span))
	}
	about := &resource.Resource{Attributes: []*common.KeyValue{
		attribute(projections.Attribute{Key: "service.name", Value: "baton"}),
		attribute(projections.Attribute{Key: "service.instance.id", Value: s.Installation}),
	}}
	return &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{Resource: about, SchemaUrl: projections.Conventions, ScopeSpans: []*trace.ScopeSpans{scoped}}}}
}

// Binary gives spans as protobuf.
func (s Source) Binary(spans []projections.Span) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(s.document(spans))
}

// JSON gives spans as one line of OTLP/JSON: protobuf's own mapping, but that ids are in hex.
func (s Source) JSON(spans []projections.Span) ([]byte, error) {
	raw, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(s.document(spans))
	if err != nil {
		return nil, fmt.Errorf("encode spans: %w", err)
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, fmt.Errorf("encode spans: %w", err)
	}
	if err := hexIDs(tree); err != nil {
		return nil, fmt.Errorf("encode spans: %w", err)
	}
	return events.Marshal(tree) // which also takes out the spaces that protojson puts in at random
}

// hexIDs rewrites the ids of a document, which protobuf's mapping gives in base64.
func hexIDs(at any) error {
	switch at := at.(type) {
	case []any:
		for _, below := range at {
			if err := hexIDs(below); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, below := range at {
			text, isText := below.(string)
			if !isText || key != "traceId" && key != "spanId" && key != "parentSpanId" {
				if err := hexIDs(below); err != nil {
					return err
				}
				continue
			}
			var id []byte
			if err := json.Unmarshal([]byte(`"`+text+`"`), &id); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			at[key] = hex.EncodeToString(id)
		}
	}
	return nil
}

// sampled is the flag of a trace that is recorded.
const sampled = 1

func encode(s projections.Span) *trace.Span {
	out := &trace.Span{
		TraceId: s.Trace[:], SpanId: s.ID[:], Name: s.Name, Kind: trace.Span_SPAN_KIND_INTERNAL, Flags: sampled,
		StartTimeUnixNano: uint64(s.Start.UnixNano()), EndTimeUnixNano: uint64(s.End.UnixNano()),
		Status: &trace.Status{Code: states[s.State], Message: s.Message},
	}
	if s.Parent != [8]byte{} {
		out.ParentSpanId = s.Parent[:]
	}
	for _, a := range s.Attributes {
		out.Attributes = append(out.Attributes, attribute(a))
	}
	for _, l := range s.Links {
		out.Links = append(out.Links, &trace.Span_Link{TraceId: l.Trace[:], SpanId: l.ID[:], Flags: sampled})
	}
	for _, n := range s.Notes {
		out.Events = append(out.Events, &trace.Span_Event{Name: n.Name, TimeUnixNano: uint64(n.Time.UnixNano())})
	}
	return out
}

var states = map[string]trace.Status_StatusCode{"ok": trace.Status_STATUS_CODE_OK, "error": trace.Status_STATUS_CODE_ERROR}

func attribute(a projections.Attribute) *common.KeyValue {
	return &common.KeyValue{Key: a.Key, Value: value(a.Value)}
}

func value(v any) *common.AnyValue {
	switch v := v.(type) {
	case int64:
		return &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: v}}
	case float64:
		return &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: v}}
	case bool:
		return &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: v}}
	case []string:
		list := &common.ArrayValue{}
		for _, text := range v {
			list.Values = append(list.Values, value(text))
		}
		return &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: list}}
	}
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: fmt.Sprint(v)}}
}
