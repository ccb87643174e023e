package host

import (
	"context"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// skillsEntity is the line of commits about the installed skills.
const skillsEntity stream.Entity = "skills"

// scans remembers the index that each place had last.
type scans struct{ last map[scanPlace]string }

type scanPlace struct{ workspace, path string }

// Fold takes the next event of the line.
func (s *scans) Fold(e events.Event) {
	if d, ok := e.Data.(events.SkillsScanned); ok {
		s.last[scanPlace{d.Workspace, d.Path}] = d.Index
	}
}

func openScans(e *engine.Engine) *engine.Ledger[*scans] {
	return engine.OpenLedger(e, skillsEntity, &scans{last: map[scanPlace]string{}})
}

// record says that a place's index is another than before. An index that is on record already, by an
// earlier server or another one, is not told twice.
func (l *Library) record(ctx context.Context, s *shelf, digest string, count int) error {
	if l.scans == nil {
		return nil
	}
	fact := events.SkillsScanned{Index: digest, Count: count, Workspace: s.workspace, Path: s.path}
	_, err := l.scans.Commit(ctx, engine.Meta{Actor: "server"}, fact, func(before *scans) ([]events.Data, error) {
		if before.last[scanPlace{s.workspace, s.path}] == digest {
			return nil, nil
		}
		return []events.Data{fact}, nil
	})
	return err
}
