package host

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"sync"
)

// openCode names the program that runs: by what its file holds, so that no two programs that may fold
// differently share a snapshot. The file is opened at once, since an update may put another in its place, and
// read when the name is first asked for. Where it cannot be read the process has a name of its own.
func openCode(process string) func() string {
	path, err := os.Executable()
	if runtime.GOOS == "linux" {
		path = "/proc/self/exe" // the file itself, whatever stands at its path by now
	}
	var file *os.File
	if err == nil {
		file, err = os.Open(path)
	}
	return sync.OnceValue(func() string {
		if err != nil {
			return process
		}
		defer file.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, file); err != nil {
			return process
		}
		return hex.EncodeToString(sum.Sum(nil)[:12])
	})
}
