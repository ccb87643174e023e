package projections

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/routing/task/modes"
)

// pipelineTrace is pipeline_trace.json: the seed's fields, and what else a reader asks for.
type pipelineTrace struct {
	Session  string              `json:"session_id"`
	Query    string              `json:"query"`
	Mode     string              `json:"mode"` // standard, parallel
	Chain    []string            `json:"chain"`
	Atoms    map[string]atom     `json:"atoms"`
	Cycles   int                 `json:"cycles"`
	Parallel bool                `json:"parallel"`
	Status   string              `json:"status"` // running, completed, failed, partial
	Routing  any                 `json:"routing"`
	Short    *modes.ShortCircuit `json:"short_circuit,omitempty"`
	Loop     *loopState          `json:"loop_state,omitempty"`
	Genes    json.RawMessage     `json:"gene_activation,omitempty"`
	Children []delegation        `json:"delegations,omitempty"`
	Steps    map[string]atom     `json:"steps,omitempty"` // of a task, whose atoms stand for several
	Runs     []*pipelineRun      `json:"runs"`
	Sequence uint64              `json:"sequence"` // the last commit about a run
}

// atom is a step in pipeline_trace.json.
type atom struct {
	Skill     string                     `json:"skill,omitempty"`
	Run       string                     `json:"run"`
	Call      string                     `json:"call_id,omitempty"`
	Input     map[string]json.RawMessage `json:"input,omitempty"`
	Reads     []events.Read              `json:"reads,omitempty"`
	File      string                     `json:"output_file,omitempty"`
	Files     []string                   `json:"output_files,omitempty"` // of an atom that was used several times
	Check     *task.Check                `json:"check,omitempty"`
	Status    string                     `json:"status"` // running, completed, failed, skipped
	Attempts  int                        `json:"attempts"`
	Items     *items                     `json:"items,omitempty"` // of a step that goes through a list
	StartedAt time.Time                  `json:"started_at,omitzero"`
	EndedAt   time.Time                  `json:"completed_at,omitzero"`
	SHA256    string                     `json:"sha256,omitempty"` // of the output file
	Error     *events.Failure            `json:"error,omitempty"`
	Reason    string                     `json:"reason,omitempty"` // why it was skipped
}

// stepFile is the file of one closing of a step. It never changes once it is there.
type stepFile struct {
	Session   string                     `json:"session_id"`
	Run       string                     `json:"run"`
	Step      string                     `json:"step"`
	Call      string                     `json:"call_id,omitempty"` // none for a list, which has one an item
	Skill     string                     `json:"skill,omitempty"`
	Attempt   int                        `json:"attempt"`
	Status    string                     `json:"status"` // ok, partial, failed, skipped
	Value     json.RawMessage            `json:"value,omitempty"`
	Outputs   map[string]json.RawMessage `json:"outputs,omitempty"`
	Artifacts []string                   `json:"artifacts,omitempty"`
	Note      string                     `json:"note,omitempty"`
	Usage     json.RawMessage            `json:"usage,omitempty"`
	Items     *items                     `json:"items,omitempty"`
	Check     *task.Check                `json:"check,omitempty"` // of a child: how it went about its work
	StartedAt time.Time                  `json:"started_at,omitzero"`
	EndedAt   time.Time                  `json:"completed_at"`

	name string
	hash string // of the bytes, once rendered
}

func newStepFile(session, name string, s *pipelineStep, d events.CallClosed) *stepFile {
	f := &stepFile{
		Session: session, Run: s.run, Step: s.step, Call: d.Call, Skill: s.skill, Attempt: d.Attempt, Status: d.Status,
		Value: plain(d.Value), Outputs: plains(d.Outputs), Artifacts: d.Artifacts, Note: d.Note, Usage: sound(d.Usage),
		StartedAt: s.began(), EndedAt: s.ended, name: name,
	}
	if s.items != nil {
		counts := *s.items
		f.Items = &counts
	}
	return f
}

// began is the first start, or the opening of a step that nobody started.
func (s *pipelineStep) began() time.Time {
	if s.started.IsZero() {
		return s.opened
	}
	return s.started
}

// Files renders every file of the session by its name below outputs/<session>/. The same log gives
// the same bytes, however it was folded.
func (p *Pipeline) Files() map[string][]byte {
	files := map[string][]byte{}
	for _, f := range p.files {
		files[f.name] = f.bytes()
	}
	if len(p.runs) > 0 {
		files[traceFile] = p.trace()
	}
	if p.task != nil {
		files[reportFile] = p.report()
	}
	return files
}

// File renders one file; false if there is none of this name.
func (p *Pipeline) File(name string) ([]byte, bool) {
	if name == traceFile && len(p.runs) > 0 {
		return p.trace(), true
	}
	if name == reportFile && p.task != nil {
		return p.report(), true
	}
	f := p.byName[name]
	if f == nil {
		return nil, false
	}
	return f.bytes(), true
}

// Changed names the files that are new or different since it was last asked: step files first, so
// that whoever writes in this order never has a trace that names a missing file.
func (p *Pipeline) Changed() []string {
	var names []string
	for _, f := range p.files[p.reported:] {
		names = append(names, f.name)
	}
	p.reported = len(p.files)
	if p.touched > p.told {
		if p.task != nil {
			names = append(names, reportFile)
		}
		names = append(names, traceFile)
	}
	p.told = p.touched
	return names
}

func (f *stepFile) bytes() []byte {
	raw := render(f)
	if f.hash == "" {
		sum := sha256.Sum256(raw)
		f.hash = hex.EncodeToString(sum[:])
	}
	return raw
}

// sum is the SHA-256 of the file's bytes, in hex.
func (f *stepFile) sum() string {
	if f.hash == "" {
		f.bytes()
	}
	return f.hash
}

func (p *Pipeline) trace() []byte {
	t := pipelineTrace{
		Session: p.session, Query: p.query, Mode: "standard", Chain: append([]string{}, p.chain...), Atoms: map[string]atom{},
		Cycles: 1, Parallel: p.parallel, Status: p.status(), Routing: p.routing, Runs: p.runs, Sequence: p.touched,
	}
	if p.parallel {
		t.Mode = "parallel"
	}
	if p.task != nil {
		p.ofTask(&t)
		return render(t)
	}
	for key, s := range p.steps {
		t.Atoms[key] = p.atom(s)
	}
	return render(t)
}

func (p *Pipeline) atom(s *pipelineStep) atom {
	a := atom{
		Skill: s.skill, Run: s.run, Call: s.call, Input: s.inputs, Reads: s.reads,
		Status: s.status, Attempts: s.attempts, Items: s.items, StartedAt: s.began(), EndedAt: s.ended, Error: s.err, Reason: s.reason,
	}
	if s.file != nil {
		a.File, a.SHA256, a.Check = p.path(s), s.file.sum(), s.file.Check
	}
	return a
}

// status is that of all runs together: running while one runs, else what they agree on.
func (p *Pipeline) status() string {
	status := ""
	for _, r := range p.runs {
		switch {
		case r.Status == "running":
			return "running"
		case r.Status == "cancelled" || status != "" && status != r.Status:
			status = "partial"
		default:
			status = r.Status
		}
	}
	return status
}

// render gives the bytes of a file. What is rendered here always encodes: raw JSON in it was checked.
func render(v any) []byte {
	var b bytes.Buffer
	if err := indented(&b, v); err != nil {
		return nil
	}
	return b.Bytes()
}
