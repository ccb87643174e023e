package jetstream

import (
	"context"
	"fmt"
	"net"
)

// What must stay free: below it nothing new is begun, so that what runs can end.
const (
	leastFree   = 256 << 20 // bytes of disk
	leastShare  = 0.05      // or this share of it, where that is less
	fullShare   = 0.9       // of what the store may take
	sickLooks   = 3         // in a row, before a server is taken for stuck
	worthwhile  = 1.1       // times the limit: a store that may be so much larger gets it
	withoutRoom = "the store has %d MiB of the %d MiB it may take, and the disk has %d MiB free"
)

// Room is how much more the store can take.
type Room struct {
	Free  int64 // on the disk
	Total int64 // of the disk
	Used  int64 // by the store
	Limit int64 // of it
}

// Short says why nothing new should be begun; nil while there is room.
func (r Room) Short() error {
	if r.enough() && !r.nearly() {
		return nil
	}
	return fmt.Errorf(withoutRoom, r.Used>>20, r.Limit>>20, r.Free>>20)
}

func (r Room) enough() bool { return r.Free >= min(leastFree, int64(leastShare*float64(r.Total))) }

// nearly says that the store has nearly all that it may take.
func (r Room) nearly() bool { return r.Used >= int64(fullShare*float64(r.Limit)) }

// room looks at the disk and at the store.
func (s *Server) room() (Room, error) {
	free, whole, err := diskOf(s.cfg.StoreDir)
	if err != nil {
		return Room{}, err
	}
	r := Room{Free: free, Total: whole}
	running := s.nats.Load()
	if config := running.JetStreamConfig(); config != nil {
		r.Limit = config.MaxStore
	}
	info, err := running.Jsz(nil)
	if err != nil {
		return Room{}, fmt.Errorf("look at the store: %w", err)
	}
	r.Used = int64(info.Store)
	return r, nil
}

// Mend starts the embedded server again inside this process where only that helps: a full disk leaves it
// stuck after there is room again, and a limit that was set on a full disk stays. It says whether it did,
// and what room there is. Connections find the new one by themselves; whoever does not know its address from
// before reads URL. One goroutine calls it, time and again: a start that failed is tried with the next call.
func (s *Server) Mend(ctx context.Context) (room Room, mended bool, err error) {
	if s.nats.Load().Running() {
		if room, err = s.room(); err != nil {
			return Room{}, false, err
		}
		if needed, err := s.stuck(room); err != nil || !needed {
			return room, false, err
		}
	}
	if err := s.restart(ctx); err != nil {
		return Room{}, false, err
	}
	room, err = s.room()
	return room, true, err
}

// stuck says whether the server should be started again.
func (s *Server) stuck(room Room) (bool, error) {
	if s.Healthy() == nil {
		s.sick = 0
	} else {
		s.sick++
	}
	if s.sick >= sickLooks && room.enough() {
		return true, nil
	}
	if !room.nearly() {
		return false, nil
	}
	wider, err := storeLimit(s.cfg.StoreDir, s.cfg.MaxStore)
	return err == nil && float64(wider) > worthwhile*float64(room.Limit), err
}

// restart keeps the address, which other processes know, unless somebody else has taken it meanwhile.
func (s *Server) restart(ctx context.Context) error {
	old := s.nats.Load()
	old.Shutdown()
	old.WaitForShutdown()
	s.sick = 0
	again, err := start(ctx, s.cfg)
	if err != nil && ctx.Err() == nil {
		elsewhere := s.cfg
		elsewhere.Port = 0
		again, err = start(ctx, elsewhere)
	}
	if err != nil {
		return fmt.Errorf("start the embedded server again: %w", err)
	}
	s.runs(again)
	return s.lock.write(again.Addr().String())
}

// inProcess connects to the server that runs now.
type inProcess struct{ s *Server }

func (p inProcess) InProcessConn() (net.Conn, error) { return p.s.nats.Load().InProcessConn() }
