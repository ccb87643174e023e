package events

// FeedbackGiven says that a skill served a request, or did not. The text of the request is never in
// the log: it stands in the payload store, from where clearing feedback deletes it.
type FeedbackGiven struct {
	mark
	Feedback string   `json:"feedback"` // numbered within its session, or within the line "feedback"
	Text     Value    `json:"text"`     // {"task", "of"}, always stored apart; "of" makes it unique
	Chosen   string   `json:"chosen,omitempty"`
	Excluded []string `json:"excluded,omitempty"`
	Weight   float64  `json:"weight"`          // above 0, at most 1
	Source   string   `json:"source"`          // person, confirmed, overruled, closed or imported
	Route    string   `json:"route,omitempty"` // the decision that it is about
	Call     string   `json:"call,omitempty"`  // the call that showed it
}

// FeedbackCleared says that everything learned before is to be forgotten, in all sessions.
type FeedbackCleared struct {
	mark
	Count int `json:"count"` // how much that was
}

// Lesson is past feedback that bore on a decision. The text it speaks of may have been deleted since.
type Lesson struct {
	Text     string   `json:"text"` // SHA-256 of the feedback's text
	Chosen   string   `json:"chosen,omitempty"`
	Excluded []string `json:"excluded,omitempty"`
	Weight   float64  `json:"weight"`
	Alike    float64  `json:"alike"` // how much the two requests are the same, 0 to 1
	Near     float64  `json:"near"`  // how much they are about the same, 0 to 1
}
