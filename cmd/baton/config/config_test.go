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
		{"a secret itself", "telemetry: {headers: {Authorization: Bearer abc}}\n", nil, "secret_by_value", "telemetry.headers.Authorization"},
		{"no endpoint", "", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "ftp://ada:pw@c"}, "bad_value", `"ftp://…@c" cannot be used (from OTEL_EXPORTER_OTLP_ENDPOINT)`},
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

// What is shown holds no secret: those are named, and passwords in addresses are left out.
func TestSettingsAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	c, err := load(t, "telemetry: {headers: {authorization: 'Bearer ${env:TOKEN}', x-tenant: blue}, endpoint: 'https://ada:pw@c:4318'}\n",
		map[string]string{"BATON_NATS_URL": "nats://ada:pw@n1:4222,nats://n2:4222", "TOKEN": "pw"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"nats.url": "nats://…@n1:4222,nats://n2:4222", "telemetry.endpoint": "https://…@c:4318",
		"telemetry.headers.authorization": "Bearer ${env:TOKEN}", "telemetry.headers.x-tenant": "blue",
	}
	for _, v := range c.Values() {
		if shown, asked := want[v.Key]; asked && v.Value != shown {
			t.Errorf("%s is shown as %v", v.Key, v.Value)
		}
		delete(want, v.Key)
	}
	if len(want) > 0 || c.NATS.URL != "nats://ada:pw@n1:4222,nats://n2:4222" {
		t.Errorf("not shown: %v; used: %s", want, c.NATS.URL)
	}
}
