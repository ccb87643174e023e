package skill

import (
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/sentinel"
	"github.com/batonflow/baton/routing/words"
)

// Modes of a session: who picks.
const (
	ModeAuto   = "auto"
	ModeAlways = "always"
	ModeManual = "manual"
)

// Outcomes of a decision.
const (
	Auto      = "auto"
	Confirm   = "confirm"
	Decompose = "decompose"
	NoMatch   = "no_match"
	Blocked   = "blocked"
)

// Defaults, and the bounds of the decision table.
const (
	DefaultThreshold = 1.2
	DefaultMargin    = 1.3
	DefaultTop       = 5
	weakScore        = 0.5
	siblingLead      = 1.6
	noRival          = 99.0 // the lead of a skill that is alone
)

// Request is a task to be routed. The zero value of every field but Task means the default.
type Request struct {
	Task            string
	Mode            string            // auto, always or manual; empty is auto
	Threshold       float64           // least score for auto; 0 is 1.2
	Margin          float64           // least lead over the second for auto; 0 is 1.3
	Top             int               // candidates shown; 0 is 5; never changes the decision
	Exclude         []string          // names, bare or full, letter case ignored
	Parallel        bool              // plan all sub-tasks side by side, whatever they need
	Guard           bool              // also check capability and keys
	HighRiskConfirm bool              // every high-risk action is confirmed
	Explain         bool              // give the parts of each score
	Env             map[string]string // variables that are set, for Guard
	Lessons         []Recalled        // what [Memory.Recall] gives for the task
	Verdict         Verdict           // what a judge said to the question that [Router.Ask] gives
}

// Candidate is a skill that was weighed. Its JSON is a contract.
type Candidate struct {
	Name        string     `json:"name"` // the full name where a better one has the bare name
	Tier        string     `json:"tier"`
	Score       float64    `json:"score"`
	Path        string     `json:"path"`
	Description string     `json:"description"`
	Why         []string   `json:"why"`
	Breakdown   *Breakdown `json:"score_breakdown,omitempty"`
}

// PlanTask is one sub-task of a request that has several.
type PlanTask struct {
	Type            string   `json:"type"`
	Target          string   `json:"target"`
	SuggestedSkills []string `json:"suggested_skills"`
}

// Decision says which skill serves a task, or why none does by itself. Its JSON is a contract.
type Decision struct {
	Decision       string            `json:"decision"`
	Reason         string            `json:"reason"`
	Chosen         *Candidate        `json:"chosen"`
	Candidates     []Candidate       `json:"candidates"`
	Intent         intent.Intent     `json:"intent"`
	MultiIntent    bool              `json:"multi_intent"`
	SubTaskPlan    []PlanTask        `json:"sub_task_plan"` // null for a single task
	Parallelizable bool              `json:"parallelizable"`
	ParallelGroups [][]string        `json:"parallel_groups"`
	Parallel       bool              `json:"parallel_enabled"`
	Warnings       []string          `json:"warnings"`
	HighRisk       string            `json:"high_risk,omitempty"` // the word that makes it so
	Confidence     float64           `json:"confidence"`          // in the first candidate that may be chosen, 0 to 1
	Hint           string            `json:"hint,omitempty"`
	Missing        []string          `json:"missing,omitempty"` // what was missing for auto
	Sentinel       *sentinel.Verdict `json:"sentinel,omitempty"`
	Judged         bool              `json:"-"` // what a judge said was heard
}

// Router decides. Make one with [New] and keep it as long as the index is the same: it is immutable
// and safe for concurrent use, and the same request always gets the same decision.
type Router struct {
	searcher *Searcher
	intent   intent.Reader
	sentinel sentinel.Sentinel

	confirmHighRisk bool
}

// Decide routes a task.
func (r *Router) Decide(req Request) Decision {
	req = req.defaults()
	d := Decision{Candidates: []Candidate{}, Warnings: []string{}, Intent: r.intent.Parse(req.Task)}
	r.plan(req, &d)
	verdict := r.check(req, d.Intent)
	d.Warnings = append(d.Warnings, verdict.Warnings...)
	if !verdict.Proceed {
		d.Decision, d.Reason, d.Hint, d.Sentinel = Blocked, verdict.Reason, verdict.Suggestion, &verdict
		return d
	}
	f := r.searcher.weigh(req)
	d.Candidates = f.candidates
	f.multi = len(d.Intent.SubTasks) > 1
	r.decide(req, f, &d)
	r.heed(req, &d)
	return d
}

func (req Request) defaults() Request {
	if req.Mode == "" {
		req.Mode = ModeAuto
	}
	if req.Threshold == 0 {
		req.Threshold = DefaultThreshold
	}
	if req.Margin == 0 {
		req.Margin = DefaultMargin
	}
	if req.Top <= 0 {
		req.Top = DefaultTop
	}
	return req
}

