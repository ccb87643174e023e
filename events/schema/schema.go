// Package schema holds a JSON Schema of every fact that Baton records, for programs in other languages.
//
// The schemas are made from the Go types of package events by this package's own test (-update writes
// them) and are embedded as they are committed, so that the program needs no generator. There is one
// for each type and version, named <type>.v<version>.json, and it describes the fact, which is the
// field "data" of an event. A version that has been released keeps its schema for ever.
//
// Schemas are closed: a field that they do not name is not part of that version.
package schema

import (
	"embed"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.json
var files embed.FS

// For gives the schema of a type in its newest version; false when there is no such type.
func For(stored string) ([]byte, bool) {
	newest := 0
	for _, name := range names() {
		if of, v, ok := parse(name); ok && of == stored && v > newest {
			newest = v
		}
	}
	return Version(stored, newest)
}

// Version gives the schema of a type in one version; false when there is none.
func Version(stored string, v int) ([]byte, bool) {
	text, err := files.ReadFile(Name(stored, v))
	return text, err == nil
}

// Types lists the types that have a schema, sorted.
func Types() []string {
	var types []string
	for _, name := range names() {
		if stored, _, ok := parse(name); ok {
			types = append(types, stored)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// Name is the file that keeps the schema of a type in one version.
func Name(stored string, v int) string { return stored + ".v" + strconv.Itoa(v) + ".json" }

func names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // the root of an embedded tree is always there
	}
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = e.Name()
	}
	return list
}

// parse takes a file's name apart.
func parse(name string) (stored string, v int, ok bool) {
	base, ok := strings.CutSuffix(name, ".json")
	if !ok {
		return "", 0, false
	}
	at := strings.LastIndex(base, ".v")
	if at < 0 {
		return "", 0, false
	}
	v, err := strconv.Atoi(base[at+2:])
	return base[:at], v, err == nil
}
