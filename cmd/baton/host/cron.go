package host

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/batonflow/baton/sessions"
)

// cronFields are minute, hour, day of the month, month, day of the week, and words like @daily.
const cronFields = cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor

// anyHour is how the parser marks an hour field that is *.
const anyHour = 1 << 63

// nextByCron gives the first time after another that a cron line names in a time zone.
//
// When clocks are put forward, a line with an hour in the gap takes place an hour later; when they are
// put back, it takes place once. A line for every hour goes by the time that passes.
func nextByCron(line, zone string, after time.Time) (time.Time, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		return time.Time{}, sessions.Refuse(sessions.Usage, "bad_zone", "use a name like Europe/Berlin, Asia/Shanghai or UTC", "this machine knows no time zone %q", zone)
	}
	if strings.Contains(line, "=") { // a zone within the line, of which some upset the parser
		return time.Time{}, badCron(line, "the zone is given apart, with --tz")
	}
	schedule, err := cron.NewParser(cronFields).Parse(line)
	if err != nil {
		return time.Time{}, badCron(line, err.Error())
	}
	spec, ok := schedule.(*cron.SpecSchedule)
	if !ok { // @every
		return time.Time{}, badCron(line, "it is no line of five fields")
	}
	next := nextOf(*spec, after.In(loc))
	if next.IsZero() {
		return time.Time{}, badCron(line, "there is no such time in the next five years")
	}
	return next.UTC(), nil
}

func badCron(line, why string) error {
	return sessions.Refuse(sessions.Usage, "bad_cron", "give minute, hour, day, month, weekday, like \"0 9 * * 1-5\"", "%q cannot be used: %s", line, why)
}

func nextOf(spec cron.SpecSchedule, after time.Time) time.Time {
	if spec.Hour&anyHour != 0 {
		spec.Location = after.Location()
		return spec.Next(after)
	}
	// A line with hours goes by the clock on the wall, which is looked up as if it never changed.
	spec.Location = time.UTC
	wall := time.Date(after.Year(), after.Month(), after.Day(), after.Hour(), after.Minute(), after.Second(), after.Nanosecond(), time.UTC)
	for {
		if wall = spec.Next(wall); wall.IsZero() {
			return wall
		}
		if next := onTheWall(wall, after.Location()); next.After(after) {
			return next
		}
	}
}

// onTheWall is when clocks show what wall shows; the first time, where they show it twice.
func onTheWall(wall time.Time, loc *time.Location) time.Time {
	next := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, loc)
	if earlier := next.Add(-time.Hour); earlier.Hour() == next.Hour() && earlier.Minute() == next.Minute() {
		return earlier
	}
	return next
}
