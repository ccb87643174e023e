package events

// ScheduleSet says that a template is to be run at the times that a cron line gives. Setting a schedule
// that is there replaces it.
type ScheduleSet struct {
	mark
	Schedule  string            `json:"schedule"`
	Cron      string            `json:"cron"`    // five fields
	Zone      string            `json:"zone"`    // IANA name of the time zone that the fields are in
	Overlap   string            `json:"overlap"` // skip, queue, allow: when the run before has not ended
	Name      string            `json:"name"`    // of the template
	Text      string            `json:"text"`    // the template, whole
	SHA256    string            `json:"sha256"`  // of the text
	Workspace string            `json:"workspace"`
	Folder    string            `json:"folder"`
	Path      string            `json:"path,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Templates map[string]Source `json:"templates,omitempty"`
	Inputs    map[string]Value  `json:"inputs,omitempty"`
	By        string            `json:"by,omitempty"`
	Next      string            `json:"next"` // RFC 3339, the first time
}

// ScheduleFired says that the run for one time was started. Its ids follow from the schedule and the
// time, so that starting it twice starts one run.
type ScheduleFired struct {
	mark
	Schedule string `json:"schedule"`
	At       string `json:"at"` // RFC 3339, the time that it is for
	Run      string `json:"run"`
	Session  string `json:"session"`
	Next     string `json:"next"`
}

// ScheduleSkipped says that no run was started for one time, and why.
type ScheduleSkipped struct {
	mark
	Schedule string `json:"schedule"`
	At       string `json:"at"`
	Code     string `json:"code"` // overlap, or that of the refusal
	Reason   string `json:"reason"`
	Next     string `json:"next"`
}

// ScheduleQueued says that the run for one time waits for the end of the one before.
type ScheduleQueued struct {
	mark
	Schedule string `json:"schedule"`
	At       string `json:"at"`
	Next     string `json:"next"`
}

// SchedulePaused says that nothing is started until the schedule is resumed.
type SchedulePaused struct {
	mark
	Schedule string `json:"schedule"`
	By       string `json:"by,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// ScheduleResumed says that runs are started again; what the pause has passed over stays so.
type ScheduleResumed struct {
	mark
	Schedule string `json:"schedule"`
	By       string `json:"by,omitempty"`
	Next     string `json:"next"`
}

// ScheduleRemoved says that the schedule is no more. What it started goes on.
type ScheduleRemoved struct {
	mark
	Schedule string `json:"schedule"`
	By       string `json:"by,omitempty"`
}
