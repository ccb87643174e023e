package otel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
)

// keys are those of the pinned conventions that spans may use: a name that changes does not compile.
var keys = []attribute.Key{
	semconv.ErrorTypeKey, semconv.GenAIAgentNameKey, semconv.GenAIConversationIDKey, semconv.GenAIOperationNameKey, semconv.GenAIToolCallArgumentsKey,
	semconv.GenAIToolCallIDKey, semconv.GenAIToolCallResultKey, semconv.GenAIToolNameKey, semconv.GenAIToolTypeKey, semconv.GenAIWorkflowNameKey,
}

var operations = []string{
	semconv.GenAIOperationNameInvokeWorkflow.Value.AsString(), semconv.GenAIOperationNameInvokeAgent.Value.AsString(), semconv.GenAIOperationNameExecuteTool.Value.AsString(),
	"plan",        // of semantic-conventions-genai, where they have moved to
	"skill.route", // ours
}

// TestNamesAreThoseOfTheConventions reads the one file of names.
func TestNamesAreThoseOfTheConventions(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../projections/spans_names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		name := spec.Names[0].Name
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case name == "Conventions" && text != semconv.SchemaURL:
			t.Errorf("%s is %s, not %s", name, text, semconv.SchemaURL)
		case strings.HasPrefix(name, "op") && !slices.Contains(operations, text):
			t.Errorf("%s: there is no operation %q", name, text)
		case strings.HasPrefix(text, "gen_ai.") || strings.HasPrefix(text, "error."):
			if seen++; !slices.Contains(keys, attribute.Key(text)) {
				t.Errorf("%s: there is no attribute %q", name, text)
			}
		}
		return true
	})
	if seen != len(keys) {
		t.Errorf("%d names of the conventions were found, %d are expected", seen, len(keys))
	}
}
