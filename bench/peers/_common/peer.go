// Package bench is the shared part of the peer drivers: every peer implements
// Peer, and Main gives it the same workloads, clocks and JSON output.
package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Payload marshals to exactly 200 bytes of JSON; each step's output is the
// next step's input.
type Payload struct {
	Run  string `json:"run"`
	Step int    `json:"step"`
	Pad  string `json:"pad"`
}

const PayloadBytes = 200

func NewPayload(run string, step int) Payload {
	p := Payload{Run: run, Step: step}
	b, _ := json.Marshal(p)
	p.Pad = strings.Repeat("x", PayloadBytes-len(b))
	return p
}

// Peer is one engine under test. Open must bring the engine and its worker up
// in dir (created, maybe empty, maybe holding an earlier process's state).
type Peer interface {
	Open(ctx context.Context, dir string) error
	Seq(ctx context.Context, id string, n int) error      // start and wait
	Fan(ctx context.Context, id string, n int) error      // start and wait
	StartSeq(ctx context.Context, id string, n int) error // start only
	Load(ctx context.Context, id string) (int, error)     // read the whole history, returns events
	Durability(ctx context.Context) string
	Close()
}

// Replayer is optional: re-run the workflow code against the stored history.
type Replayer interface {
	Replay(ctx context.Context, id string) error
}

// side file: one line per executed step.
var side *os.File
var sideMu sync.Mutex
var firstStep atomic.Int64
var stepsRun atomic.Int64

// Step is the no-op step body that every peer calls.
func Step(in Payload) Payload {
	stepsRun.Add(1)
	if firstStep.Load() == 0 {
		firstStep.CompareAndSwap(0, time.Now().UnixNano())
	}
	if side != nil {
		sideMu.Lock()
		fmt.Fprintf(side, "%d %d %d\n", in.Step, os.Getpid(), time.Now().UnixNano())
		sideMu.Unlock()
	}
	return NewPayload(in.Run, in.Step+1)
}

// SidePath is set where steps must be written to the side file by another
// process (node); SetFirstStep lets such a peer report its first step.
var SidePath string

func SetFirstStep(ns int64) { firstStep.CompareAndSwap(0, ns) }

// AddExt registers a server process that the peer itself spawned, and leaves
// its pid in dir/ext.pid so that run-all.sh can end it.
func AddExt(dir string, pid int) {
	ExtPIDs = append(ExtPIDs, pid)
	f, err := os.OpenFile(filepath.Join(dir, "ext.pid"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	check(err)
	fmt.Fprintln(f, pid)
	f.Close()
}

func openSide(path string) {
	SidePath = path
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	check(err)
	side = f
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "FATAL:", err)
		os.Exit(1)
	}
}
