package modes

import (
	"fmt"

	"github.com/batonflow/baton/routing/task"
)

// The codes of refusals.
const (
	codeOver          = "E_RUN_OVER"
	codeOutcome       = "E_OUTCOME"
	codeLoopEvent     = "E_LOOP_EVENT"
	codeReviewDue     = "E_REVIEW_DUE"
	codePivotEarly    = "E_PIVOT_TOO_EARLY"
	codeOuterExecuted = "E_OUTER_EXECUTED"
	codeInnerPlanned  = "E_INNER_CHANGED_PLAN"
)

func refuse(code, hint, format string, args ...any) *task.Refusal {
	return &task.Refusal{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}
