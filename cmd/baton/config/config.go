// Package config is what a person has set for an installation: $BATON_HOME/config.yaml, over it the
// environment, over that the flags of a command. Each value is known with where it came from.
//
// The file is checked against its schema as a whole; a mistyped key is refused with the nearest known
// one, and nothing starts on a file that does not check.
package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"github.com/batonflow/baton/routing/table"
	"github.com/batonflow/baton/routing/way"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// Schema is the JSON Schema of config.yaml.
//
//go:embed config.schema.json
var Schema []byte

var compiled = sync.OnceValues(func() (*table.Schema, error) { return table.Compile(Schema) })

// Config is what everything in a process is started with.
type Config struct {
	Agent      string           `koanf:"agent"`
	Durability string           `koanf:"durability"` // of the embedded server: group, always or interval=D
	HTTP       string           `koanf:"http"`
	Clear      string           `koanf:"http_insecure"` // on or off: whether HTTP without TLS may be reached from elsewhere
	Names      string           `koanf:"http_names"`    // comma-separated host names by which the HTTP server may be called
	TLS        TLS              `koanf:"tls"`
	Workers    int              `koanf:"workers"`
	Lease      time.Duration    `koanf:"lease"`
	Grace      time.Duration    `koanf:"grace"`
	Sandbox    string           `koanf:"sandbox"` // on or off: whether steps that say nothing of it are confined
	NATS       NATS             `koanf:"nats"`
	Limits     map[string]int   `koanf:"limits"`
	Queues     map[string]Queue `koanf:"queues"`
	Route      Route            `koanf:"route"`

	Telemetry Telemetry `koanf:"telemetry"`

	values []Value
}

// NATS says which server is used.
type NATS struct {
	URL      string `koanf:"url"` // "": the embedded one
	Creds    string `koanf:"creds"`
	CA       string `koanf:"ca"`
	Cert     string `koanf:"cert"`
	Key      string `koanf:"key"`
	Replicas int    `koanf:"replicas"`
}

// TLS is what the HTTP server proves itself with.
type TLS struct {
	Cert string `koanf:"cert"` // PEM file; "": none
	Key  string `koanf:"key"`  // PEM file
}

// Route is how skills are chosen.
type Route struct {
	HighRisk string  `koanf:"high_risk"` // named or confirm: which high-risk actions are confirmed
	Judge    way.Way `koanf:"judge"`     // who is asked for a second opinion; zero: nobody
}

// Telemetry says where spans are sent.
type Telemetry struct {
	Endpoint string            `koanf:"endpoint"` // of a collector; "": nothing is sent
	Headers  map[string]string `koanf:"headers"`  // secrets by reference
	Content  string            `koanf:"content"`  // on or off: whether spans hold what people and skills wrote
}

// Queue is what is set for one queue.
type Queue struct {
	Limit int `koanf:"limit"` // 0: none
}

// Sizes are how many calls may run at once under each limit: a named one, or a queue's as queue:NAME.
func (c Config) Sizes() map[string]int {
	out := maps.Clone(c.Limits)
	if out == nil {
		out = map[string]int{}
	}
	for name, queue := range c.Queues {
		if queue.Limit > 0 {
			out["queue:"+name] = queue.Limit
		}
	}
	return out
}

// Value is one setting with where it came from.
type Value struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source string `json:"source"` // default, the file's path, the variable's name, or the flag
}

// setting is a value that can also be given by the environment.
type setting struct {
	key, env  string
	otherwise any
}

// settings lists what has a default. What is set in the file alone needs no line.
var settings = []setting{
	{"agent", "BATON_AGENT", ""},
	{"durability", "BATON_DURABILITY", stream.Group},
	{"grace", "BATON_GRACE", "5s"},
	{"http", "BATON_HTTP", ""},
	{"http_insecure", "BATON_HTTP_INSECURE", "off"},
	{"http_names", "BATON_HTTP_NAMES", ""},
	{"lease", "BATON_LEASE", "10s"},
	{"nats.ca", "BATON_NATS_CA", ""},
	{"nats.cert", "BATON_NATS_CERT", ""},
	{"nats.creds", "BATON_NATS_CREDS", ""},
	{"nats.key", "BATON_NATS_KEY", ""},
	{"nats.replicas", "BATON_REPLICAS", 0},
	{"nats.url", "BATON_NATS_URL", ""},
	{"route.high_risk", "BATON_ROUTE_HIGH_RISK", "named"},
	{"sandbox", "BATON_SANDBOX", "off"},
	{"telemetry.content", "BATON_TELEMETRY_CONTENT", "off"},
	{"telemetry.endpoint", "BATON_TELEMETRY_ENDPOINT", ""},
	{"tls.cert", "BATON_TLS_CERT", ""},
	{"tls.key", "BATON_TLS_KEY", ""},
	{"workers", "BATON_WORKERS", 8},
}

// Load reads the file, which need not be there, and lays environment and flags over it. flags are by
// key, those that were typed only.
func Load(path string, env func(string) string, flags map[string]any) (Config, error) {
	l := layers{k: koanf.New("."), from: map[string]string{}}
	defaults := map[string]any{}
	for _, s := range settings {
		defaults[s.key] = s.otherwise
	}
	if err := l.lay(defaults, func(string) string { return "default" }); err != nil {
		return Config{}, err
	}
	file, err := readFile(path)
	if err != nil {
		return Config{}, err
	}
	if err := l.lay(file, func(string) string { return path }); err != nil {
		return Config{}, err
	}
	given, from, err := environment(env)
	if err != nil {
		return Config{}, err
	}
	if err := l.lay(given, func(key string) string { return from[key] }); err != nil {
		return Config{}, err
	}
	if err := l.lay(flags, func(key string) string { return "flag for " + key }); err != nil {
		return Config{}, err
	}
	return l.config()
}

