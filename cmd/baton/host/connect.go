package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"golang.org/x/mod/semver"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream"
)

// Link is a connection to a server that decides.
type Link struct {
	engine.Client
	Home bool // the home's own server, which is somewhere: on a cluster there may be none
	line line
}

// line is the connection under it.
type line interface {
	Listen(ctx context.Context, session string, f func(stream.Said)) error
	Close() error
}

// Listen calls f for what attempts of the session say until ctx is done.
func (l *Link) Listen(ctx context.Context, session string, f func(stream.Said)) error {
	return l.line.Listen(ctx, session, f)
}

// Ask reaches the server that runs, for small questions and commands in a hurry; it starts none.
func Ask(ctx context.Context, d Dial) (asker engine.Client, done func(), err error) {
	config := jetstream.Config{URL: d.NATS, Credentials: d.Creds, TLS: d.TLS, Name: "baton", Logger: slog.New(slog.DiscardHandler)}
	if d.NATS == "" {
		e, err := d.Home.Endpoint()
		if err != nil {
			return asker, nil, noServer(d.Home, err)
		}
		config.URL = e.URL
		if config.Token, err = d.Home.Token(); err != nil {
			return asker, nil, err
		}
	}
	bus, err := jetstream.OpenAsker(ctx, config)
	if err != nil {
		return asker, nil, noServer(d.Home, err)
	}
	return engine.Client{Bus: bus}, bus.Close, nil
}

// Close disconnects.
func (l *Link) Close() error { return l.line.Close() }

// Dial is how a command reaches a server.
type Dial struct {
	Home    Home
	NATS    string
	Creds   string
	TLS     jetstream.TLS
	Version string
	Env     []string                         // of the server that is started
	Args    []string                         // this binary with what makes it a server
	NoStart bool                             // fail rather than start one
	Say     func(format string, args ...any) // what a person should know
}

// Connect reaches the running server of the home, or starts one in the background: whoever comes
// first does, the others wait for it. On a cluster it connects and starts nothing.
func Connect(ctx context.Context, d Dial) (*Link, error) {
	quiet := slog.New(slog.DiscardHandler)
	if d.NATS != "" {
		config := jetstream.Config{URL: d.NATS, Credentials: d.Creds, TLS: d.TLS, Name: "baton", Logger: quiet}
		store, err := jetstream.Open(ctx, config)
		if errors.Is(err, jetstream.ErrNoStreams) { // a user that may ask, and has nothing of its own
			asker, err := jetstream.OpenGuest(ctx, config)
			if err != nil {
				return nil, storeRefusal(Options{NATS: d.NATS}, err)
			}
			return &Link{Client: engine.Client{Bus: asker, Payloads: asker}, line: asker}, nil
		}
		if err != nil {
			return nil, storeRefusal(Options{NATS: d.NATS}, err)
		}
		return &Link{Client: engine.Client{Bus: store, Payloads: store}, line: store}, nil
	}
	link, e, err := d.running(ctx)
	if err == nil && !d.NoStart && semver.Compare(canonical(e.Version), canonical(d.Version)) < 0 {
		link, err = d.replace(ctx, link, e)
	}
	if err == nil || d.NoStart {
		return link, err
	}
	return d.start(ctx)
}

func canonical(version string) string { return "v" + version }

