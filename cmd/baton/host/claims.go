package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// ClaimedOutside is the call that an agent outside took, and until when it must beat.
type ClaimedOutside struct {
	Session string         `json:"session"`
	Task    workflows.Task `json:"task"`
	Worker  string         `json:"worker"`
}

// maxWait bounds how long one question waits for work; the asker asks again.
const maxWait = 20 * time.Second

// claimNext claims the call that has waited longest on a queue. It needs no baton: the index says
// what is open, and the commit is the claim.
func (s *Server) claimNext(ctx context.Context, _ string, q operation.ClaimAsk) (any, error) {
	if !stream.ValidQueue(q.Queue) {
		return nil, sessions.Refuse(sessions.Usage, "bad_queue", "use lower-case letters, digits, - and _", "%q is no queue", q.Queue)
	}
	if err := s.projector.Current(ctx); err != nil {
		return nil, err
	}
	if got, ok, err := s.takenBefore(ctx, q.Request); ok || err != nil {
		return got, err
	}
	ctx, cancel := context.WithTimeout(ctx, min(time.Duration(q.Wait*float64(time.Second)), maxWait)+time.Millisecond)
	defer cancel()
	tried := map[string]bool{}
	for {
		var found projections.QueuedCall
		err := s.projector.Await(ctx, func(x *projections.Index) bool {
			for _, c := range x.Queued() {
				if c.Queue == q.Queue && !tried[c.Session+c.Call] {
					found = c
					return true
				}
			}
			return false
		})
		if err != nil {
			return nil, sessions.Refuse(sessions.NotFound, "queue_empty", "ask again, or wait longer with --wait", "no call waits on queue %s", q.Queue)
		}
		got, err := s.claim(context.WithoutCancel(ctx), q, found)
		var refusal *sessions.Refusal
		if errors.As(err, &refusal) && refusal.Kind == sessions.Conflict {
			tried[found.Session+found.Call] = true // somebody else was first
			continue
		}
		return got, err
	}
}

func (s *Server) claim(ctx context.Context, q operation.ClaimAsk, c projections.QueuedCall) (any, error) {
	worker := engine.Outside + newProcess(false)
	if q.Request != "" {
		worker = workerOf(q.Request)
	}
	task, err := engine.Local{Via: s.engine}.Claim(ctx, c.Session, workflows.Claim{Claim: sessions.Claim{Call: c.Call, Queue: q.Queue, Worker: worker, Alone: true}})
	if err != nil {
		return nil, err
	}
	until := time.Now().Add(s.Lease).UTC()
	task.Envelope.LeaseUntil = &until
	return ClaimedOutside{Session: c.Session, Task: task, Worker: worker}, nil
}

// workerOf names the agent outside that asks under a request id.
func workerOf(request string) string {
	sum := sha256.Sum256([]byte(request))
	return engine.Outside + hex.EncodeToString(sum[:12])
}

// takenBefore gives the call that is held under the request.
func (s *Server) takenBefore(ctx context.Context, request string) (ClaimedOutside, bool, error) {
	if request == "" {
		return ClaimedOutside{}, false, nil
	}
	worker := workerOf(request)
	var held projections.HeldCall
	s.projector.Index(func(x *projections.Index) {
		for _, c := range x.Held() {
			if c.Worker == worker {
				held = c
			}
		}
	})
	if held.Call == "" {
		return ClaimedOutside{}, false, nil
	}
	task, err := engine.As[workflows.Task](s.engine.View(ctx, held.Session, func(st *workflows.State, w sessions.World) (any, error) {
		call := st.HeldBy(worker)
		if call == nil {
			return nil, sessions.Refuse(sessions.Conflict, "claim_over", "ask under another --request-id", "the call taken under this request is over")
		}
		return st.Task(call, w)
	}))
	if err != nil {
		return ClaimedOutside{}, false, err
	}
	until := time.Now().Add(s.Lease).UTC()
	task.Envelope.LeaseUntil = &until
	return ClaimedOutside{Session: held.Session, Task: task, Worker: worker}, true, nil
}

func (s *Server) beatCall(ctx context.Context, session string, q operation.BeatAsk) (any, error) {
	beat, err := engine.As[stream.Beat](s.engine.View(ctx, session, func(st *workflows.State, _ sessions.World) (any, error) {
		call, err := st.FindCallOrStep(q.Call)
		if err != nil {
			return nil, err
		}
		return stream.Beat{Session: session, Call: call.ID(), Attempt: q.Attempt, Worker: call.Worker}, nil
	}))
	if err != nil {
		return nil, err
	}
	answer, err := s.engine.Beat(ctx, beat)
	if err != nil {
		return nil, err
	}
	out := operation.BeatAnswer{Answer: answer}
	if answer == engine.GoOn && beat.Worker != "" {
		until := time.Now().Add(s.Lease).UTC()
		out.LeaseUntil = &until
	}
	return out, nil
}
