package stream

import (
	"fmt"
	"strings"
	"time"
)

// The classes of durability: when a commit counts as recorded.
const (
	Group      = "group"      // once a flush that is shared with whoever else waits has covered it
	Always     = "always"     // once the server has flushed it by itself
	Interval   = "interval"   // once it is in the page cache, which is flushed every so often
	Replicated = "replicated" // once a majority of the nodes has it
)

// Durability is the class that a log is kept with. The zero value is Group.
type Durability struct {
	Class string
	Every time.Duration // between two flushes of Interval
}

const (
	shortestInterval = 10 * time.Millisecond
	longestInterval  = time.Hour
)

// ParseDurability reads group, always or interval=D.
func ParseDurability(text string) (Durability, error) {
	switch text {
	case Group, Always:
		return Durability{Class: text}, nil
	}
	if every, ok := strings.CutPrefix(text, Interval+"="); ok {
		d, err := time.ParseDuration(every)
		if err == nil && d >= shortestInterval && d <= longestInterval {
			return Durability{Interval, d}, nil
		}
	}
	return Durability{}, fmt.Errorf("durability %q is none of group, always and interval=D with D from %s to %s", text, shortestInterval, longestInterval)
}

func (d Durability) String() string {
	switch d.Class {
	case "":
		return Group
	case Interval:
		return Interval + "=" + short(d.Every)
	}
	return d.Class
}

// short leaves out the minutes and seconds of nothing that a duration is written with.
func short(d time.Duration) string {
	s := d.String()
	for _, nothing := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, nothing) {
			s = s[:len(s)-2]
		}
	}
	return s
}
