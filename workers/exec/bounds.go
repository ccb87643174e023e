package exec

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/shim"
)

// bounds are what the task's sandbox says, in paths as the system knows them. Where the task says
// nothing, the runner's own setting holds.
func (r Runner) bounds(t workers.Task, write []string, home string) shim.Bounds {
	if t.Sandbox == nil {
		if !r.Confine {
			return shim.Bounds{}
		}
		return shim.Bounds{Confined: true, Write: write}
	}
	b := shim.Bounds{Confined: t.Sandbox.Confined, Memory: t.Sandbox.Memory, CPU: t.Sandbox.CPU}
	if !b.Confined {
		return b
	}
	b.Write = write
	for _, path := range t.Sandbox.Write {
		rest, atHome := strings.CutPrefix(path, "~/")
		switch {
		case atHome && home != "":
			b.Write = append(b.Write, filepath.Join(home, rest))
		case atHome: // nobody's home
		default:
			b.Write = append(b.Write, from(write[0], path))
		}
	}
	return b
}

// What programs say when the kernel has refused them something, in the words of C, Go and their like.
var (
	deniedWords = regexp.MustCompile(`(?i)permission denied|not permitted|EACCES|EPERM|read-only file system`)
	memoryWords = regexp.MustCompile(`(?i)out of memory|cannot allocate|MemoryError|ENOMEM|bad_alloc|allocation failed|memory exhausted`)
)

// bound adds to a failure which bound may have been met, since the program itself cannot know.
func (v verdict) bound() string {
	switch {
	case v.bounds.Confined && deniedWords.MatchString(v.tail):
		return "; its sandbox lets it write to " + strings.Join(v.bounds.Write, ", ") + " only: name more in sandbox.write"
	case v.bounds.Memory > 0 && (memoryWords.MatchString(v.tail) || v.end.Signal != 0):
		return fmt.Sprintf("; its sandbox gives each process %d bytes of memory: raise sandbox.memory if they are too few", v.bounds.Memory)
	}
	return ""
}
