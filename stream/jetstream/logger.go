package jetstream

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
)

// logger hands the server's lines to slog. It is never left out: a recovery that cut something off
// says so here and nowhere else. The server's notices are details to Baton.
type logger struct {
	out *slog.Logger

	mu    sync.Mutex
	death error // the first fatal line: why the server did not start
}

var _ server.Logger = (*logger)(nil)

func newLogger(out *slog.Logger) *logger {
	if out == nil {
		out = slog.Default()
	}
	return &logger{out: out.With("from", "nats-server")}
}

func (l *logger) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.death
}

func (l *logger) Fatalf(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	l.out.Error(line)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.death == nil {
		l.death = errors.New(line)
	}
}

func (l *logger) Errorf(format string, v ...any)  { l.out.Error(fmt.Sprintf(format, v...)) }
func (l *logger) Warnf(format string, v ...any)   { l.out.Warn(fmt.Sprintf(format, v...)) }
func (l *logger) Noticef(format string, v ...any) { l.out.Debug(fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(format string, v ...any)  { l.out.Debug(fmt.Sprintf(format, v...)) }
func (l *logger) Tracef(format string, v ...any)  { l.out.Debug(fmt.Sprintf(format, v...)) }
