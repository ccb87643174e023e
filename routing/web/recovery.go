package web

// Failure is a call that went wrong, with what matters for what follows.
type Failure struct {
	Codes      []Code   // what it looks like; several when the signs are
	RetryAfter *float64 // seconds, when the server named a time
	Retried    bool     // the tool was retried for this target already
	Write      bool     // the call was to change something
}

// Verdict says what follows a failure. Its JSON is a contract.
type Verdict struct {
	Code       Code    `json:"code"`
	Action     string  `json:"action"` // retry, switch, takeover, block, confirm, fail or abort
	Reason     string  `json:"reason"`
	WaitS      float64 `json:"wait_s,omitempty"`       // with retry: seconds
	ToolOut    string  `json:"tool_out,omitempty"`     // with switch: for the target or the task
	StaticOut  bool    `json:"retrieve_out,omitempty"` // no other tool reads the page as it is served
	NeverRetry string  `json:"never_retry,omitempty"`  // why it is not tried again, where one might
	Status     Status  `json:"status_alone,omitempty"` // how a task of this one target would end
	Note       Note    `json:"note,omitzero"`          // what the user is told
}

// What follows a failure.
const (
	ActRetry    = "retry"
	ActSwitch   = "switch"
	ActTakeover = "takeover"
	ActBlock    = "block"
	ActConfirm  = "confirm"
	ActFail     = "fail"
	ActAbort    = "abort"
)

// writeUnknown is how a write ends that may or may not have happened.
const writeUnknown = "write_outcome_unknown"

// Recover says what follows a failure.
func Recover(f Failure) Verdict {
	row := weightiest(f.Codes)
	v := Verdict{Code: row.code, Reason: string(row.code)}
	if f.Write && (row.then == switchTool || row.then == abort) {
		return v.leaveWrite(row)
	}
	if wait, ok := row.wait(f.RetryAfter); ok && !f.Retried {
		v.Action, v.WaitS = ActRetry, wait
		return v
	}
	v.NeverRetry = row.whyNoRetry(f)
	return v.follow(row)
}

// leaveWrite ends a write: another try could do it twice, and so could another tool.
func (v Verdict) leaveWrite(row recovery) Verdict {
	v.NeverRetry = "write"
	if row.unclear {
		v.Reason = writeUnknown
	}
	v.Action, v.Status, v.Note = ActBlock, Blocked, Note{NoteBlocked, v.Reason}
	if row.then == abort {
		v.Action = ActAbort
	}
	return v
}

func (r recovery) wait(after *float64) (float64, bool) {
	switch {
	case r.retry == always && after == nil:
		return shortWait, true
	case r.retry == always:
		return *after, true
	case r.retry == whenSoon && after != nil && *after <= longWait:
		return *after, true
	}
	return 0, false
}

func (r recovery) whyNoRetry(f Failure) string {
	switch {
	case r.retry == never:
		return ""
	case f.Retried:
		return "retried_once"
	case f.RetryAfter == nil:
		return "no_retry_after"
	}
	return "wait_too_long"
}

func (v Verdict) follow(row recovery) Verdict {
	switch row.then {
	case switchTool:
		v.Action, v.ToolOut, v.StaticOut, v.Note = ActSwitch, "target", row.static, Note{NoteSwitch, v.Reason}
		if row.forTask {
			v.ToolOut = "task"
		}
	case takeOver:
		v.Action, v.Status, v.Note = ActTakeover, NeedsUser, Note{NoteTakeover, v.Reason}
	case block:
		v.Action, v.Status, v.Note = ActBlock, Blocked, Note{NoteBlocked, v.Reason}
	case confirm:
		v.Action, v.Status, v.Note = ActConfirm, NeedsConfirmation, Note{NoteAuthorisation, v.Reason}
	case fail:
		v.Action, v.Status = ActFail, Failed
	case abort:
		v.Action, v.Status = ActAbort, Failed
	}
	return v
}
