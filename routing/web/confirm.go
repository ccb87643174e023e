package web

import "slices"

// freely lists what may be done without being asked: it changes nothing and is shown to nobody.
var freely = []string{"download", "screenshot", "scroll", "click", "type"}

// reads lists what must be confirmed although it changes nothing, so that it may be tried again.
var reads = []string{"private_read"}

// NeedsGrant says whether an action must be confirmed at the moment it is done: upload, submit, post,
// delete, trade, pay, download_run, login, private_read, config_change, and everything that is not
// known to be harmless.
func NeedsGrant(action string) bool { return !slices.Contains(freely, action) }

// IsWrite says whether an action changes something, so that doing it twice is not doing it once.
func IsWrite(action string) bool { return NeedsGrant(action) && !slices.Contains(reads, action) }

// needed lists the actions of a request that must be confirmed.
func (r Request) needed() []string {
	var out []string
	for _, action := range r.SideEffects {
		if NeedsGrant(action) && !slices.Contains(out, action) {
			out = append(out, action)
		}
	}
	return out
}

// writes says whether acting on a target of the request changes something.
func (r Request) writes() bool { return slices.ContainsFunc(r.SideEffects, IsWrite) }

// grants are confirmations that were given and not used.
type grants map[string]int

func (g grants) add(actions []string) {
	for _, action := range actions {
		g[action]++
	}
}

// missing gives the first action that nobody confirmed.
func (g grants) missing(actions []string) (string, bool) {
	for _, action := range actions {
		if g[action] == 0 {
			return action, true
		}
	}
	return "", false
}

// use takes one confirmation of each.
func (g grants) use(actions []string) {
	for _, action := range actions {
		g[action]--
	}
}
