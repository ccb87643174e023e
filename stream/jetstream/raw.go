package jetstream

import (
	"context"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// Raw stores a commit as it stands, by the client's own plain publish and without asking what came
// before: what everything else is measured by. Only who has made the line's other commits may use it.
func (l *eventLog) Raw(ctx context.Context, entity stream.Entity, commit []byte) (uint64, error) {
	subject, err := eventSubject(entity)
	if err != nil {
		return 0, err
	}
	ack, err := l.js.Publish(ctx, subject, commit)
	if err != nil {
		return 0, failed("publish to "+string(entity), err)
	}
	return ack.Sequence, nil
}

// Adopt says that a line which was stored with Raw is this process's own, up to that commit: audits would
// take it for somebody else's.
func (l *eventLog) Adopt(entity stream.Entity, sequence uint64, frame events.Frame) {
	if l.keeper != nil {
		l.keeper.note(entity, sequence, frame)
	}
}
