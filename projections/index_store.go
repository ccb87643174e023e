package projections

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/batonflow/baton/schedules"
)

// indexVersion changes with whatever the fold keeps, so that a file of another binary is folded anew.
const indexVersion = 8

// ErrVersion says that a stored index is of another version: throw it away and fold the log again.
var ErrVersion = errors.New("index is of another version")

// storedIndex is the index as a file: rows in the order of the log, so equal indexes are equal bytes.
type storedIndex struct {
	Version   int             `json:"version"`
	Sequence  uint64          `json:"sequence"`
	Skipped   int             `json:"skipped"`
	Skills    SkillsRow       `json:"skills"`
	Feedback  feedback        `json:"feedback"`
	Schedules []schedules.Row `json:"schedules,omitempty"`
	Sessions  []*sessionState `json:"sessions"`
	Runs      []*RunRow       `json:"runs"`
	Calls     []*openCall     `json:"calls"`
	Timers    []TimerRow      `json:"timers"`
	Approvals []ApprovalRow   `json:"approvals"`
}

// Save writes the index, so that a restart need not fold the whole log again.
func (x *Index) Save(w io.Writer) error {
	stored := storedIndex{
		Version: indexVersion, Sequence: x.sequence, Skipped: x.skipped, Skills: x.skills, Feedback: x.feedback, Schedules: x.Schedules(),
		Calls: x.calls(), Timers: x.Timers(), Approvals: x.Approvals(),
	}
	for _, s := range x.sessions {
		stored.Sessions = append(stored.Sessions, s)
	}
	slices.SortFunc(stored.Sessions, func(a, b *sessionState) int { return newestSession(b.SessionRow, a.SessionRow) })
	for _, r := range x.runs {
		stored.Runs = append(stored.Runs, r)
	}
	slices.SortFunc(stored.Runs, func(a, b *RunRow) int { return newestRun(*b, *a) })
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(stored); err != nil {
		return fmt.Errorf("save index: %w", err)
	}
	return out.Flush()
}

// LoadIndex reads what Save wrote; Fold goes on after its Sequence. On any error, ErrVersion among
// them, the index is to be folded from nothing.
func LoadIndex(r io.Reader) (*Index, error) {
	var stored storedIndex
	if err := json.NewDecoder(r).Decode(&stored); err != nil {
		return nil, fmt.Errorf("load index: %w", err)
	}
	if stored.Version != indexVersion {
		return nil, fmt.Errorf("load index: %w: %d, not %d", ErrVersion, stored.Version, indexVersion)
	}
	x := &Index{checkpoint: checkpoint{stored.Sequence, stored.Skipped}, skills: stored.Skills, feedback: stored.Feedback}
	if err := x.restore(stored); err != nil {
		return nil, fmt.Errorf("load index: %w", err)
	}
	return x, nil
}

// errRow says that a row of a stored index is empty or has no id.
var errRow = errors.New("row without an id")

func (x *Index) restore(stored storedIndex) error {
	x.sessions, x.runs, x.open = map[string]*sessionState{}, map[runKey]*RunRow{}, map[string]*openWork{}
	x.schedules = map[string]*schedules.Row{}
	for _, row := range stored.Schedules {
		x.schedules[row.Name] = &row
	}
	for _, s := range stored.Sessions {
		if s == nil || s.ID == "" {
			return fmt.Errorf("session: %w", errRow)
		}
		x.sessions[s.ID] = s
	}
	for _, r := range stored.Runs {
		if r == nil || r.Session == "" {
			return fmt.Errorf("run: %w", errRow)
		}
		x.runs[runKey{r.Session, r.ID}] = r
		x.carried(r, r.Caller)
	}
	for _, c := range stored.Calls {
		if c == nil || c.Session == "" {
			return fmt.Errorf("call: %w", errRow)
		}
		x.work(c.Session).calls[c.Call] = c
	}
	for _, timer := range stored.Timers {
		if timer.Session == "" {
			return fmt.Errorf("timer: %w", errRow)
		}
		x.work(timer.Session).timers[timer.Timer] = timer
	}
	for _, a := range stored.Approvals {
		if a.Session == "" {
			return fmt.Errorf("approval: %w", errRow)
		}
		x.work(a.Session).approvals[a.Approval] = a
	}
	return nil
}
