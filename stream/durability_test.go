package stream_test

import (
	"testing"

	"github.com/batonflow/baton/stream"
)

func TestDurabilityIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"group", "always", "interval=1s", "interval=250ms", "interval=1m", "interval=1m30s", "interval=1h"} {
		d, err := stream.ParseDurability(text)
		if err != nil || d.String() != text {
			t.Errorf("%q is read as %q, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "Group", "replicated", "interval", "interval=", "interval=1", "interval=1ms", "interval=2h", "interval=-1s"} {
		if d, err := stream.ParseDurability(text); err == nil {
			t.Errorf("%q is taken for %q", text, d)
		}
	}
	if got := (stream.Durability{}).String(); got != stream.Group {
		t.Errorf("without a word it is %q", got)
	}
}
