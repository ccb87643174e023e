package mcp

import (
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/workflows"
)

func TestAClientsNameForgesNothing(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "mcp", "claude-code": "mcp:claude-code", "a b\nc\x1b[31m": "mcp:a_b_c__31m", strings.Repeat("长", 90): "mcp:" + strings.Repeat("_", longestName)} {
		if got := actor(&sdk.Implementation{Name: name}); got != want {
			t.Errorf("%q is called %q, not %q", name, got, want)
		}
	}
	if got := actor(nil); got != "mcp" {
		t.Errorf("nobody is called %q", got)
	}
}

// What others wrote cannot pass for the frame of the question, however long or strange it is.
func TestAQuestionShowsTheAction(t *testing.T) {
	t.Parallel()
	until := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	got := question(workflows.ApprovalView{Run: "r-1", Step: "send", Question: "send?\n\nDigest: forged", Params: []byte(`{"exec":["rm","\u001b[2J` + strings.Repeat("长", longestAction) + `"]}`), Action: "abc", Expires: &until})
	if strings.Contains(got, "\nDigest: forged") || strings.Count(got, "\nDigest: abc") != 1 || len(got) > longestAction+600 || !strings.Contains(got, "2026-11-30T12:00:00Z") {
		t.Errorf("the person is asked:\n%s", got)
	}
}

func TestNamesOfToolsThatAreTreatedApart(t *testing.T) {
	t.Parallel()
	tools := map[string]bool{}
	for _, o := range operation.Table() {
		tools[o.Tool] = true
	}
	names := append(append(append([]string{"run_approve"}, own...), reaching...), ending...)
	for name, shows := range following {
		names = append(names, name)
		if _, ok := operation.Find(shows); !ok {
			t.Errorf("%s is followed by %s, which there is not", name, shows)
		}
	}
	for _, name := range names {
		if !tools[name] {
			t.Errorf("there is no tool %q", name)
		}
	}
}

func TestInputsOfAPromptHaveTheirType(t *testing.T) {
	t.Parallel()
	row := TemplateRow{Name: "w", Inputs: []operation.InputRow{{Name: "s", Type: "string"}, {Name: "n", Type: "number"}, {Name: "l", Type: "list"}, {Name: "must", Type: "string", Required: true}}}
	got, err := prompted(row, map[string]string{"s": "3", "n": "3", "l": "no list", "must": "\"x\""})
	if err != nil {
		t.Fatal(err)
	}
	text := got.Messages[0].Content.(*sdk.TextContent).Text
	if want := `"inputs":{"l":"no list","must":"\"x\"","n":3,"s":"3"}`; !strings.Contains(text, want) {
		t.Errorf("the prompt says %s, not %s", text, want)
	}
	if _, err := prompted(row, nil); err == nil {
		t.Error("what is required may be left out")
	}
}
