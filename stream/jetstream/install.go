package jetstream

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
)

var (
	// ErrNoInstallation says that the server has no log of Baton's, and that none was to be made.
	ErrNoInstallation = errors.New("there is no installation here")
	// ErrConfig says that a stream is not configured as Baton needs it. It is never changed
	// silently: most settings that protect the log cannot be turned back on without loss.
	ErrConfig = errors.New("stream is configured differently")
)

// install finds the installation's streams, or makes them when there are none at all and cfg.New
// allows it. It gives the installation's id.
func install(ctx context.Context, js jetstream.JetStream, cfg Config) (string, error) {
	standing, err := standingStreams(ctx, js)
	if err != nil {
		return "", err
	}
	log, there := standing[eventsStream]
	if !there && len(standing) > 0 {
		// Another process may be making the installation: the log comes first, so it is there by now.
		if standing, err = standingStreams(ctx, js); err != nil {
			return "", err
		}
		log, there = standing[eventsStream]
	}
	switch {
	case there:
	case len(standing) > 0:
		return "", fmt.Errorf("%w: %s is gone, but other streams of the installation are there", stream.ErrDamaged, eventsStream)
	case cfg.Installation != "":
		return "", fmt.Errorf("%w: installation %s is gone", stream.ErrDamaged, cfg.Installation)
	case cfg.New == "":
		return "", ErrNoInstallation
	default:
		if log, err = createLog(ctx, js, cfg); err != nil {
			return "", err
		}
	}
	id := log.Metadata[installationKey]
	if id == "" || cfg.Installation != "" && id != cfg.Installation {
		return "", fmt.Errorf("%w: the log belongs to installation %q, not %q", stream.ErrDamaged, id, cfg.Installation)
	}
	return id, complete(ctx, js, cfg, log)
}

// standingStreams are the configurations of Baton's streams that the server has, by name.
func standingStreams(ctx context.Context, js jetstream.JetStream) (map[string]jetstream.StreamConfig, error) {
	standing := map[string]jetstream.StreamConfig{}
	for _, want := range streamConfigs("", defaultReplica, unlimited) {
		s, err := js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if noStreams(err) {
			return nil, ErrNoStreams
		}
		if err != nil {
			return nil, failed("look up "+want.Name, err)
		}
		standing[want.Name] = s.CachedInfo().Config
	}
	return standing, nil
}

// createLog makes the log. When another process makes one at the same moment, that one is it.
func createLog(ctx context.Context, js jetstream.JetStream, cfg Config) (jetstream.StreamConfig, error) {
	want := cfg.streams(cfg.New, jetstream.StreamConfig{})[0]
	s, err := js.CreateStream(ctx, want)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		s, err = js.Stream(ctx, want.Name)
	}
	if err != nil {
		return jetstream.StreamConfig{}, failed("create "+want.Name, err)
	}
	info := s.CachedInfo()
	if info.Config.Metadata[installationKey] == cfg.New && info.State.LastSeq != 0 {
		return jetstream.StreamConfig{}, fmt.Errorf("create %s: %w: it is not empty", want.Name, stream.ErrDamaged)
	}
	return info.Config, nil
}

// complete makes the streams that are missing, and compares all of them. Batons and alarms can be
// made again from the log, so that their streams may be, too; payloads are truth, and may be missing
// only as long as no commit can name one.
func complete(ctx context.Context, js jetstream.JetStream, cfg Config, log jetstream.StreamConfig) error {
	for _, want := range cfg.streams(log.Metadata[installationKey], log) {
		s, err := js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			s, err = recreate(ctx, js, cfg, want)
		}
		if err != nil {
			return failed("create "+want.Name, err)
		}
		if differ := differences(want, s.CachedInfo().Config); len(differ) > 0 {
			return fmt.Errorf("%s: %w: %s", want.Name, ErrConfig, strings.Join(differ, "; "))
		}
	}
	return nil
}

func recreate(ctx context.Context, js jetstream.JetStream, cfg Config, want jetstream.StreamConfig) (jetstream.Stream, error) {
	log, err := js.Stream(ctx, eventsStream)
	if err != nil {
		return nil, err
	}
	if log.CachedInfo().State.LastSeq > 0 {
		if want.Name == payloadsStream {
			return nil, fmt.Errorf("%w: it is gone, and the log is not empty", stream.ErrDamaged)
		}
		cfg.Logger.Warn("a stream was gone and is made anew", "stream", want.Name)
	}
	return js.CreateStream(ctx, want)
}

// streams fills what the configuration leaves open from the log as it stands.
func (c Config) streams(installation string, log jetstream.StreamConfig) []jetstream.StreamConfig {
	replicas, maxBytes := c.Replicas, c.MaxBytes
	if replicas == 0 {
		replicas = max(log.Replicas, defaultReplica)
		if c.clustered && log.Replicas == 0 {
			replicas = clusterReplica
		}
	}
	if maxBytes == 0 {
		maxBytes = unlimited
		if log.MaxBytes > 0 {
			maxBytes = log.MaxBytes
		}
	}
	return streamConfigs(installation, replicas, maxBytes)
}

// differences names every field of the configuration that is not as it should be.
func differences(want, got jetstream.StreamConfig) []string {
	want.Metadata, got.Metadata = ours(want.Metadata), ours(got.Metadata)
	w, g := reflect.ValueOf(want), reflect.ValueOf(got)
	var differ []string
	for i := range w.NumField() {
		if !reflect.DeepEqual(w.Field(i).Interface(), g.Field(i).Interface()) {
			name, _, _ := strings.Cut(w.Type().Field(i).Tag.Get("json"), ",")
			differ = append(differ, fmt.Sprintf("%s is %v, not %v", name, g.Field(i).Interface(), w.Field(i).Interface()))
		}
	}
	return differ
}

// ours leaves out what the server itself notes in a stream's metadata.
func ours(metadata map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range metadata {
		if !strings.HasPrefix(key, "_nats.") {
			kept[key] = value
		}
	}
	return kept
}
