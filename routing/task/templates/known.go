package templates

import (
	"encoding/json"

	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/routing/task/modes"
)

// Known takes from what the session knows, the object that [task.ReadContext] reads, what running takes
// beside routing: the items themselves, outputs that there are already, and what a loop is measured by
// (metric, target, baseline). It refuses a value of the wrong kind with E_CONTEXT.
func (o *Order) Known(context []byte) error {
	o.Measure = modes.Measure{Metric: modes.DefaultMetric, Target: modes.DefaultTarget}
	var known struct {
		Items   json.RawMessage `json:"items"`
		Outputs json.RawMessage `json:"outputs"`
		Earlier json.RawMessage `json:"历史输出"`
		modes.Measure
	}
	known.Measure = o.Measure
	if err := json.Unmarshal(context, &known); err != nil {
		return &task.Refusal{Code: "E_CONTEXT", Message: "the context cannot be read: " + err.Error(), Hint: "see `baton task run -h`"}
	}
	if known.Metric == "" {
		known.Metric = modes.DefaultMetric
	}
	o.Measure = known.Measure
	if len(known.Items) > 0 && known.Items[0] == '[' {
		o.Items = known.Items
	}
	for _, outputs := range []json.RawMessage{known.Outputs, known.Earlier} {
		if len(outputs) > 2 && outputs[0] == '{' {
			o.Outputs = outputs
		}
	}
	return nil
}
