package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/batonflow/baton/stream/file"
)

// position says up to where the log has been sent. One of another installation counts for nothing.
type position struct {
	Installation string `json:"installation"`
	Sequence     uint64 `json:"sequence"`
}

// begin gives the sequence to go on after: what was kept, or the log's end.
func (x *Exporter) begin(ctx context.Context) (uint64, error) {
	head, err := x.Log.Head(ctx)
	if err != nil {
		return 0, err
	}
	raw, err := os.ReadFile(x.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	var p position
	if json.Unmarshal(raw, &p) == nil && p.Installation == x.Log.Installation() && p.Sequence <= head {
		return p.Sequence, nil
	}
	x.keep(head)
	return head, nil
}

// keep writes the position down. One that could not be written costs only that spans are sent again.
func (x *Exporter) keep(sequence uint64) {
	raw, err := json.Marshal(position{x.Log.Installation(), sequence})
	if err == nil {
		err = file.Replace(x.Path, raw, 0o600)
	}
	if err != nil {
		x.Logger.Warn("the position of the export is not kept", "err", err)
	}
}
