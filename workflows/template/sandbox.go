package template

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Sandbox bounds what a step's program may do. Its time is bounded by the step's timeout.
type Sandbox struct {
	// Confined says that it writes only to the workspace, to BATON_TMP and below Write.
	Confined bool `json:"confined,omitempty"`
	// Write lists further files and folders: absolute, from ~/, or from the workspace.
	Write []string `json:"write,omitempty"`
	// Memory bounds what each of its processes may take, CPU their computing time each, Output the
	// result, in bytes. 0: not bounded here.
	Memory int64         `json:"memory,omitempty"`
	CPU    time.Duration `json:"cpu,omitempty"`
	Output int64         `json:"output,omitempty"`
}

const (
	leastMemory = 8 << 20  // under it no program starts
	mostMemory  = 16 << 40 // beyond any machine
	mostOutput  = 64 << 20 // what a result may have anyway
	anywhere    = "anywhere"
	sandboxHint = "write sandbox: on, sandbox: off, or sandbox: {write: [out], memory: 512MiB, cpu: 1m, output: 1MiB}"
	sizeHint    = "write 64KiB, 512MiB or 2GiB"
)

var sandboxFields = fieldTable{
	of: "sandbox", fields: []string{"write", "memory", "cpu", "output"},
	elsewhere: map[string]string{"time": "write timeout beside sandbox", "timeout": "write it beside sandbox", "env": "write it beside sandbox"},
}

// sandbox reads what bounds a program. What it does not say is as above, which may be nil.
func (r *reader) sandbox(p place, above *Sandbox) *Sandbox {
	if p.absent() {
		return above
	}
	got := Sandbox{Confined: true}
	if above != nil {
		got = *above
		got.Confined = true
	}
	if p.node.Kind == yaml.ScalarNode {
		return r.sandboxWord(p, got)
	}
	f := r.fields(p, sandboxFields)
	if f == nil {
		return above
	}
	r.writable(&got, f["write"])
	if n, ok := r.size(f["memory"], leastMemory, mostMemory); ok {
		got.Memory = n
	}
	if n, ok := r.size(f["output"], 1, mostOutput); ok {
		got.Output = n
	}
	if d, ok := r.duration(f["cpu"]); ok {
		got.CPU = d
		if d < time.Second {
			r.fail(f["cpu"], CodeBadValue, "computing time is counted in seconds", "write at least 1s")
		}
	}
	return &got
}

func (r *reader) sandboxWord(p place, got Sandbox) *Sandbox {
	switch p.node.Value {
	case "on", "true":
		return &got
	case "off", "false":
		return &Sandbox{}
	}
	r.fail(p, CodeBadType, "sandbox is on, off or a mapping, this is "+short(p.node.Value), sandboxHint)
	return &got
}

// writable reads the paths, or the word that leaves writing free and bounds only the rest.
func (r *reader) writable(s *Sandbox, p place) {
	if !p.absent() && p.node.Kind == yaml.ScalarNode && p.node.Value == anywhere {
		s.Confined, s.Write = false, nil
		return
	}
	paths, places := r.texts(p, mostPath)
	for i, path := range paths {
		if path == "" || strings.ContainsAny(path, "\x00$") {
			r.fail(places[i], CodeBadValue, short(path)+" is no path", "name a file or folder as it is; expressions are not filled in here")
		}
	}
	s.Write = slices.Concat(s.Write, paths)
}

const mostPath = 4096

var (
	sizeParts = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?(B|kB|KB|MB|GB|KiB|MiB|GiB)?$`)
	sizeUnits = map[string]float64{"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
)

// size reads a number of bytes.
func (r *reader) size(p place, least, most int64) (int64, bool) {
	if p.absent() {
		return 0, false
	}
	parts := sizeParts.FindStringSubmatch(strings.TrimSpace(p.node.Value))
	if p.node.Kind != yaml.ScalarNode || parts == nil {
		r.fail(p, CodeBadType, "this must be a size in bytes, it is "+kind(p.node), sizeHint)
		return 0, false
	}
	x, err := strconv.ParseFloat(parts[1], 64)
	if bytes := x * sizeUnits[parts[2]]; err == nil && bytes >= float64(least) && bytes <= float64(most) {
		return int64(bytes), true
	}
	r.fail(p, CodeBadValue, short(p.node.Value)+" is out of bounds", fmt.Sprintf("write a size from %d to %d bytes", least, most))
	return 0, false
}

// sameSandbox says whether two steps are bounded alike; nil bounds nothing of its own.
func sameSandbox(a, b *Sandbox) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Confined == b.Confined && sameSet(a.Write, b.Write) && a.Memory == b.Memory && a.CPU == b.CPU && a.Output == b.Output
}