// running connects to the server that the home knows of.
func (d Dial) running(ctx context.Context) (*Link, Endpoint, error) {
	e, err := d.Home.Endpoint()
	if err != nil {
		return nil, e, noServer(d.Home, err)
	}
	token, err := d.Home.Token()
	if err != nil {
		return nil, e, err
	}
	store, err := jetstream.Open(ctx, jetstream.Config{URL: e.URL, Token: token, Name: "baton", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, e, noServer(d.Home, err)
	}
	return &Link{Client: engine.Client{Bus: store, Payloads: store}, Home: true, line: store}, e, nil
}

func noServer(h Home, err error) error {
	return sessions.Refuse(sessions.Unreachable, "no_server", "start one with `baton serve`, or run any command without --no-start",
		"no server runs for %s: %v", h.Dir, err)
}

// replace stops an older server that no run needs, and names one that is busy.
func (d Dial) replace(ctx context.Context, link *Link, e Endpoint) (*Link, error) {
	_, err := link.Query(ctx, "server.stop", "", StopAsk{})
	var refusal *sessions.Refusal
	if errors.As(err, &refusal) && refusal.Code == "server_busy" {
		d.Say("server %d is of version %s, older than this %s, and busy; it goes on until `baton stop`", e.PID, e.Version, d.Version)
		return link, nil
	}
	if err != nil && !(errors.As(err, &refusal) && refusal.Kind == sessions.Unreachable) {
		return link, nil // it cannot say; the command will tell
	}
	// It stops, or somebody else's question had made it stop already.
	err = errors.Join(link.Close(), d.gone(ctx, e))
	if err != nil {
		return nil, err
	}
	return nil, errReplaced
}

var errReplaced = errors.New("an older server was stopped")

// lookFirst and lookLast are how soon a command looks again for a server that starts, and how soon at the longest.
const (
	lookFirst = 5 * time.Millisecond
	lookLast  = 80 * time.Millisecond
)

// gone waits until the home no longer names the server.
func (d Dial) gone(ctx context.Context, old Endpoint) error {
	for range stream.Tries(ctx, lookFirst, lookLast) {
		e, err := d.Home.Endpoint()
		if errors.Is(err, fs.ErrNotExist) || err == nil && e.Process != old.Process {
			return nil
		}
	}
	return sessions.Refuse(sessions.Unreachable, "server_stays", "stop it with `baton stop --force`", "server %d does not stop", old.PID)
}

// start starts a server under the home's start lock, unless somebody else has meanwhile.
func (d Dial) start(ctx context.Context) (link *Link, err error) {
	if err := d.Home.Open(); err != nil {
		return nil, err
	}
	link, unlock, err := d.turn(ctx)
	if err != nil || link != nil {
		return link, err
	}
	defer unlock()
	for range stream.Tries(ctx, 2*lookFirst, time.Second) {
		if link, _, err := d.running(ctx); err == nil {
			return link, nil
		}
		server, failed := d.spawn()
		if failed != nil {
			return nil, sessions.Refuse(sessions.Unreachable, "server_not_started", "see "+d.Home.LogFile(), "the server could not be started: %v", failed)
		}
		var taken bool
		if link, taken, err = d.await(ctx, server); !taken {
			return link, err
		}
	}
	return nil, err
}

// turn waits until a server runs that somebody else started, or until it is on this command to start one.
func (d Dial) turn(ctx context.Context) (link *Link, unlock func(), err error) {
	for n := range stream.Tries(ctx, lookFirst, lookLast) {
		unlock, held, err := tryLock(d.Home.path("start.lock"))
		if err != nil {
			return nil, nil, d.Home.unwritable(err)
		}
		if held {
			return nil, unlock, nil
		}
		if n == 1 {
			continue // it was looked for just now
		}
		if link, _, err := d.running(ctx); err == nil {
			return link, nil, nil
		}
	}
	return nil, nil, sessions.Refuse(sessions.Unreachable, "server_slow", "see "+d.Home.LogFile(), "the server that another command started did not answer in time")
}

// storeTaken is the exit status of a server that finds another one on its store.
const storeTaken = 4

// storeDamaged is that of one whose store is not what Baton left there.
const storeDamaged = 8

// spawn starts the server in a session of its own, so that it outlives this command and its terminal.
func (d Dial) spawn() (*exec.Cmd, error) {
	out, err := os.OpenFile(d.Home.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(d.Args[0], d.Args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.Dir = d.Env, out, out, d.Home.Dir
	cmd.SysProcAttr = apart()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd, nil
}

// await waits until the server that was started takes commands, or has ended. taken says that it found
// the store in other hands: of a server that is ending, or of one whose starter was killed.
func (d Dial) await(ctx context.Context, server *exec.Cmd) (link *Link, taken bool, err error) {
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	for range stream.Tries(ctx, lookFirst, lookLast) {
		if e, err := d.Home.Endpoint(); err == nil && e.PID == server.Process.Pid {
			if link, _, err := d.running(ctx); err == nil {
				return link, false, nil
			}
		}
		select {
		case err := <-ended:
			if link, _, again := d.running(ctx); again == nil {
				return link, false, nil // it found another one serving
			}
			if server.ProcessState.ExitCode() == storeDamaged {
				return nil, false, sessions.Refuse(sessions.Damaged, "store_unusable", "see "+d.Home.LogFile()+"; restore the home from a copy", "the server ended at once: %s", d.lastWords())
			}
			return nil, server.ProcessState.ExitCode() == storeTaken, sessions.Refuse(sessions.Unreachable, "server_not_started", "see "+d.Home.LogFile(), "the server ended at once: %v: %s", err, d.lastWords())
		default:
		}
	}
	return nil, false, sessions.Refuse(sessions.Unreachable, "server_slow", "see "+d.Home.LogFile(), "the server did not answer in time")
}

// lastWords is the end of what the server said.
func (d Dial) lastWords() string {
	raw, err := os.ReadFile(d.Home.LogFile())
	if err != nil {
		return fmt.Sprint(err)
	}
	const most = 300
	return string(raw[max(0, len(raw)-most):])
}