func readFile(path string) (map[string]any, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // what a home must be is told where it is opened
		return nil, nil
	}
	if err != nil {
		return nil, sessions.Refuse(sessions.Usage, "config_unreadable", "make it readable, or remove it", "%s: %v", path, err)
	}
	schema, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("schema of the configuration: %w", err)
	}
	tree, err := schema.Tree(text)
	if err != nil {
		return nil, sessions.Refuse(sessions.Usage, "config_invalid", "mend "+path, "the configuration cannot be used: %v", err).With("faults", err)
	}
	return tree, nil
}

// others are variables of other programs that mean the same; ours stand over them.
var others = map[string]string{"telemetry.endpoint": "OTEL_EXPORTER_OTLP_ENDPOINT"}

// environment gives the variables that are set, with the types of their defaults, and their names.
func environment(env func(string) string) (values map[string]any, from map[string]string, err error) {
	values, from = map[string]any{}, map[string]string{}
	for _, s := range settings {
		name := s.env
		if other := others[s.key]; env(name) == "" && other != "" {
			name = other
		}
		text := env(name)
		if text == "" {
			continue
		}
		values[s.key], from[s.key] = text, name
		if _, number := s.otherwise.(int); number {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, nil, sessions.Refuse(sessions.Usage, "bad_value", "use a whole number", "%s=%q cannot be used", name, text)
			}
			values[s.key] = n
		}
	}
	return values, from, nil
}

// layers are values laid one over the other.
type layers struct {
	k    *koanf.Koanf
	from map[string]string // key -> source of its value
}

func (l *layers) lay(values map[string]any, source func(key string) string) error {
	over := koanf.New(".")
	if err := over.Load(confmap.Provider(values, "."), nil); err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	for _, key := range over.Keys() {
		l.from[key] = source(key)
	}
	if err := l.k.Merge(over); err != nil {
		return fmt.Errorf("merge settings: %w", err)
	}
	return nil
}

func (l *layers) config() (Config, error) {
	var c Config
	for _, key := range []string{"lease", "grace"} {
		if d, err := time.ParseDuration(l.k.String(key)); err != nil || d < 100*time.Millisecond || d > time.Hour {
			return c, l.refuse(key, "bad_duration", "use a duration from 100ms to 1h, like 10s")
		}
	}
	if err := l.k.Unmarshal("", &c); err != nil {
		return c, sessions.Refuse(sessions.Usage, "bad_value", "mend it", "the settings cannot be read: %v", err)
	}
	for _, key := range l.k.Keys() {
		c.values = append(c.values, Value{key, shown(l.k.Get(key)), l.from[key]})
	}
	return c, l.check(c)
}

// check refuses values out of range, whoever gave them.
func (l *layers) check(c Config) error {
	if c.Workers < 0 || c.Workers > 1000 {
		return l.refuse("workers", "bad_value", "give a number from 0 to 1000")
	}
	if c.Sandbox != "on" && c.Sandbox != "off" {
		return l.refuse("sandbox", "bad_value", "use on or off")
	}
	if _, err := stream.ParseDurability(c.Durability); err != nil {
		return l.refuse("durability", "bad_durability", "use group, always or interval=D, like interval=1s")
	}
	if c.Telemetry.Content != "on" && c.Telemetry.Content != "off" {
		return l.refuse("telemetry.content", "bad_value", "use on or off")
	}
	if endpoint, err := url.Parse(c.Telemetry.Endpoint); c.Telemetry.Endpoint != "" && (err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https") {
		return l.refuse("telemetry.endpoint", "bad_value", "give an http or https URL, like http://127.0.0.1:4318")
	}
	if c.Clear != "on" && c.Clear != "off" {
		return l.refuse("http_insecure", "bad_value", "use on or off")
	}
	if err := checkHeaders(c.Telemetry.Headers); err != nil {
		return err
	}
	if c.NATS.Replicas < 0 || c.NATS.Replicas > 5 {
		return l.refuse("nats.replicas", "bad_replicas", "use 1, 3 or 5")
	}
	return l.checkJudge(c.Route.Judge)
}

// longestJudge leaves a decision time within that of a command.
const longestJudge = 25 * time.Second

func (l *layers) checkJudge(judge way.Way) error {
	if !l.k.Exists("route.judge") {
		return nil
	}
	err := judge.Check()
	if err == nil && judge.Within("20s") > longestJudge {
		err = fmt.Errorf("timeout %q: write a time up to %s, like 20s", judge.Timeout, longestJudge)
	}
	if err != nil {
		return sessions.Refuse(sessions.Usage, "bad_judge", "give one of exec, http and mcp, as in a step of a workflow", "route.judge cannot be used: %v", err)
	}
	return nil
}

func (l *layers) refuse(key, code, hint string) error {
	return sessions.Refuse(sessions.Usage, code, hint, "%s=%q cannot be used (from %s)", key, fmt.Sprint(shown(l.k.Get(key))), l.from[key])
}

// Values lists every value that is set or has a default, by key.
func (c Config) Values() []Value { return slices.Clone(c.values) }
