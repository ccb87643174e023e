// Package web decides how a task on the web is served: which of a host's tools is called for which
// target, what follows when a call fails, and where a person has to step in.
//
// A [Task] is a machine that is told outcomes and hands out calls; it makes none itself. So the same
// machine drives real tools, is replayed from a log, and shows in a dry run ([Rehearse]) what would
// happen if the calls went so. Whatever the outcomes: a forbidden tool is never called, a tool is
// retried at most once for a target, a write is neither retried nor moved to another tool, at most
// three calls are in flight, login walls and CAPTCHAs go to the user, and every task ends.
//
// The package is pure: the same request, host and outcomes in the same order give the same trace to
// the byte. What a page says is data: only addresses that the router itself accepts become targets,
// and nothing that was fetched can change the request.
package web
