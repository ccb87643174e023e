package jetstream

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/events"
)

// Every name that Baton has on a NATS server.
const (
	eventsStream   = "BATON_EVENTS"   // the log
	workStream     = "BATON_WORK"     // batons
	timersStream   = "BATON_TIMERS"   // the alarm clock
	payloadsStream = "BATON_PAYLOADS" // large values
	asideStream    = "BATON_ASIDE"    // messages that were no batons or alarms

	snapshotsBucket = "BATON_SNAPSHOTS" // folded states; the only one that comes and goes

	eventsPrefix   = "ev."      // ev.<entity>
	workPrefix     = "work."    // work.<queue>
	timerPrefix    = "timer."   // timer.<session>.<timer>: schedules
	duePrefix      = "due."     // due.<session>.<timer>: alarms that rang
	payloadsPrefix = "payload." // payload.<sha256>.<chunk>
	asidePrefix    = "aside."   // aside.<stream>
	livePrefix     = "live."    // live.<session>.<call>.<attempt>, stored nowhere
	controlPrefix  = "ctl."     // ctl.<process>.<slot>, stored nowhere

	dueConsumer = "due"

	installationKey = "baton.installation" // in every stream's metadata
	layoutKey       = "baton.layout"
	layout          = "1"
)

const (
	unlimited      = -1
	maxConsumers   = 10_000                       // the server's own default is 1,000
	maxEventBytes  = events.MaxFrameBytes + 8<<10 // a frame and its headers
	maxChunkBytes  = chunkBytes + 4<<10           // a chunk and its headers
	maxAsideBytes  = 64 << 10                     // what is kept of a message set aside
	maxAside       = 1_000                        // the oldest go first
	duplicates     = 5 * time.Second              // the window is read at every start: keep it short
	maxWaiting     = 10_000                       // pulls that wait on one queue
	maxAckPending  = 10_000                       // batons of one queue in hands: back-pressure, no limit
	defaultLease   = 30 * time.Second             // how long a baton may stay in a hand without a word
	defaultReplica = 1
	clusterReplica = 3
)

// streamConfigs are the streams that an installation has, to the last field. What stands on the
// server must be the same: most of these cannot be changed back once they are lost.
func streamConfigs(installation string, replicas int, maxBytes int64) []jetstream.StreamConfig {
	metadata := map[string]string{installationKey: installation, layoutKey: layout}
	base := jetstream.StreamConfig{
		Storage:           jetstream.FileStorage,
		Replicas:          replicas,
		Retention:         jetstream.LimitsPolicy,
		Discard:           jetstream.DiscardNew, // refuse rather than forget
		MaxConsumers:      maxConsumers,
		MaxMsgs:           unlimited,
		MaxBytes:          unlimited,
		MaxMsgsPerSubject: unlimited,
		MaxMsgSize:        unlimited,
		Duplicates:        duplicates,
		Metadata:          metadata,
	}
	log := base
	log.Name, log.Subjects = eventsStream, []string{eventsPrefix + ">"}
	log.MaxBytes, log.MaxMsgSize = maxBytes, maxEventBytes
	log.DenyDelete, log.DenyPurge = true, true
	log.AllowDirect = replicas == 1 // any replica answers a direct read, which may be an old one

	work := base
	work.Name, work.Subjects = workStream, []string{workPrefix + ">"}
	work.Retention = jetstream.WorkQueuePolicy

	// Schedules force roll-ups on and DiscardNew off, which is why they are not in the log.
	timers := base
	timers.Name, timers.Subjects = timersStream, []string{timerPrefix + ">", duePrefix + ">"}
	timers.Retention, timers.Discard = jetstream.WorkQueuePolicy, jetstream.DiscardOld
	timers.AllowMsgSchedules, timers.AllowRollup = true, true

	payloads := base
	payloads.Name, payloads.Subjects = payloadsStream, []string{payloadsPrefix + ">"}
	payloads.MaxMsgSize = maxChunkBytes
	payloads.AllowDirect = replicas == 1

	aside := base
	aside.Name, aside.Subjects = asideStream, []string{asidePrefix + ">"}
	aside.Discard, aside.MaxMsgs = jetstream.DiscardOld, maxAside

	return []jetstream.StreamConfig{log, work, timers, payloads, aside}
}
