//go:build !unix

package bench

import "time"

// cpuUsed is not known here.
func cpuUsed() time.Duration { return 0 }
