package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/cmd/baton/config"
	"github.com/batonflow/baton/sessions"
)

func load(t *testing.T, file string, env map[string]string, flags map[string]any) (config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if file != "" {
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.Load(path, func(name string) string { return env[name] }, flags)
}

func TestLaterLayersWin(t *testing.T) {
	t.Parallel()
	c, err := load(t, "lease: 20s\ngrace: 3s\nworkers: 2\nlimits: {gpu: 3}\nqueues: {ocr: {limit: 4}}\n",
		map[string]string{"BATON_LEASE": "30s", "BATON_WORKERS": "5"}, map[string]any{"workers": 7})
	if err != nil {
		t.Fatal(err)
	}
	if c.Lease != 30*time.Second || c.Grace != 3*time.Second || c.Workers != 7 || c.Limits["gpu"] != 3 || c.Queues["ocr"].Limit != 4 {
		t.Errorf("loaded %+v", c)
	}
	want := map[string]string{"lease": "BATON_LEASE", "grace": "config.yaml", "workers": "flag for workers", "agent": "default", "limits.gpu": "config.yaml"}
	for _, v := range c.Values() {
		if from, asked := want[v.Key]; asked && !strings.HasSuffix(v.Source, from) {
			t.Errorf("%s comes from %q, not %q", v.Key, v.Source, from)
		}
		delete(want, v.Key)
	}
	if len(want) > 0 {
		t.Errorf("not shown: %v", want)
	}
}

func TestAnEmptyHomeHasDefaults(t *testing.T) {
	t.Parallel()
	c, err := load(t, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Lease != 10*time.Second || c.Grace != 5*time.Second || c.Workers != 8 || c.NATS.URL != "" {
		t.Errorf("loaded %+v", c)
	}
}

func TestBadSettingsAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		env        map[string]string
		code, says string
	}{
		{"a mistyped key", "leese: 3s\n", nil, "config_invalid", `did you mean "lease"?`},
		{"a size of nothing", "limits: {gpu: 0}\n", nil, "config_invalid", "line 1 limits.gpu"},
		{"a wrong type", "workers: many\n", nil, "config_invalid", "workers"},
		{"no duration", "lease: soon\n", nil, "config_invalid", "lease"},
		{"too short", "lease: 1ms\n", nil, "bad_duration", "config.yaml"},
		{"a variable", "", map[string]string{"BATON_LEASE": "3 days"}, "bad_duration", "BATON_LEASE"},
		{"a variable out of range", "", map[string]string{"BATON_GRACE": "2h"}, "bad_duration", "BATON_GRACE"},
		{"no number", "", map[string]string{"BATON_WORKERS": "x"}, "bad_value", "BATON_WORKERS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, tt.file, tt.env, nil)
			var refusal *sessions.Refusal
			if !errors.As(err, &refusal) || refusal.Code != tt.code || !strings.Contains(refusal.Message, tt.says) {
				t.Errorf("refused with %v, want %s saying %q", err, tt.code, tt.says)
			}
		})
	}
}
