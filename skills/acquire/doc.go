// Package acquire brings a skill from outside into an installation: find, fetch, unpack, audit,
// install, register, and back again: verify, remove.
//
// Each is a function of its own that an acquisition's run calls as a step; the engine gives resuming,
// tracing, cancelling and approvals. A step trusts nothing that could have been changed since the one
// before it: what is downloaded is held against the digest pinned in trust.yaml, what is unpacked
// against the package, what is installed against both, and a person's consent is read from the log.
// A digest is never taken from the network.
//
// Files are written below the installation's own folder only, through os.Root. What a step makes has
// the run in its name, so two acquisitions never share anything, and whoever gives one up removes
// exactly what it made.
package acquire
