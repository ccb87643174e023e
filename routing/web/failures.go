package web

import (
	"slices"
	"strconv"
	"strings"
)

// Code says what kind of failure a call met.
type Code string

// OK is the result of a call that brought something.
const OK = "ok"

// SkeletonOnly is the failure of a target whose page came without its content.
const SkeletonOnly = "skeleton_only"

// Unknown stands for every code that is not in the table.
const Unknown Code = "unknown"

// followUp says what a failure leads to when it is not retried.
type followUp int

const (
	switchTool followUp = iota // another tool takes the target
	takeOver                   // the user does what a machine may not
	block                      // the target is left alone
	fail                       // there is nothing to be had at the target
	confirm                    // the user is asked whether it may be done
	abort                      // the task is over
)

// retrying says when the same tool tries once more.
type retrying int

const (
	never    retrying = iota
	always            // after a second, or when the server said
	whenSoon          // only if the server named a time, and a near one
)

// recovery is a row of the table.
type recovery struct {
	code     Code
	retry    retrying
	then     followUp
	static   bool // reading the page as it is served is out for the target
	forTask  bool // the tool is out for the rest of the task, not only for the target
	unclear  bool // a write may have happened
	statuses []int
}

const (
	shortWait = 1.0  // seconds before a retry, when the server names none
	longWait  = 30.0 // seconds; a limit that lasts longer is not waited for
)

// recoveries is the table, in the order that decides when a failure looks like several: what must
// stop a machine comes before what it may try again.
var recoveries = []recovery{
	{code: "captcha", then: takeOver},
	{code: "security_block", then: block},
	{code: "login_required", then: takeOver, statuses: []int{401}},
	{code: "paywall", then: block, statuses: []int{402}},
	{code: "legal_block", then: block, statuses: []int{451}},
	{code: "permission_denied", then: block, statuses: []int{403}},
	{code: "rate_limited", retry: whenSoon, statuses: []int{429}},
	{code: "not_found", then: fail, statuses: []int{404, 410}},
	{code: "timeout", retry: always, unclear: true, statuses: []int{408}},
	{code: "connection_reset", retry: always, unclear: true},
	{code: "dns_temporary", retry: always, unclear: true},
	{code: "http_5xx", retry: always, unclear: true},
	{code: "empty_shell", static: true, unclear: true},
	{code: "dynamic_content", static: true, unclear: true},
	{code: "parse_failed", static: true, unclear: true},
	{code: "confirmation_missing", then: confirm},
	{code: "cancelled", then: abort, unclear: true},
	{code: "invalid_url", then: fail},
	{code: "search_unconfigured", forTask: true},
	{code: "tool_missing", forTask: true},
	{code: "unsupported_command"},
	{code: "empty_results", unclear: true},
	{code: Unknown, unclear: true},
}

// Codes lists the known failures, the one that counts before others first.
func Codes() []Code {
	codes := make([]Code, len(recoveries))
	for i, r := range recoveries {
		codes[i] = r.code
	}
	return codes
}

// StatusCode gives the failure that an HTTP status stands for; [Unknown] for one that is none.
func StatusCode(status int) Code {
	for _, r := range recoveries {
		if slices.Contains(r.statuses, status) {
			return r.code
		}
	}
	if 500 <= status && status <= 599 {
		return "http_5xx"
	}
	return Unknown
}

// ReadCode reads a failure as people write it: a code, an HTTP status, or http_ with a status.
func ReadCode(text string) Code {
	text = strings.ToLower(strings.TrimSpace(text))
	if status, err := strconv.Atoi(strings.TrimPrefix(text, "http_")); err == nil {
		return StatusCode(status)
	}
	return rowOf(Code(text)).code
}

func rowOf(code Code) recovery {
	at := slices.IndexFunc(recoveries, func(r recovery) bool { return r.code == code })
	if at < 0 {
		at = len(recoveries) - 1
	}
	return recoveries[at]
}

// weightiest gives the row of the failure that counts among several.
func weightiest(codes []Code) recovery {
	for _, r := range recoveries {
		if slices.Contains(codes, r.code) {
			return r
		}
	}
	return rowOf(Unknown)
}