func (r *Router) plan(req Request, d *Decision) {
	d.Parallelizable, d.ParallelGroups = d.Intent.Parallelizable, d.Intent.ParallelGroups
	d.Parallel = req.Parallel
	if req.Parallel && len(d.Intent.SubTasks) > 0 {
		d.Parallelizable = true
		d.ParallelGroups = [][]string{d.Intent.Types()}
	}
	if d.MultiIntent = len(d.Intent.SubTasks) > 1; !d.MultiIntent {
		return
	}
	for _, t := range d.Intent.SubTasks {
		d.SubTaskPlan = append(d.SubTaskPlan, PlanTask{Type: t.Type, Target: t.Target, SuggestedSkills: r.intent.Suggested(t.Type)})
	}
}

func (r *Router) check(req Request, in intent.Intent) sentinel.Verdict {
	check := sentinel.Request{Text: req.Task, Env: req.Env, Soft: req.Guard}
	if req.Guard {
		check.Types = in.Types()
		for _, s := range r.searcher.skills {
			check.Skills = append(check.Skills, s.Name)
		}
	}
	return r.sentinel.Check(check)
}

// decide goes through the decision table; the first line that fits is the decision.
func (r *Router) decide(req Request, f finding, d *Decision) {
	own := ""
	if f.top != nil {
		own = words.Fold(f.top.skill.Name + " . " + f.top.skill.Description + " . " + strings.Join(f.top.skill.Tags, " . "))
	}
	word, covered := risk(f.query, own)
	d.HighRisk = word
	if word != "" {
		d.Hint = fmt.Sprintf("%q cannot be taken back; use --mode manual to pick the skill yourself", word)
	}
	d.Missing, d.Confidence = f.missing(req), f.confidence
	choose := func(reason string) {
		chosen := f.top.show(req.Explain)
		d.Decision, d.Reason, d.Chosen, d.Missing = Auto, reason, &chosen, nil
	}
	answer := func(decision, reason string) { d.Decision, d.Reason = decision, reason }
	switch {
	case req.Mode == ModeAlways && f.top != nil:
		choose("mode always takes the first candidate")
	case f.siblings && f.named == nil && f.lead < siblingLead:
		answer(Confirm, fmt.Sprintf("[SIBLING] %s and %s are of one family and the lead of %.2f is under %.1f", f.top.candidate.Name, f.second.candidate.Name, f.lead, siblingLead))
	case f.multi:
		answer(Decompose, fmt.Sprintf("the task has %d parts (%s); route each by itself", len(d.Intent.SubTasks), strings.Join(d.Intent.Types(), ", ")))
	case f.weak():
		f.none(req, d)
	case word != "" && (req.HighRiskConfirm || r.confirmHighRisk || !covered):
		answer(Confirm, fmt.Sprintf("%q is a high-risk action and %s", word, map[bool]string{true: "those are always confirmed here", false: "the text of " + f.top.candidate.Name + " does not name it"}[covered]))
	case req.Mode == ModeManual:
		answer(Confirm, "mode manual: the skill is picked by hand")
	case f.named != nil:
		choose(f.top.candidate.Name + " is named in the task")
	case f.top.candidate.Score >= req.Threshold && f.lead >= f.margin(req) && f.confidence >= autoConfidence:
		choose(f.clear(req))
	default:
		answer(Confirm, strings.Join(d.Missing, "; "))
	}
}

// clear says why the first candidate is chosen.
func (f finding) clear(req Request) string {
	if f.second == nil {
		return fmt.Sprintf("%s has a score of %.2f (at least %.2f is needed) and no rival", f.top.candidate.Name, f.top.candidate.Score, req.Threshold)
	}
	return fmt.Sprintf("%s has a score of %.2f (at least %.2f is needed) and leads %s by a factor of %.2f (at least %.2f is needed)",
		f.top.candidate.Name, f.top.candidate.Score, req.Threshold, f.second.candidate.Name, f.lead, f.margin(req))
}

// none answers when nothing that may be chosen fits: a good match that may not be chosen is put
// before a person.
func (f finding) none(req Request, d *Decision) {
	if f.barred != nil && confidence(f.barred.candidate.Score, 0, *f.barred.candidate.Breakdown) >= weakConfidence && f.barred.candidate.Score >= weakScore {
		d.Decision = Confirm
		d.Reason = fmt.Sprintf("%s fits best but %s", f.barred.candidate.Name, f.barred.bar)
		return
	}
	d.Decision = NoMatch
	if d.Hint == "" {
		d.Hint = "no installed skill fits; look for one with: baton acquire run --query ..."
	}
	d.Reason = "no installed skill matches the task"
	if f.top != nil {
		d.Reason = fmt.Sprintf("the best match, %s, is weak: a score of %.2f, %.0f %% of the task explained, a confidence of %.2f (at least %.2f is needed)", f.top.candidate.Name, f.top.candidate.Score, 100*f.top.share, f.confidence, weakConfidence)
	}
	if len(req.Exclude) > 0 {
		d.Reason += "; excluded: " + strings.Join(slices.Sorted(slices.Values(req.Exclude)), ", ")
	}
}
