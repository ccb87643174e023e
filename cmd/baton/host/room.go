package host

import (
	"context"
	"errors"
	"time"

	"github.com/batonflow/baton/stream"
)

// roomEvery is how often the disk and the embedded server are looked at.
const roomEvery = time.Second

// errRewound says that the embedded server, started again, does not have what was acknowledged.
var errRewound = errors.New("the log lost its end when its server was started again: start Baton anew, it is looked at then")

// room says why nothing new may be begun, as it was when it was last looked at.
func (s *Server) room() error {
	if why := s.short.Load(); why != nil {
		return *why
	}
	return nil
}

// keepRoom watches the disk and the embedded server until ctx is done: what is new is refused before the disk
// is full, and a server that a full disk left stuck is started again when there is room.
func (s *Server) keepRoom(ctx context.Context) error {
	for stream.Pause(ctx, roomEvery) {
		room, err := s.nats.Room()
		if err != nil {
			s.logger.Warn("look at the room there is", "err", err)
			continue
		}
		if err := room.Short(); err == nil {
			s.short.Store(nil)
		} else if s.short.Swap(&err) == nil {
			s.logger.Error("nothing new is begun", "err", err)
		}
		mended, err := s.nats.Mend(ctx)
		if err != nil {
			s.logger.Error("the embedded server cannot be started again", "err", err)
		}
		if !mended || err != nil {
			continue
		}
		s.logger.Warn("the embedded server was started again: it was stuck, or may take more now")
		if err := s.rewound(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rewound compares the end of the log with what was anchored.
func (s *Server) rewound(ctx context.Context) error {
	for {
		head, err := s.store.Head(ctx)
		switch {
		case err == nil && head < s.nats.Standing().Highest:
			return errRewound
		case err == nil:
			return nil
		}
		if !stream.Pause(ctx, roomEvery/10) {
			return nil
		}
	}
}
