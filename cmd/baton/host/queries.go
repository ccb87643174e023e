package host

import (
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream/jetstream"
	"github.com/batonflow/baton/workflows"
)

// Info is what a server says of itself.
type Info struct {
	Endpoint
	Home         string             `json:"home"`
	Durability   string             `json:"durability"`
	Installation string             `json:"installation"`
	Standing     jetstream.Standing `json:"standing"` // what the anchor says of the log
	Uptime       float64            `json:"uptime"`   // seconds
	Go           string             `json:"go"`
	NATSServer   string             `json:"nats_server"`
	NATSClient   string             `json:"nats_client"`
	Queues       []string           `json:"queues"`
	Workers      int                `json:"workers"`
	Running      int                `json:"running"`
	Busy         bool               `json:"busy"` // a run needs it
	Work         engine.Work        `json:"work"`
	OutsideToken string             `json:"outside_token,omitempty"` // file of the token that programs outside show
}

// queries adds the server's own questions to the engine's.
func (s *Server) queries() engine.Queries {
	q := engine.Standard(s.engine, s.projector)
	q["trace"] = s.traceAsked(q["trace"])
	q["server"] = engine.Plain(s.info)
	q["seal"] = engine.Plain(s.seal)
	q["seal.proof"] = engine.Plain(s.proof)
	q["repair"] = engine.Plain(s.repair)
	q["server.stop"] = engine.Plain(s.askedToStop)
	q["skills.list"] = engine.Plain(s.listSkills)
	q["skills.search"] = engine.Plain(s.searchSkills)
	q["feedback.give"] = engine.Plain(s.giveFeedback)
	q["feedback.list"] = engine.Plain(s.listFeedback)
	q["feedback.stats"] = engine.Plain(s.feedbackStats)
	q["feedback.clear"] = engine.Plain(s.clearFeedback)
	q["skills.untrusted"] = engine.Plain(s.untrusted)
	q["skills.load"] = engine.Plain(s.loadSkill)
	q["skills.loaded"] = engine.Plain(s.loadedSkills)
	q["skills.evict"] = engine.Plain(s.evictSkill)
	q["goal.show"] = engine.About(s.engine, func(state *workflows.State, _ sessions.World, _ engine.None) (any, error) { return state.ShowGoal() })
	q["route.only"] = engine.Plain(s.routeOnly)
	q["workflow.templates"] = engine.Plain(s.listTemplates)
	q["workflow.draft"] = engine.Plain(s.draft)
	q["run.inputs"] = engine.About(s.engine, inputsOf)
	q["import.radoute"] = engine.Plain(s.importRadoute)
	q["run.template"] = engine.About(s.engine, templateOf)
	q["beat.call"] = engine.Plain(s.beatCall)
	q["claim.next"] = engine.Plain(s.claimNext)
	s.scheduling(q)
	q["say.call"] = engine.Plain(s.sayHere)
	q["call.show"] = engine.Plain(s.showCall)
	q["web.link"] = engine.Plain(s.link)
	q["run.prepare"] = engine.Plain(s.prepareRun)
	q["run.changed"] = engine.Plain(s.changedTemplate)
	q["approvals"] = engine.Plain(s.openApprovals)
	q["workflow.check"] = engine.Plain(s.checkTemplate)
	q["acquire.prepare"] = engine.Plain(s.prepareAcquisition)
	q["acquire.show"] = engine.Plain(s.showAcquisition)
	q["acquire.list"] = engine.Plain(s.listAcquisitions)
	q["plan.source"] = engine.Plain(s.planSource)
	q["plan.web"] = engine.Plain(s.planWeb)
	q["plan.task"] = engine.Plain(s.planTask)
	q["intent.parse"] = engine.Plain(s.parseIntent)
	q["sentinel.check"] = engine.Plain(s.checkTask)
	return q
}

func (s *Server) info(ctx context.Context, _ string, _ engine.None) (any, error) {
	info := Info{
		Endpoint: s.endpoint(), Home: s.Home.Dir, Durability: s.durability(), Installation: s.store.Installation(),
		Uptime: time.Since(s.started).Seconds(), Go: runtime.Version(), Queues: s.Queues, Workers: s.Workers,
	}
	info.NATSServer, info.NATSClient = Module("github.com/nats-io/nats-server/v2"), Module("github.com/nats-io/nats.go")
	if s.nats != nil {
		info.Standing = s.nats.Standing()
	}
	if s.NATS == "" {
		info.OutsideToken = s.Home.path(outsideToken)
	}
	if err := s.projector.Current(ctx); err != nil {
		return nil, err
	}
	if s.pool != nil {
		info.Running = s.pool.Busy()
	}
	s.projector.Index(func(x *projections.Index) {
		info.Work = engine.Work{Queued: len(x.Queued()), Held: len(x.Held()), Timers: len(x.Timers())}
		for _, r := range x.Runs() {
			if r.Status == "running" || r.Status == "waiting" && len(x.Timers()) > 0 {
				info.Work.Runs++
			}
		}
	})
	info.Work.Unreadable = s.projector.Unreadable()
	info.Busy = info.Running > 0 || info.Work.Runs > 0
	return info, nil
}

func (s *Server) durability() string {
	switch {
	case s.NATS == "":
		return s.Options.Durability.String()
	case s.store.Replicas() > 1:
		return "replicated"
	}
	return "unknown: one copy, flushed as the NATS server is set"
}

// repair gives up what is quarantined and begins a new epoch.
func (s *Server) repair(ctx context.Context, _ string, _ engine.None) (any, error) {
	if s.nats == nil {
		return nil, sessions.Refuse(sessions.Usage, "not_embedded", "use the tools of NATS", "the log of a cluster has no anchor to repair")
	}
	got, err := s.nats.Repair(ctx, s.store)
	if errors.Is(err, jetstream.ErrWhole) {
		return nil, sessions.Refuse(sessions.Conflict, "nothing_to_repair", "nothing needs to be done", "no session is quarantined")
	}
	return got, err
}

// Module gives the version of a module that this binary was built with.
func Module(path string) string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range build.Deps {
		if dep.Path == path {
			return dep.Version
		}
	}
	return ""
}

// StopAsk asks a server to stop; without Force only when no run needs it.
type StopAsk struct {
	Force bool `json:"force"`
}

// Stopping says which process is going down.
type Stopping struct {
	PID     int  `json:"pid"`
	Stopped bool `json:"stopped"`
}

func (s *Server) askedToStop(ctx context.Context, _ string, q StopAsk) (any, error) {
	got, err := s.info(ctx, "", engine.None{})
	if err != nil {
		return nil, err
	}
	if info, ok := got.(Info); ok && info.Busy && !q.Force {
		return nil, sessions.Refuse(sessions.Conflict, "server_busy", "wait for the runs, or use --force: they go on when a server runs again",
			"server %d is needed by %d runs", os.Getpid(), info.Work.Runs)
	}
	s.force = q.Force
	time.AfterFunc(20*time.Millisecond, s.stop) // once the answer is on its way
	return Stopping{PID: os.Getpid(), Stopped: true}, nil
}

// TemplateInfo says where a run's template came from, for resume.
type TemplateInfo struct {
	Run    string `json:"run"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

func templateOf(s *workflows.State, _ sessions.World, q engine.RunAsk) (any, error) {
	r, err := s.FindRun(q.Run)
	if err != nil {
		return nil, err
	}
	return TemplateInfo{Run: r.Run, Path: r.Path, SHA256: r.SHA256, Text: r.Text}, nil
}
