package host

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream/jetstream"
)

// Work runs workers only, until ctx is done. Beside an embedded server they ask it to claim and to
// finish for them; on a cluster the process decides and appends by itself.
func Work(ctx context.Context, o Options, ready func(process string)) error {
	if o.NATS != "" {
		o.NoHTTP = true
		return Serve(ctx, o, func(e Endpoint) { ready(e.Process) })
	}
	logger := slog.New(slog.NewTextHandler(o.Log, nil))
	process := "w" + strings.TrimPrefix(newProcess(false), "n")
	if err := os.MkdirAll(o.Home.path("scratch"), 0o700); err != nil {
		return o.Home.unwritable(err)
	}
	token, err := o.Home.Token()
	if err != nil {
		return err
	}
	e, err := o.Home.Endpoint()
	if err != nil {
		return noServer(o.Home, err)
	}
	store, err := jetstream.Open(ctx, jetstream.Config{URL: e.URL, Token: token, Name: "baton " + process, Lease: o.Lease, Logger: logger})
	if err != nil {
		return noServer(o.Home, err)
	}
	pool := newPool(o, process, store, logger)
	defer context.AfterFunc(ctx, func() { time.AfterFunc(drain, pool.Abort) })()
	if ready != nil {
		ready(process)
	}
	pool.Conduct(engine.Remote{Via: engine.Client{Bus: store, Payloads: store}})
	err = pool.Run(ctx)
	return errors.Join(err, store.Close())
}

// drain is how long running attempts may take to finish after a stop was asked for.
const drain = 10 * time.Minute
