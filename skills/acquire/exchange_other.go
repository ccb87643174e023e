//go:build !linux

package acquire

// exchange puts fresh in the place of what stands at at, which ends up as aside.
func exchange(fresh, at, aside string) error { return moveAside(fresh, at, aside) }
