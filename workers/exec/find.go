package exec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
)

// Look finds a program by its bare name on a PATH. Relative folders on it are passed over: what they
// mean would depend on where one stands.
func Look(name, path string) (file string, found bool) {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if filepath.IsAbs(dir) && executable(file) == nil {
			return file, true
		}
	}
	return "", false
}

// find gives the program's file: by its bare name on path, else as a path from folder.
func find(name, folder, path string) (string, *events.Failure) {
	if !strings.Contains(name, "/") {
		if file, ok := Look(name, path); ok {
			return file, nil
		}
		return "", failed(workers.Terminal, "exec_not_found",
			name+" is not on PATH ("+path+"): install it, or name it by a path like ./"+name)
	}
	file := from(folder, name)
	switch err := executable(file); {
	case err == nil:
		return file, nil
	case errors.Is(err, fs.ErrPermission):
		return "", failed(workers.Terminal, "exec_not_executable", file+" is not executable: chmod +x it")
	default:
		return "", failed(workers.Terminal, "exec_not_found",
			file+" is not there: paths start at the folder of the template or skill")
	}
}

// arguments gives the program's argv with its relative paths resolved.
func arguments(argv []string, path, folder string) []string {
	resolved := append([]string{}, argv...)
	if strings.Contains(argv[0], "/") {
		resolved[0] = path
	}
	for i, arg := range resolved {
		if i == 0 || !strings.HasPrefix(arg, "./") && !strings.HasPrefix(arg, "../") {
			continue
		}
		file := from(folder, arg)
		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
			resolved[i] = file
		}
	}
	return resolved
}

func from(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

// executable fails with fs.ErrPermission for what is there and cannot be run.
func executable(file string) error {
	st, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case st.IsDir() || st.Mode()&0o111 == 0:
		return fs.ErrPermission
	}
	return nil
}
