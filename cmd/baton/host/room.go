package host

import (
	"context"
	"errors"
	"time"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream"
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
	unsure := false // it was started again, and not yet compared with what was acknowledged
	for stream.Pause(ctx, roomEvery) {
		room, mended, err := s.mend(ctx)
		unsure = unsure || mended
		if err != nil {
			s.logger.Error("look after the embedded server", "err", err)
			continue
		}
		if unsure {
			head, err := s.store.Head(ctx)
			if err == nil && head < s.nats.Standing().Highest {
				return errRewound
			}
			unsure = err != nil
		}
		s.judge(room)
	}
	return nil
}

// mend starts the embedded server again where it has to be, and tells where it is.
func (s *Server) mend(ctx context.Context) (room jetstream.Room, mended bool, err error) {
	if room, mended, err = s.nats.Mend(ctx); !mended {
		return room, false, err
	}
	s.logger.Warn("the embedded server was started again: it was stuck, or may take more now")
	return room, true, errors.Join(err, s.announce(nil))
}

// judge says whether there is room for what is new.
func (s *Server) judge(room jetstream.Room) {
	if err := room.Short(); err == nil {
		s.short.Store(nil)
	} else if s.short.Swap(&err) == nil {
		s.logger.Error("nothing new is begun", "err", err)
	}
}
