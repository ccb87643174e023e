package timeline

import (
	"strconv"
	"strings"
	"time"
)

// Tick is a mark on the time axis.
type Tick struct {
	At    time.Duration // since the axis begins
	Label string
}

// steps are the distances that ticks may have.
var distances = []time.Duration{
	time.Microsecond * 100, time.Microsecond * 200, time.Microsecond * 500,
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 2 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 28 * 24 * time.Hour,
}

// Ticks are round times from one offset to another, at most so many.
func Ticks(from, to time.Duration, most int) []Tick {
	if to <= from || most < 1 {
		return nil
	}
	step := (to - from) / time.Duration(most)
	for _, d := range distances {
		if d >= step {
			step = d
			break
		}
	}
	var out []Tick
	first := (from + step - 1) / step * step
	for at := first; at <= to && len(out) <= most; at += step {
		out = append(out, Tick{at, Short(at)})
	}
	return out
}

// Short writes a duration in as few characters as tell it: "850ms", "1.4s", "2m 05s", "3h 20m".
func Short(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	switch {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return sign + decimal(float64(d)/float64(time.Millisecond), 2) + "ms"
	case d < 10*time.Millisecond:
		return sign + decimal(float64(d)/float64(time.Millisecond), 1) + "ms"
	case d < time.Second:
		return sign + decimal(float64(d)/float64(time.Millisecond), 0) + "ms"
	case d < 10*time.Second:
		return sign + decimal(d.Seconds(), 2) + "s"
	case d < time.Minute:
		return sign + decimal(d.Seconds(), 1) + "s"
	case d < time.Hour:
		return sign + pair(d, time.Minute, time.Second, "m", "s")
	case d < 48*time.Hour:
		return sign + pair(d, time.Hour, time.Minute, "h", "m")
	}
	return sign + pair(d, 24*time.Hour, time.Hour, "d", "h")
}

func decimal(x float64, places int) string {
	text := strconv.FormatFloat(x, 'f', places, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func pair(d, big, small time.Duration, bigName, smallName string) string {
	whole, rest := d/big, d%big/small
	text := strconv.FormatInt(int64(whole), 10) + bigName
	if rest == 0 {
		return text
	}
	if rest < 10 {
		return text + " 0" + strconv.FormatInt(int64(rest), 10) + smallName
	}
	return text + " " + strconv.FormatInt(int64(rest), 10) + smallName
}
