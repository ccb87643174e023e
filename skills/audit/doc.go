// Package audit reads a skill's files and says what in them a person should see before it is
// installed: text that instructs its reader against the user, and code that downloads, hides,
// destroys, steals or stays.
//
// It is a coarse sieve and no proof. What it has found is worth a look; what it has not found proves
// nothing, which is why no report ever calls a skill harmless. The rules are data (rules.yaml and
// secrets.yaml), each with texts that it must and must not find. Text is read as a reader would take
// it: folded to one case and one script, without invisible characters, joined over lines and comment
// marks, decoded where it was encoded; code also with its constants put in place.
//
// Context counts: what a document quotes as an example of an attack is a lower matter than the same
// words said to the reader, and what stands in a document is no script.
//
// The package is pure: bytes in, a report out, the same report for the same bytes.
package audit

// Level says how bad a finding is.
type Level string

// The levels, the worst first.
const (
	High   Level = "high"
	Medium Level = "medium"
	Low    Level = "low"
	None   Level = "none" // of a report without findings
)

// rank orders levels: the worse, the higher. Anything else than a level is 0.
func (l Level) rank() int {
	switch l {
	case High:
		return 3
	case Medium:
		return 2
	case Low:
		return 1
	}
	return 0
}

// AtLeast says whether the level is as bad as another one or worse.
func (l Level) AtLeast(other Level) bool { return l.rank() >= other.rank() }

// Valid says whether the level is one that a finding can have.
func (l Level) Valid() bool { return l.rank() > 0 }

// Verdict says what follows from a report.
type Verdict string

// The verdicts.
const (
	P0 Verdict = "P0" // a person must confirm, always
	P1 Verdict = "P1" // a person is asked unless told otherwise
	P2 Verdict = "P2" // nothing stands against it
)

// File is one file of a skill. Path is relative to the skill's folder, with slashes.
type File struct {
	Path string
	Data []byte
	Link bool // a link, or anything else that is neither file nor folder; it has no data
}

// About is what a skill says of itself, for the rules that compare it with what it does.
type About struct {
	Name         string
	Description  string
	AllowedTools []string
	Known        []string // names of skills that a look-alike may be after, beside the embedded ones
}

// Finding is one thing that a rule has found.
type Finding struct {
	Rule    string `json:"rule"`
	Kind    string `json:"kind"`
	Level   Level  `json:"level"`
	File    string `json:"file"`
	Line    int    `json:"line"`    // from 1; 0 when it is about the whole file
	Excerpt string `json:"excerpt"` // at most 200 characters; of a secret its beginning only
	Note    string `json:"note"`
}

// Report is what an audit found, in an order that depends on nothing but the files.
type Report struct {
	Risk     Level     `json:"risk"`
	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"`
	Files    []string  `json:"files"`    // that were read
	Hosts    []string  `json:"hosts"`    // that are named anywhere
	Commands []string  `json:"commands"` // that scripts and code blocks call
}

// AtLeast gives the report with only the findings of a level and worse; risk and verdict stay.
func (r Report) AtLeast(min Level) Report {
	kept := []Finding{}
	for _, f := range r.Findings {
		if f.Level.AtLeast(min) {
			kept = append(kept, f)
		}
	}
	r.Findings = kept
	return r
}

// verdictOf says what follows from the worst level.
func verdictOf(risk Level) Verdict {
	switch risk {
	case High:
		return P0
	case Medium:
		return P1
	}
	return P2
}
